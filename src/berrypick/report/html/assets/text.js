/* Text: only the blocks in sight are in the page. */

import * as dom from './dom.js';
import { el } from './dom.js';
import * as widgets from './widgets.js';
import * as spans from './spans.js';
import * as model from './model.js';

// Lines of code with their numbers, which are not part of the text.
export function numbered(text, points, start, end) {
  const lines = [];
  for (let line = Math.max(0, start); line < Math.min(end, points.length); line += 1) {
    lines.push(el('span', { class: 'code-line', 'data-line': line + 1 },
      spans.visible(text.slice(points.unit(line), points.unit(line + 1)))));
  }
  return lines;
}

// {text, label, collapse} -> {element, mark(found, results, entries), jump(offset), next(offsets, direction), ...}
export function textPane({ text, label, collapse }) {
  const inLines = dom.data.kind === 'lines';
  const points = inLines ? spans.linePoints(text) : spans.codePoints(text);
  const cuts = inLines ? spans.lineBlocks(text, points) : spans.blocks(text);
  const borders = cuts.map(points.point); // the same in code points
  const element = el('div', { class: `text-pane${collapse ? ' collapse' : ''}`, tabindex: 0, role: 'region',
    'aria-label': label });
  const boxes = cuts.slice(0, -1).map((_, i) => el('div', { class: 'text-block', dir: 'auto', 'data-text-block': i }));
  const filled = new Set();
  let found = [];
  let starts = []; // [{at, results}], sorted
  let entries = [];
  let here = null; // where a jump went, in code points
  let unit = 'characters';
  element.append(...boxes);

  // What is not in the page has about this height; once it has been there, the right one.
  function estimate() {
    const across = Math.max(20, (element.clientWidth - 40) / 7.6);
    boxes.forEach((box, i) => {
      if (filled.has(i)) return;
      const lines = text.slice(cuts[i], cuts[i + 1]).split('\n').reduce((sum, line) => sum + Math.max(1,
        Math.ceil(line.length / across)), 0);
      box.style.height = `${Math.round(lines * 24)}px`;
    });
  }

  function piece(start, end, segment) {
    const shown = inLines ? numbered(text, points, start, end) : spans.visible(text.slice(points.unit(start), points.unit(end)));
    if (!segment || segment.kind === 'none') return inLines ? el('span', {}, shown) : document.createTextNode(shown);
    return el('mark', { class: `text-${segment.kind}${segment.again ? ' text-again' : ''}${segment.unjudged ? ' text-unjudged' : ''}`, 'data-kind': segment.kind,
      'data-start': start, 'data-end': end, 'data-ranks': segment.ranks.join(' ') || null }, shown);
  }

  function badge({ at, results }) {
    const ranks = results.map((result) => result.rank);
    return el('span', { class: 'text-badge', role: 'img', 'data-ranks': ranks.slice(0, 50).join(' '), 'data-at': at,
      'aria-label': `Rank ${spans.rankText(ranks)}` },
      spans.rankText(ranks, 2));
  }

  function fill(i) {
    const [low, high] = [borders[i], borders[i + 1]];
    const last = i === boxes.length - 1;
    const inside = (at) => at >= low && (at < high || (last && at === high));
    // Points at which something stands in the text: [place, element]
    const stops = [];
    for (let n = spans.above(starts, low - 1e-9,
      (s) => s.at); n < starts.length && inside(starts[n].at); n += 1) stops.push([starts[n].at, badge(starts[n])]);
    for (const entry of entries) if (inside(entry)) stops.push([entry,
      el('span', { class: 'text-flag', role: 'img', 'data-entry': entry, 'aria-label': 'Best entry point' }, '\u2691')]);
    if (here !== null && inside(here)) stops.push([here, el('span', { class: 'text-here', 'data-here': here })]);
    stops.sort((a, b) => a[0] - b[0]);
    const nodes = [];
    let at = low;
    let stop = 0;
    let n = spans.above(found, low, (segment) => segment.end);
    while (at < high || stop < stops.length) {
      while (stop < stops.length && stops[stop][0] <= at) nodes.push(stops[stop++][1]);
      if (at >= high) break;
      while (n < found.length && found[n].end <= at) n += 1;
      const segment = n < found.length && found[n].start <= at ? found[n] : null;
      const until = Math.min(high, segment ? segment.end : n < found.length ? found[n].start : high,
        stop < stops.length ? stops[stop][0] : high);
      nodes.push(piece(at, until, segment));
      at = until;
    }
    boxes[i].replaceChildren(...nodes);
    boxes[i].style.height = '';
    filled.add(i);
  }

  function empty(i) {
    boxes[i].style.height = `${boxes[i].offsetHeight}px`;
    boxes[i].replaceChildren();
    filled.delete(i);
  }

  const observer = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      const i = Number(target.dataset.textBlock);
      if (isIntersecting && !filled.has(i)) fill(i);
      else if (!isIntersecting && filled.has(i)) empty(i);
    }
  }, { root: element, rootMargin: '800px 0px' });

  const blockOf = (at) => Math.max(0, Math.min(boxes.length - 1, spans.above(borders, at) - 1));

  function jump(at) {
    const before = here;
    here = Math.max(0, Math.min(points.length, Math.floor(at)));
    const to = blockOf(here);
    if (before !== null && blockOf(before) !== to && filled.has(blockOf(before))) fill(blockOf(before));
    // The neighbours too, so that nothing above moves once the place is in sight.
    for (let i = Math.max(0, to - 2); i <= Math.min(boxes.length - 1, to + 2); i += 1) if (i === to || !filled.has(i)) fill(i);
    const mark = boxes[to].querySelector('.text-here');
    const box = element.getBoundingClientRect();
    element.scrollTop += mark.getBoundingClientRect().top - box.top - box.height / 3;
  }

  // Where reading is at present: the last jump while it is in sight, else the top of what is in sight.
  function current() {
    const box = element.getBoundingClientRect();
    const mark = element.querySelector('.text-here');
    if (mark) {
      const { top } = mark.getBoundingClientRect();
      if (top >= box.top - 2 && top <= box.bottom) return here;
    }
    const { block, share } = top();
    return borders[block] + share * (borders[block + 1] - borders[block]);
  }

  function top() {
    const first = boxes.findIndex((box) => box.offsetTop - element.offsetTop + box.offsetHeight > element.scrollTop);
    const block = first < 0 ? boxes.length - 1 : first;
    const { offsetTop, offsetHeight } = boxes[block];
    return { block, share: Math.max(0, (element.scrollTop - (offsetTop - element.offsetTop)) / Math.max(1, offsetHeight)) };
  }

  function showTop({ block, share }) {
    element.scrollTop = boxes[block].offsetTop - element.offsetTop + share * boxes[block].offsetHeight;
  }

  // The next of these offsets in a direction, round the end; null if there is none.
  function next(offsets, direction) {
    if (!offsets.length) return null;
    const at = current();
    const after = spans.above(offsets, at);
    let to = direction > 0 ? after : spans.above(offsets, at - 1e-9) - 1;
    to = (to + offsets.length) % offsets.length;
    return offsets[to];
  }

  function mark(segments, results, flags, measured = 'characters') {
    found = segments;
    unit = measured;
    entries = flags;
    const groups = new Map();
    for (const result of results) {
      if (result.start === null) continue;
      if (!groups.has(result.start)) groups.set(result.start, []);
      groups.get(result.start).push(result);
    }
    starts = Array.from(groups, ([at, many]) => ({ at, results: many })).sort((a, b) => a.at - b.at);
    const kept = element.scrollTop;
    filled.forEach(fill);
    element.scrollTop = kept;
  }

  // One listener for all marks: what is under the pointer.
  element.addEventListener('pointermove', (event) => {
    const target = event.target.closest('mark, .text-badge, .text-flag');
    if (!target) return widgets.tipHide();
    if (target.classList.contains('text-flag')) return widgets.tipAt(event.clientX, event.clientY, ['Best entry point']);
    if (target.classList.contains('text-badge')) {
      const group = starts[spans.above(starts, Number(target.dataset.at) - 1e-9, (s) => s.at)];
      return widgets.tipAt(event.clientX, event.clientY, model.lines(group.results, unit));
    }
    const segment = found[spans.above(found, Number(target.dataset.start), (s) => s.start) - 1];
    const ranks = segment.count ? `rank${segment.count > 1 ? 's' : ''} ${spans.rankText(segment.ranks, 5)}${segment.count > segment.ranks.length ? ' \u2026' : ''}` : 'no result';
    return widgets.tipAt(event.clientX, event.clientY,
      [model.MEANING[segment.unjudged ? 'unjudged' : segment.kind] + (segment.again ? `, by ${segment.count} results` : ''),
      `${model.stretch(segment.start, segment.end)} (${model.size(segment.end - segment.start, unit)}), ${ranks}`]);
  });
  element.addEventListener('pointerleave', widgets.tipHide);

  return {
    element, mark, jump, next, current, top, showTop, length: points.length,
    begin() { // once it is in the page and has a width
      estimate();
      boxes.forEach((box) => observer.observe(box));
    },
    end() { observer.disconnect(); },
  };
}
