/* The neighbourhood in a link graph. */

import * as dom from './dom.js';
import { el, svg } from './dom.js';
import * as widgets from './widgets.js';
import * as model from './model.js';

const MOST_UNITS = 40;
const MOST_EDGES = 120;
const ROW = 26;

export function graph(block, run, k, width) {
  const { units, edges } = block.links;
  const rankOf = (unit) => {
    const rank = unit.rank[run];
    return rank !== null && rank !== undefined && rank <= k ? rank : null;
  };
  const name = (unit) => dom.clean(units[unit].name);
  const retrieved = units.map((_, i) => i).filter((i) => rankOf(units[i]) !== null);
  const targets = units.map((_, i) => i).filter((i) => units[i].target !== null);
  // From what is retrieved to what is wanted, and a step between where there is one.
  const isTarget = new Set(targets);
  const isRetrieved = new Set(retrieved);
  const known = edges.filter(([from, to]) => isRetrieved.has(from) && isTarget.has(to) && from !== to);
  const other = edges.filter(([from, to]) => isRetrieved.has(from) && !isTarget.has(to) && from !== to);
  const strongest = known.slice().sort((a, b) => b[2] - a[2]).slice(0, MOST_EDGES);
  // Crowded: first the retrieved units that lead somewhere, by rank.
  let left = retrieved.slice().sort((a, b) => rankOf(units[a]) - rankOf(units[b]));
  let right = targets;
  if (left.length + right.length > MOST_UNITS) {
    const half = MOST_UNITS / 2;
    right = targets.slice().sort((a, b) => best(strongest, 1, b) - best(strongest, 1, a)).slice(0,
      Math.max(half, MOST_UNITS - left.length));
    const to = new Set(right);
    const leading = strongest.filter((edge) => to.has(edge[1]));
    const worth = (unit) => Number(isTarget.has(unit)) + best(leading, 0, unit); // targets themselves come first
    left = left.slice().sort((a, b) => worth(b) - worth(a))
      .slice(0, MOST_UNITS - right.length).sort((a, b) => rankOf(units[a]) - rankOf(units[b]));
  }
  const row = { left: new Map(left.map((u, i) => [u, i])), right: new Map(right.map((u, i) => [u, i])) };
  const drawn = strongest.filter(([from, to]) => row.left.has(from) && row.right.has(to));
  const tall = Math.max(left.length, right.length, 1);
  const height = tall * ROW + 30;
  const letters = Math.max(6, ...left.concat(right).map((unit) => name(unit).length));
  const column = Math.min(48 + 7.7 * letters, 270, width * 0.38);
  const y = (side, unit) => 34 + (row[side].get(unit) + (tall - row[side].size) / 2) * ROW;
  const [x1, x2] = [column, width - column];
  const short = (unit) => {
    const text = name(unit);
    const room = Math.floor((column - 48) / 7.3);
    return text.length > room ? `${text.slice(0, Math.max(1, room - 1))}\u2026` : text;
  };
  const picture = svg('svg', { class: 'links', width, height, role: 'group',
    'aria-label': 'Links from retrieved units to targets' },
    svg('text', { class: 'links-head', x: 0, y: 12 }, 'retrieved, by rank'),
    svg('text', { class: 'links-head', x: x2 - 6, y: 12 }, 'wanted'));
  const curve = (from, to) => {
    const [low, high, middle] = [y('left', from), y('right', to), (x1 + x2) / 2];
    return `M${x1} ${low}C${middle} ${low} ${middle} ${high} ${x2} ${high}`;
  };
  for (const unit of left) { // what is retrieved itself is seen at once
    if (row.right.has(unit)) picture.append(widgets.tip(svg('path', { class: 'link link-self', tabindex: -1,
      d: curve(unit, unit), 'data-from': unit, 'data-to': unit }), () => [`${name(unit)} is itself wanted`]));
  }
  for (const [from, to, p] of drawn) {
    const label = `${name(from)} \u2192 ${name(to)}: ${Number(p.toPrecision(4))}`;
    const line = svg('path', { class: 'link', d: curve(from, to), tabindex: 0, role: 'img', 'aria-label': label,
      'data-from': from, 'data-to': to, 'data-p': p,
      'stroke-width': (1 + 7 * p).toFixed(2), 'stroke-opacity': (0.3 + 0.6 * p).toFixed(2) });
    picture.append(widgets.tip(line, () => [label]));
  }
  // Everything about one unit lights up with it.
  const light = (side, unit) => () => picture.querySelectorAll('.link').forEach((line) => {
    line.classList.toggle('lit', unit !== null && line.dataset[side] === String(unit));
    line.classList.toggle('dim', unit !== null && line.dataset[side] !== String(unit));
  });
  const node = (side, unit, x, anchor) => {
    const at = y(side, unit);
    const rank = rankOf(units[unit]);
    const sum = drawn.filter((edge) => edge[side === 'left' ? 0 : 1] === unit);
    const g = svg('g', { class: `link-unit${isTarget.has(unit) ? ' link-target' : ''}`, tabindex: 0, role: 'img',
      'data-unit': unit,
      'aria-label': `${name(unit)}${rank !== null ? `, rank ${rank}` : ', not retrieved'}${isTarget.has(unit) ? ', wanted' : ''}` });
    if (side === 'left') g.append(svg('rect', { class: 'badge-ground', x: 0, y: at - 8, width: 26, height: 16,
      rx: 4 }), svg('text', { class: 'badge-text', x: 13, y: at + 4, 'text-anchor': 'middle' }, String(rank)));
    g.append(svg('text', { class: 'link-name', x: side === 'left' ? 32 : x + 12, y: at + 4, 'text-anchor': anchor },
      short(unit)));
    g.append(isTarget.has(unit)
      ? svg('rect', { class: `link-dot ${rank !== null ? 'dot-found' : 'dot-missed'}`, x: x - 5, y: at - 5,
        width: 10, height: 10 })
      : svg('circle', { class: 'link-dot dot-noise', cx: x, cy: at, r: 4.5 }));
    const key = side === 'left' ? 'from' : 'to';
    g.addEventListener('pointerenter', light(key, unit));
    g.addEventListener('pointerleave', light(key, null));
    g.addEventListener('focus', light(key, unit));
    g.addEventListener('blur', light(key, null));
    return widgets.tip(g, () => [name(unit), ...(isTarget.has(unit) ? ['wanted'] : []),
      rank !== null ? `retrieved at rank ${rank}` : 'not retrieved',
      ...sum.slice(0, 6).map(([from, to, p]) => `${name(side === 'left' ? to : from)}: ${Number(p.toPrecision(4))}`)]);
  };
  left.forEach((unit) => picture.append(node('left', unit, x1, 'start')));
  right.forEach((unit) => picture.append(node('right', unit, x2, 'start')));
  const hiddenUnits = retrieved.length + targets.length - left.length - right.length;
  const hidden = known.length - drawn.length;
  const notes = [];
  if (hidden || hiddenUnits) notes.push(`Not shown: ${model.count(hidden)} of ${model.count(known.length)} links and ${model.count(hiddenUnits)} units; these are the strongest.`);
  if (other.length) notes.push(`${dom.plural(other.length, 'more link')} from retrieved units to units that are not wanted.`);
  return el('div', { class: 'links-box', 'data-links': drawn.length, 'data-hidden': hidden }, picture,
    notes.map((note) => el('p', { class: 'quiet' }, note)));
}

const best = (edges, side, unit) => edges.reduce((most, edge) => (edge[side] === unit ? Math.max(most, edge[2]) : most), 0);
