/* Abstained and Answered at every score threshold: Abstained against Answered, a line for each run, and the numbers as a table. */

import * as dom from '../../html/assets/dom.js';
import { el, svg } from '../../html/assets/dom.js';
import * as widgets from '../../html/assets/widgets.js';

const left = 46, top = 10, side = 240;                 // of the square from 0 to 1

const across = (share) => left + side * share;
const up = (share) => top + side * (1 - share);

function axes() {
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return [
    svg('rect', {x: left, y: top, width: side, height: side, fill: 'none', stroke: 'currentColor', opacity: 0.4}),
    ticks.map((share) => [
      svg('line', {x1: across(share), x2: across(share), y1: top, y2: top + side, stroke: 'currentColor', opacity: 0.12}),
      svg('line', {x1: left, x2: left + side, y1: up(share), y2: up(share), stroke: 'currentColor', opacity: 0.12}),
      svg('text', {x: across(share), y: top + side + 15, 'text-anchor': 'middle'}, String(share)),
      svg('text', {x: left - 6, y: up(share) + 4, 'text-anchor': 'end'}, String(share))]),
    svg('text', {x: left + side / 2, y: top + side + 32, 'text-anchor': 'middle'}, 'Answered'),
    svg('text', {x: 0, y: 0, 'text-anchor': 'middle', transform: 'translate(12 ' + (top + side / 2) + ') rotate(-90)'}, 'Abstained'),
  ];
}

function line(points, run) {
  const places = points.map(([, abstained, answered]) => across(answered).toFixed(1) + ',' + up(abstained).toFixed(1));
  return [
    svg('polyline', {points: places.join(' '), fill: 'none', 'stroke-width': 1.8, 'data-run': run,
      'stroke-dasharray': dom.dash(run).join(' ') || null, style: {stroke: dom.colour(run)}}),
    points.map(([score, abstained, answered]) => widgets.tip(
      svg('circle', {cx: across(answered).toFixed(1), cy: up(abstained).toFixed(1), r: 3, style: {fill: dom.colour(run)}}),
      () => [el('strong', {}, dom.clean(dom.data.runs[run].name)), 'score threshold ' + dom.number(score, 6),
        'Abstained ' + dom.number(abstained), 'Answered ' + dom.number(answered)]))];
}

function numbers(found) {
  const rows = found.runs.flatMap((points, run) => points.map((point) => [run, ...point]));
  const column = (title, i) => ({title, key: 'column-' + i, numeric: true, value: (row) => row[i], cell: (row) => dom.number(row[i], i === 1 ? 6 : 4)});
  const table = widgets.table([
    {title: 'Run', key: 'run', rowHeader: true, value: (row) => dom.data.runs[row[0]].name, cell: (row) => dom.run(row[0], true)},
    column('Threshold', 1), column('Abstained', 2), column('Answered', 3)], {id: 'trade-off-numbers', class: 'compact', rows});
  return el('details', {class: 'fold'}, el('summary', {}, 'The numbers'), widgets.wide('Abstained and Answered by score threshold', table));
}

export function draw(found) {
  const said = 'Abstained (of ' + dom.plural(found.unanswerable, 'topic') + ' without an answer) against Answered (of ' +
    dom.plural(found.answerable, 'topic') + ' with one), a point for each score threshold; up and to the right is better.' +
    (found.left_out ? ' ' + dom.count(found.left_out) + ' points in between are not drawn.' : '');
  return el('div', {id: 'trade-off'},
    el('figure', {class: 'trade-off'},
      svg('svg', {viewBox: '0 0 300 ' + (top + side + 40), width: 420, role: 'img', 'aria-label': said, 'font-size': 11, fill: 'currentColor'},
        axes(), found.runs.map(line)),
      el('figcaption', {class: 'quiet small'}, said, ' ', found.runs.map((points, run) => [dom.run(run), ' ']))),
    numbers(found));
}
