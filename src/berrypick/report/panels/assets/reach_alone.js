/* What reach alone proves: for each measure and run the mean if targets are independent, within its bounds. */

import * as dom from '../../html/assets/dom.js';
import { el, svg } from '../../html/assets/dom.js';
import * as widgets from '../../html/assets/widgets.js';

const left = 18, width = 400, step = 22, top = 8;

function picture(measure) {
  const known = measure.runs.map((ends, run) => [run, ends]).filter(([, ends]) => ends);
  const most = Math.ceil(4 * Math.max(1, ...known.map(([, ends]) => ends[2]))) / 4;
  const across = (value) => (left + width * value / most).toFixed(1);
  const bottom = top + step * known.length;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => share * most);
  const row = ([run, [low, value, high]], i) => {
    const y = top + step * (i + 0.5), colour = {stroke: dom.colour(run)};
    return widgets.tip(svg('g', {'data-run': run},
      svg('line', {x1: across(low), x2: across(high), y1: y, y2: y, 'stroke-width': 3, style: colour}),
      [low, high].map((end) => svg('line', {x1: across(end), x2: across(end), y1: y - 5, y2: y + 5, 'stroke-width': 2, style: colour})),
      svg('circle', {cx: across(value), cy: y, r: 5, style: {fill: dom.colour(run)}})),
    () => [el('strong', {}, dom.clean(dom.data.runs[run].name)), 'at least ' + dom.number(low),
      'if independent ' + dom.number(value), 'at most ' + dom.number(high)]);
  };
  const said = 'Intervals of ' + dom.clean(measure.text) + ' by run';
  return svg('svg', {viewBox: '0 0 ' + (left * 2 + width) + ' ' + (bottom + 20), style: {width: '100%', maxWidth: left * 2 + width + 'px'}, role: 'img', 'aria-label': said, 'font-size': 11, fill: 'currentColor'},
    ticks.map((tick) => [
      svg('line', {x1: across(tick), x2: across(tick), y1: top, y2: bottom, stroke: 'currentColor', opacity: 0.15}),
      svg('text', {x: across(tick), y: bottom + 15, 'text-anchor': 'middle'}, dom.number(tick, 2))]),
    known.map(row));
}

function numbers(measure, number) {
  const rows = measure.runs.map((ends, run) => [run, ends]).filter(([, ends]) => ends).map(([run, ends]) => [run, ...ends]);
  const column = (title, i) => ({title, key: 'column-' + i, numeric: true, value: (row) => row[i], cell: (row) => dom.number(row[i])});
  return widgets.wide('Intervals of ' + dom.clean(measure.text), widgets.table([
    {title: 'Run', key: 'run', rowHeader: true, value: (row) => dom.data.runs[row[0]].name, cell: (row) => dom.run(row[0], true)},
    column('At least', 1), column('If independent', 2), column('At most', 3)], {id: 'reach-alone-' + number, class: 'compact', rows}));
}

export function draw(found) {
  return el('div', {id: 'reach-alone'},
    el('p', {}, 'Reach says how likely a reader sees each target, and not what is seen together. A dot is the mean if targets are seen ' +
      'independently, as the papers assume; the line holds it whatever is seen together. Over several recall values the ends are added up, and the line is wide.'),
    found.measures.map((measure, number) => el('figure', {class: 'reach-alone', style: {margin: '.6rem 0'}},
      el('figcaption', {}, dom.clean(measure.text)), picture(measure), numbers(measure, number))));
}
