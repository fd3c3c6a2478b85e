/* Strips: a document as a line, at true scale. */

import * as dom from './dom.js';
import { el, svg } from './dom.js';
import * as widgets from './widgets.js';
import * as spans from './spans.js';
import * as model from './model.js';

const BADGES = 19; // height of the lane of rank badges
const BAR = 20;
const UNDER = 9; // the lane below: what is retrieved again, entry points
const AXIS = 17;
const LEAST = 2; // pixels: a span of 100 characters in a million must not vanish

// Patterns are defined once; a strip refers to them. Classes differ by height and pattern, not by colour alone.
export function patterns() {
  if (document.getElementById('stripes-again')) return;
  document.body.append(svg('svg', { class: 'unseen', 'aria-hidden': 'true', width: 0, height: 0 }, svg('defs', {},
    svg('pattern', { id: 'stripes-again', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
      svg('rect', { class: 'pattern-again', width: 2.5, height: 6 })),
    svg('pattern', { id: 'crosses-unjudged', width: 6, height: 6, patternUnits: 'userSpaceOnUse' },
      svg('path', { class: 'pattern-unjudged', d: 'M0 3H6M3 0V6' })),
    svg('pattern', { id: 'dots-missed', width: 5, height: 5, patternUnits: 'userSpaceOnUse' },
      svg('rect', { class: 'pattern-ground', width: 5, height: 5 }),
      svg('circle', { class: 'pattern-missed', cx: 2.5, cy: 2.5, r: 1.1 })))));
}

// Steps that people count in.
function ticks(length, width, room) {
  const steps = dom.data.kind === 'seconds'
    ? [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 36000]
    : [1, 2, 5].flatMap((x) => Array.from({ length: 12 }, (_, i) => x * 10 ** i)).sort((a, b) => a - b);
  const step = steps.find((each) => (each / length) * width >= room) || length;
  const found = [];
  for (let at = 0; at <= length; at += step) found.push(at);
  return found;
}

export function axis(length, width) {
  const scale = width / length;
  const marks = ticks(length, width, 84).map((at) => {
    const x = at * scale;
    const anchor = x > width - 30 ? 'end' : x < 10 ? 'start' : 'middle';
    return [svg('line', { class: 'axis-tick', x1: x, x2: x, y1: 0, y2: 4 }),
      svg('text', { class: 'axis-text', x, y: 14, 'text-anchor': anchor }, model.place(at))];
  });
  return svg('g', { class: 'axis', 'aria-hidden': 'true' }, svg('line',
    { class: 'axis-line', x1: 0, x2: width, y1: 0.5, y2: 0.5 }), marks);
}

// One path for all rectangles of a class: 20,000 segments stay one element.
function rectangles(places, scale, y, height) {
  return places.map(([start, end]) => {
    const width = Math.max(LEAST, (end - start) * scale);
    return `M${(start * scale).toFixed(2)} ${y}h${width.toFixed(2)}v${height}h-${width.toFixed(2)}z`;
  }).join('');
}

const joined = (found, keep) => spans.merge(found.filter(keep).map((segment) => [segment.start, segment.end]));

// {width, scale: pixels per unit, length, found: segments, results, entries, unit, axis, onpick(offset), label}
export function strip(options) {
  const { width, scale, length, found, results, entries, unit } = options;
  const long = Math.max(LEAST, length * scale);
  const bar = BADGES;
  const height = BADGES + BAR + UNDER + (options.axis ? AXIS : 0);
  const kinds = {};
  ['found', 'missed', 'noise'].forEach((kind) => { kinds[kind] = joined(found, (segment) => segment.kind === kind); });
  const again = joined(found, (segment) => segment.again);
  const unjudged = joined(found, (segment) => segment.unjudged);
  const drawn = svg('svg', { class: 'strip', width, height, role: 'group', 'aria-label': options.label });
  drawn.append(
    svg('rect', { class: 'strip-track', x: 0, y: bar + BAR / 2 - 3, width: long, height: 6, rx: 2 }),
    svg('path', { class: 'strip-noise', d: rectangles(kinds.noise, scale, bar + BAR * 0.45, BAR * 0.55) }),
    svg('path', { class: 'strip-unjudged', fill: 'url(#crosses-unjudged)',
      d: rectangles(unjudged, scale, bar + BAR * 0.45, BAR * 0.55) }),
    svg('path', { class: 'strip-missed', fill: 'url(#dots-missed)',
      d: rectangles(kinds.missed, scale, bar + 0.75, BAR - 1.5) }),
    svg('path', { class: 'strip-found', d: rectangles(kinds.found, scale, bar, BAR) }),
    svg('path', { class: 'strip-stripes', fill: 'url(#stripes-again)',
      d: rectangles(again, scale, bar + BAR * 0.45, BAR * 0.55) }),
    svg('path', { class: 'strip-again', d: rectangles(again, scale, bar + BAR + 1.5, 2.5) }));

  let at = 0; // the place under the pointer
  const hit = svg('rect', { class: 'strip-hit', tabindex: -1, x: 0, y: bar - 2, width: Math.max(long, 12),
    height: BAR + UNDER });
  const follow = (event) => { at = Math.max(0, Math.min(length,
    (event.clientX - drawn.getBoundingClientRect().left) / scale)); };
  hit.addEventListener('pointerenter', follow);
  hit.addEventListener('pointermove', follow);
  hit.addEventListener('click', (event) => {
    follow(event);
    options.onpick(at);
  });
  widgets.tip(hit, () => {
    // Within two pixels of the pointer, the most telling class.
    const near = 2 / scale;
    const order = ['found', 'missed', 'noise', 'none'];
    const here = found.slice(Math.max(0, spans.above(found, at - near, (s) => s.end)),
      spans.above(found, at + near, (s) => s.start))
      .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))[0];
    if (!here) return [model.place(at)];
    const covering = results.filter((r) => r.start <= here.start && r.end >= here.end && here.ranks.includes(r.rank));
    return [`${model.stretch(here.start, here.end)}: ${model.MEANING[here.unjudged ? 'unjudged' : here.kind]}${here.again ? `, by ${model.count(here.count)} results` : ''}`,
      ...model.lines(covering, unit)];
  });
  drawn.append(hit);

  for (const entry of entries) {
    const x = entry * scale;
    const flag = svg('path', { class: 'strip-flag', tabindex: -1, 'data-entry': entry,
      d: `M${x} ${bar - 1}V${bar + BAR + UNDER - 1}M${x} ${bar + BAR + 1}l7 3.5l-7 3.5z` });
    drawn.append(widgets.tip(flag, () => [`Best entry point: ${model.place(entry)}`]));
  }

  const starts = new Map();
  for (const result of results) {
    if (!starts.has(result.start)) starts.set(result.start, []);
    starts.get(result.start).push(result);
  }
  const shown = (many) => spans.rankText(many.map((result) => result.rank), 1);
  const across = (text) => Math.max(15, 7 + 6.6 * text.length);
  // With thousands of results the text of a badge is guessed, not written again for every result that joins it.
  const room = (groups) => 3 + (groups.length > 3 ? across(`${'9'.repeat(String(results.length).length)} +${groups.length}`) : across(shown(groups.flat())));
  for (const group of spans.thin(Array.from(starts, ([start, many]) => [start * scale, many]), room)) {
    const many = group.things.flat().sort((a, b) => a.rank - b.rank);
    const text = shown(many);
    const wide = across(text);
    const x = Math.max(0, Math.min(width - wide, group.x - 3));
    const first = many[0];
    const go = () => options.onpick(first.start);
    const badge = svg('g', { class: 'strip-badge', role: 'button', tabindex: 0,
      'data-ranks': many.map((r) => r.rank).slice(0, 50).join(' '),
      'aria-label': many.length === 1 ? model.describe(first, unit) : `Ranks ${text}: open rank ${first.rank}`,
      onclick: go, onkeydown: (event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); event.stopPropagation(); go(); } } },
      // What is only a place to begin at has no length to be drawn, so its tick goes through the strip.
      svg('line', { class: 'badge-tick', x1: group.x, x2: group.x, y1: 14,
        y2: bar + (many.some((r) => r.end === r.start) ? BAR : 3) }),
      svg('rect', { class: 'badge-ground', x, y: 0.5, width: wide, height: 15, rx: 4 }),
      svg('text', { class: 'badge-text', x: x + wide / 2, y: 11.5, 'text-anchor': 'middle' }, text));
    drawn.append(widgets.tip(badge, () => model.lines(many, unit)));
  }
  if (options.axis) {
    const below = axis(length, long);
    below.setAttribute('transform', `translate(0 ${BADGES + BAR + UNDER})`);
    drawn.append(below);
  }
  return drawn;
}

// Small samples for the legend.
export function swatch(kind) {
  const body = {
    found: svg('rect', { class: 'strip-found', x: 1, y: 1, width: 22, height: 14 }),
    missed: svg('rect', { class: 'strip-missed', fill: 'url(#dots-missed)', x: 1.75, y: 1.75, width: 20.5, height: 12.5 }),
    noise: svg('rect', { class: 'strip-noise', x: 1, y: 7, width: 22, height: 8 }),
    again: [svg('rect', { class: 'strip-noise', x: 1, y: 3, width: 22, height: 8 }),
      svg('rect', { fill: 'url(#stripes-again)', x: 1, y: 3, width: 22, height: 8 }),
      svg('rect', { class: 'strip-again', x: 1, y: 12.5, width: 22, height: 2.5 })],
    unjudged: [svg('rect', { class: 'strip-noise', x: 1, y: 7, width: 22, height: 8 }),
      svg('rect', { fill: 'url(#crosses-unjudged)', x: 1, y: 7, width: 22, height: 8 })],
    entry: svg('path', { class: 'strip-flag', d: 'M9 1V15M9 2l9 4l-9 4z' }),
  }[kind];
  return svg('svg', { class: 'swatch', width: 24, height: 16, 'aria-hidden': 'true' }, body);
}

const share = (part, whole, base) => (whole > 0
  ? el('span', { class: 'quiet' }, `${model.percent(part, whole)} of ${base}`) : null);

export function legend(made, runs, cuts, entries) {
  const bases = { found: 'relevant', missed: 'relevant', noise: 'retrieved', again: 'retrieved', unjudged: 'retrieved' };
  const rows = runs.map((run, i) => {
    const sum = model.totals(made, run, cuts[i]);
    const whole = { relevant: sum.found + sum.missed, retrieved: sum.found + sum.noise };
    // What nobody judged has a column of its own, where it is known.
    if (model.kinds(made).includes('unjudged')) sum.noise -= sum.unjudged;
    return el('tr', { 'data-run': run },
      runs.length > 1 || dom.data.runs.length > 1 ? el('th', { scope: 'row' }, dom.run(run, true, 26)) : null,
      model.kinds(made).map((kind) => el('td', { 'data-class': kind, 'data-run': run,
        'data-amount': Number(sum[kind].toPrecision(12)) },
        el('span', { class: 'amounts-key', 'aria-hidden': 'true' }, swatch(kind), ' ', model.SHORT[kind]),
        el('b', {}, model.count(sum[kind])), ' ', share(sum[kind], whole[bases[kind]], bases[kind]))));
  });
  return el('table', { class: 'amounts', 'data-cut': Number.isFinite(cuts[0]) ? cuts[0] : 'all', 'aria-label': made.unit ? `Classes, in ${made.unit}` : 'Classes' },
    el('thead', {}, el('tr', {}, dom.data.runs.length > 1 ? el(made.unit ? 'th' : 'td', { scope: made.unit ? 'col' : null, class: 'quiet' }, made.unit) : null,
      model.kinds(made).map((kind) => el('th', { scope: 'col', title: model.MEANING[kind] }, swatch(kind), ' ',
        model.SHORT[kind],
        dom.data.runs.length > 1 || !made.unit ? null : el('span', { class: 'quiet' }, ` ${made.unit}`))),
      entries ? el('th', { scope: 'col', class: 'amounts-entry' }, swatch('entry'), ' Best entry point') : null)),
    el('tbody', {}, rows));
}
