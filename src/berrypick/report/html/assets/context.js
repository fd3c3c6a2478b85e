/* The results in rank order as text, the way a model would read them; what is relevant in them is marked. */

import * as dom from './dom.js';
import { el } from './dom.js';
import * as app from './app.js';
import * as spans from './spans.js';
import * as model from './model.js';
import * as choosing from './choosing.js';
import * as strips from './strips.js';
import * as texts from './text.js';
import * as sheets from './boxes.js';

const FIRST = 20; // results shown at once; more on request
const LONG = 20000; // characters of one result

let page = null; // the elements of the view
let made = null; // the topic
let token = 0; // the latest request; what an older one brings is dropped
const measured = new WeakMap(); // block of a document -> its code points

function points(content) {
  if (!measured.has(content)) measured.set(content,
    dom.data.kind === 'lines' ? spans.linePoints(content.text) : spans.codePoints(content.text));
  return measured.get(content);
}

function build(element) {
  strips.patterns();
  page = { bar: choosing.bar(), notice: el('div'), title: el('div'), legend: el('div', { class: 'wide legend-box' }),
    columns: el('div', { class: 'context-columns' }) };
  page.body = el('div', {}, page.title, page.legend, page.columns);
  dom.fill(element, page.bar.element, page.notice, page.body);
}

async function show(element, state, changed) {
  if (!page || changed.has('first')) build(element);
  page.bar.update(state);
  const topic = choosing.topicOf(state);
  const mine = ++token;
  if (!made || made.topic !== topic) {
    const block = await choosing.load(page.notice, topic);
    if (mine !== token) return;
    page.body.hidden = !block;
    made = null;
    if (!block) return;
    dom.fill(page.notice);
    made = Object.assign(Object.create(model.modelOf(block)), { topic });
  }
  dom.fill(page.title, choosing.heading(made.block));
  const runs = choosing.shownRuns(state);
  dom.fill(page.legend, strips.legend(made, runs, runs.map(() => Infinity), false));
  const columns = runs.map((run) => el('div', { class: 'context-column', 'data-run': run },
    el('h3', {}, dom.run(run))));
  dom.fill(page.columns, columns);
  page.columns.classList.toggle('two', runs.length > 1);
  await Promise.all(runs.map((run, i) => fillColumn(columns[i], run, mine)));
  if (mine === token) element.dataset.shown = `${topic}`;
}

async function fillColumn(column, run, mine) {
  const { results } = made.runs[run];
  const list = el('ol', { class: 'context-list' });
  column.append(results.length ? list : el('p', { class: 'quiet' }, 'No results for this topic.'));
  await add(list, run, 0, mine);
  if (mine !== token) return;
  const missed = missing(run);
  if (!missed.length) return;
  const texts = el('ol', { class: 'context-list', 'data-list': 'missed' });
  column.append(el('h4', {}, 'Relevant, and in none of these results'), texts);
  for (const { doc, start, end } of missed.slice(0, FIRST)) {
    const content = await contentOf(doc);
    if (mine !== token) return;
    texts.append(item(el('span', { class: 'text-badge none' }, '\u2013'), doc, [model.stretch(start, end)],
      content && content.text !== null ? passage(content, start, end, [{ start, end, kind: 'missed' }]) : null));
  }
  if (missed.length > FIRST) column.append(el('p', { class: 'quiet' }, `and ${missed.length - FIRST} more`));
}

async function add(list, run, from, mine) {
  const { results } = made.runs[run];
  for (const result of results.slice(from, from + FIRST)) {
    const content = await contentOf(result.doc);
    if (mine !== token) return;
    list.append(entry(result, run, content));
  }
  if (results.length > from + FIRST) {
    const more = el('li', {}, el('button', { type: 'button', class: 'more', onclick: () => {
      more.remove();
      add(list, run, from + FIRST, mine);
    } }, `${model.count(results.length - from - FIRST)} more`));
    list.append(more);
  }
}

const contentOf = async (doc) => {
  const { block } = made.block.documents[doc];
  return block === null || block === undefined ? null : dom.block(block);
};

function entry(result, run, content) {
  const { doc, rank } = result;
  const facts = model.facts(result, made.unit);
  let text = null;
  if (content && content.text !== null && made.placed && result.start !== null) {
    text = passage(content, result.start, result.end, model.segments(made, run, doc, rank));
  } else if (content && content.text !== null && !made.placed && !result.path) {
    text = passage(content, 0, points(content).length, []);
  } else if (result.place) {
    text = sheets.pageFigure(made, run, doc, result.place[0], rank, 360);
  }
  const badge = el('span', { class: 'text-badge', 'data-ranks': rank }, String(rank));
  const line = item(badge, doc, [facts], text);
  line.dataset.rank = rank;
  line.dataset.relevant = result.relevant === null ? '' : result.relevant;
  return line;
}

function item(badge, doc, facts, text) {
  const open = () => app.go({ view: 'documents', document: doc, rank: null });
  return el('li', {}, el('div', { class: 'context-head' }, badge,
    el('button', { type: 'button', class: 'strip-name', title: 'Open this document', onclick: open },
      dom.name(made.block.documents[doc].name)),
    el('span', { class: 'quiet small' }, facts.join(', '))),
  text || (['seconds', 'pages'].includes(dom.data.kind) ? null : el('p', { class: 'quiet small', 'data-missing-text': '' },
    'Its text is not in this page.')));
}

/* A stretch of a document with marks; white space as in the document, so that a model's view is a person's. */
function passage(content, start, end, segments) {
  const { unit } = points(content);
  const until = Math.min(end, start + LONG);
  const nodes = [];
  const put = (low, high, segment) => {
    const code = dom.data.kind === 'lines';
    const shown = code ? texts.numbered(content.text, points(content), low, high) : spans.visible(content.text.slice(unit(low), unit(high)));
    nodes.push(!segment || segment.kind === 'none' || segment.kind === 'noise' && !segment.again ? (code ? el('span', {}, shown) : document.createTextNode(shown)) :
      el('mark', { class: `text-${segment.kind}${segment.again ? ' text-again' : ''}`, 'data-kind': segment.kind }, shown));
  };
  let at = start;
  for (const segment of segments) {
    const low = Math.max(at, segment.start), high = Math.min(until, segment.end);
    if (high <= low) continue;
    if (low > at) put(at, low, null);
    put(low, high, segment);
    at = high;
  }
  if (at < until) put(at, until, null);
  return el('div', { class: `text-pane context-text${content.tree ? ' collapse' : ''}` },
    el('div', { class: 'text-block', dir: 'auto' }, nodes),
    until < end ? el('p', { class: 'quiet small' }, `and ${model.count(end - until)} more characters`) : null);
}

/* Relevant stretches that no result of a run covers, document by document. */
function missing(run) {
  if (!made.placed) return [];
  return made.block.documents.flatMap((_, doc) => (made.relevant[doc].length ? model.segments(made, run, doc, Infinity) : [])
    .filter((segment) => segment.kind === 'missed').map(({ start, end }) => ({ doc, start, end })));
}

app.view('context', { title: 'Context', show });
[['j', 1], ['ArrowRight', 1], ['k', -1], ['ArrowLeft', -1]].forEach(([key, change]) =>
  app.key('context', key, change > 0 ? 'Next topic' : 'Previous topic', () => choosing.step(change)));
