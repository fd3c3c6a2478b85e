/* Places on pages: pages with what is found, missed, irrelevant and retrieved again, over the picture of the page where
   there is one, as outlines where there is none. A position in a document is its page plus the share of its height. */

import * as dom from './dom.js';
import { el, svg } from './dom.js';
import * as widgets from './widgets.js';
import * as spans from './spans.js';
import * as areas from './areas.js';
import * as model from './model.js';

const SHAPE = 1.294; // height of a page by its width, where nobody knows it
const THUMB = 84; // pixels across
const WIDEST = 820;
const THUMBS = 40; // pages in a row of small ones
const ROWS = 100; // documents
const AT_ONCE = 4; // pages drawn without waiting until they are in sight
const BADGE = 15; // badges nearer to each other are one

// Width and height, in the units of the boxes: the page's own, the picture's, or what the boxes need.
function shapeOf(made, doc, number, picture) {
  const { boxes } = made;
  const known = (boxes.sizes[doc] || {})[number];
  if (boxes.shares) return { units: [1, 1], ratio: known ? known[1] / known[0] : picture ? picture.size[1] / picture.size[0] : SHAPE };
  const page = areas.pagesOf(made)[doc].get(number);
  const all = [...page.relevant, ...page.runs.flat().map((result) => result.box)];
  const units = known || [2, 3].map((edge) => all.reduce((most, box) => Math.max(most, box[edge]), 1e-9));
  return { units, ratio: Math.min(10, Math.max(0.1, units[1] / units[0])) };
}

const rectangles = (cells, x, y) => cells.map(({ box: [a, b, c, d] }) =>
  `M${x(a).toFixed(2)} ${y(b).toFixed(2)}H${x(c).toFixed(2)}V${y(d).toFixed(2)}H${x(a).toFixed(2)}z`).join('');

// The drawing of a page, width pixels across.
function drawing(made, run, doc, number, k, width, picture, badges) {
  const page = areas.pagesOf(made)[doc].get(number);
  const { units, ratio } = shapeOf(made, doc, number, picture);
  const height = width * ratio;
  const x = (at) => (at / units[0]) * width;
  const y = (at) => (at / units[1]) * height;
  const found = areas.cellsOf(page, run, k);
  const sum = spans.totals(found);
  const of = (kind) => found.filter((cell) => cell.kind === kind);
  const name = dom.clean(made.block.documents[doc].name);
  const label = `${name}, page ${number + 1}: ${model.amounts(sum, made.unit)}`;
  const drawn = svg('svg', { class: 'page-boxes', viewBox: `0 0 ${width} ${height}`, role: badges ? 'group' : 'img', 'aria-label': label,
    'data-found': sum.found, 'data-missed': sum.missed, 'data-noise': sum.noise, 'data-again': sum.again },
  svg('path', { class: 'strip-noise', d: rectangles(of('noise'), x, y) }),
  svg('path', { class: 'strip-unjudged', fill: 'url(#crosses-unjudged)', d: rectangles(found.filter((cell) => cell.unjudged), x, y) }),
  svg('path', { class: 'strip-missed', fill: 'url(#dots-missed)', d: rectangles(of('missed'), x, y) }),
  svg('path', { class: 'strip-found', d: rectangles(of('found'), x, y) }),
  svg('path', { class: 'strip-stripes', fill: 'url(#stripes-again)', d: rectangles(found.filter((cell) => cell.again), x, y) }));
  if (!badges) return { drawn, height };
  const outline = (kind, box, start) => svg('rect', { class: `box-line ${kind}`, 'data-at': start, x: x(box[0]), y: y(box[1]),
    width: Math.max(1, x(box[2]) - x(box[0])), height: Math.max(1, y(box[3]) - y(box[1])) });
  const position = (box) => (made.boxes.shares ? number + box[1] : number);
  page.relevant.forEach((box) => drawn.append(outline('box-relevant', box, position(box))));
  const results = page.runs[run].filter((result) => result.rank <= k);
  results.forEach((result) => drawn.append(outline('box-result', result.box, result.start)));
  const groups = new Map();
  for (const result of results) {
    const key = `${Math.round(x(result.box[0]) / BADGE)} ${Math.round(y(result.box[1]) / BADGE)}`;
    groups.set(key, (groups.get(key) || []).concat(result));
  }
  for (const many of groups.values()) drawn.append(badge(many, x, y, width, made.unit));
  return { drawn, height };
}

function badge(many, x, y, width, measured) {
  const text = spans.rankText(many.map((result) => result.rank), 1);
  const wide = Math.max(BADGE, 7 + 6.6 * text.length);
  const left = Math.max(0, Math.min(width - wide, x(many[0].box[0])));
  const top = Math.max(0, y(many[0].box[1]) - 8);
  return widgets.tip(svg('g', { class: 'strip-badge', role: 'img', tabindex: 0, 'data-ranks': many.map(({ rank }) => rank).slice(0, 50).join(' '),
    'aria-label': model.lines(many, measured, 3).join('. ') },
  svg('rect', { class: 'badge-ground', x: left, y: top + 0.5, width: wide, height: BADGE, rx: 4 }),
  svg('text', { class: 'badge-text', x: left + wide / 2, y: top + 11.5, 'text-anchor': 'middle' }, text)), () => model.lines(many, measured));
}

async function pictureOf(made, doc, number) {
  const block = (made.block.documents[doc].pictures || {})[number];
  if (block === undefined) return null;
  const found = await dom.block(block);
  return /^data:image\/(png|jpeg);base64,/.test(found.picture) ? found : null;
}

// A page as a figure, drawn at once as an outline; its picture comes when it is unpacked.
export function pageFigure(made, run, doc, number, k, width, badges = true) {
  const sheet = el('div', { class: 'page-sheet', style: { maxWidth: `${width}px` } });
  const figure = el('figure', { class: 'page-figure', 'data-doc': doc, 'data-page': number + 1, 'data-run': run },
    sheet, el('figcaption', {}, badges ? `Page ${number + 1}` : `${number + 1}`));
  const draw = (picture) => {
    const { drawn, height } = drawing(made, run, doc, number, k, width, picture, badges);
    sheet.style.aspectRatio = `${width} / ${height}`;
    sheet.classList.toggle('with-picture', Boolean(picture));
    dom.fill(sheet, picture ? el('img', { src: picture.picture, alt: '', decoding: 'async' }) : null, drawn);
  };
  draw(null);
  if (badges) {
    pictureOf(made, doc, number).then((picture) => { if (picture) draw(picture); },
      () => figure.append(el('p', { class: 'quiet small' }, 'Its picture cannot be unpacked.')));
  }
  return figure;
}

// Documents with small pages, for choosing.
export function pageRows(made, runs, k, open) {
  const documents = areas.pagesOf(made);
  const any = (page) => page.relevant.length || runs.some((run) => page.runs[run].some((result) => result.rank <= k));
  const shown = made.block.documents.map((_, doc) => doc).filter((doc) => Array.from(documents[doc].values()).some(any));
  const rows = shown.slice(0, ROWS).map((doc) => {
    const { name, relevant } = made.block.documents[doc];
    const pages = Array.from(documents[doc]).filter(([, page]) => any(page));
    const first = ([number, page]) => (made.boxes.shares ? number + Math.min(1, ...[...page.relevant, ...runs.flatMap((run) => page.runs[run].map((r) => r.box))].map((box) => box[1])) : number);
    return el('section', { class: 'strip-row page-row', 'data-doc': doc, 'data-runs': runs.length },
      el('div', { class: 'strip-head' },
        el('button', { type: 'button', class: 'strip-name', title: 'Open this document', onclick: () => open(doc, first(pages[0])) }, dom.name(name)),
        el('span', { class: 'quiet' }, `${dom.plural(pages.length, 'page')}${relevant ? `, ${model.count(relevant)} relevant ${made.unit}` : ''}`)),
      runs.map((run) => el('div', { class: 'strip-line', 'data-run': run },
        runs.length > 1 ? el('span', { class: 'letter', style: { color: dom.colour(run) } }, dom.data.runs[run].label) : null,
        el('div', { class: 'page-thumbs' }, pages.slice(0, THUMBS).map((one) => el('button', { type: 'button', class: 'page-thumb',
          'aria-label': `Open page ${one[0] + 1}`, onclick: () => open(doc, first(one)) },
        pageFigure(made, run, doc, one[0], k, THUMB, false))),
        pages.length > THUMBS ? el('span', { class: 'quiet' }, `and ${model.count(pages.length - THUMBS)} more`) : null))));
  });
  if (shown.length > ROWS) rows.push(el('p', { class: 'quiet' }, `${model.count(shown.length - ROWS)} more documents are not drawn.`));
  return rows.length ? rows : [el('p', { class: 'quiet' }, 'No document has anything relevant, or results up to this rank.')];
}

// The pages of one document, large, in a pane that scrolls; the same functions as a pane of text.
export function pagesPane(made, run, doc, label) {
  const pages = Array.from(areas.pagesOf(made)[doc].keys());
  const element = el('div', { class: 'text-pane pages-pane', tabindex: 0, role: 'region', 'aria-label': label });
  const holders = pages.map((number) => el('div', { class: 'page-holder', 'data-holder': number + 1 }));
  const filled = new Set();
  let k = Infinity;
  let here = null;
  element.append(...holders);
  if (!pages.length) element.append(el('p', { class: 'quiet' }, 'Nothing relevant and no results in this document.'));
  const width = () => Math.max(200, Math.min(WIDEST, element.clientWidth - 40));
  const observer = new IntersectionObserver((changes) => changes.forEach(({ isIntersecting, target }) => {
    const i = holders.indexOf(target);
    if (isIntersecting && !filled.has(i)) fill(i);
  }), { root: element, rootMargin: '600px 0px' });

  function fill(i) {
    filled.add(i);
    dom.fill(holders[i], pageFigure(made, run, doc, pages[i], k, width()));
    holders[i].style.minHeight = '';
    lit();
  }

  function lit() {
    element.querySelectorAll('.box-line').forEach((line) => line.classList.toggle('box-here', here !== null && Math.abs(Number(line.dataset.at) - here) < 1e-9));
  }

  function mark(upTo) {
    k = upTo;
    holders.forEach((holder, i) => {
      if (filled.has(i) || i < AT_ONCE) fill(i);
      else holder.style.minHeight = `${width() * shapeOf(made, doc, pages[i], null).ratio}px`;
      observer.observe(holder);
    });
  }

  const holderOf = (at) => {
    const i = pages.indexOf(Math.floor(at + 1e-9));
    return i < 0 ? 0 : i;
  };
  const offset = (at) => {
    const i = holderOf(at);
    const sheet = holders[i].querySelector('.page-sheet');
    return holders[i].offsetTop + (sheet ? sheet.offsetHeight : 0) * (at - pages[i]);
  };

  function jump(at) {
    if (!pages.length) return;
    here = at;
    const i = holderOf(at);
    for (let near = Math.max(0, i - 1); near <= Math.min(holders.length - 1, i + 1); near += 1) if (!filled.has(near)) fill(near);
    element.scrollTop = offset(at) - element.clientHeight / 3;
    element.dataset.at = at;
    lit();
  }

  function current() {
    if (here !== null && pages.length) {
      const at = offset(here) - element.scrollTop;
      if (at >= -2 && at <= element.clientHeight) return here;
    }
    const i = holders.findIndex((holder) => holder.offsetTop + holder.offsetHeight > element.scrollTop);
    return i < 0 ? 0 : pages[i] + Math.max(0, Math.min(0.999, (element.scrollTop - holders[i].offsetTop) / Math.max(1, holders[i].offsetHeight)));
  }

  function next(positions, direction) {
    if (!positions.length) return null;
    const at = current();
    const to = direction > 0 ? spans.above(positions, at + 1e-9) : spans.above(positions, at - 1e-9) - 1;
    return positions[(to + positions.length) % positions.length];
  }

  return { element, mark, jump, next, current, top: () => element.scrollTop, showTop: (at) => { element.scrollTop = at; },
    begin() {}, end() { observer.disconnect(); } };
}
