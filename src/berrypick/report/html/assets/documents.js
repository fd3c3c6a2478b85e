/* The document view: where the results of a topic fall in the documents. Strips at true scale, the text with the same
   marks, the element tree of XML, timelines of video, lists of whole documents, and the neighbourhood in a link graph. */

import * as dom from './dom.js';
import { el, svg } from './dom.js';
import * as widgets from './widgets.js';
import * as app from './app.js';
import * as spans from './spans.js';
import * as model from './model.js';
import * as choosing from './choosing.js';
import * as strips from './strips.js';
import * as texts from './text.js';
import * as trees from './tree.js';
import * as neighbours from './links.js';
import * as sheets from './boxes.js';

const AT_ONCE = 40; // rows drawn without waiting until they are in sight
const LISTED = 100; // rows of a list before one must ask for more

let page = null; // the elements of the view
let made = null; // the topic
let panes = []; // text panes in sight, one per run
let pending = null; // where to go in the text once it is there
let token = 0; // the latest request; what an older one brings is dropped
let frame = 0;

// Each document to the width: as was asked for, else where short ones would vanish beside a long one.
const fits = (state) => (state.fit === 1 || state.fit === 0 ? state.fit === 1 : model.uneven(made));
const cutOf = (state) => (Number.isInteger(state.rank) ? Math.max(0, state.rank) : Infinity);

function build(element) {
  strips.patterns();
  const bar = choosing.bar();
  const fit = el('input', { type: 'checkbox', 'data-control': 'fit',
    onchange: (event) => app.go({ fit: Number(event.target.checked) === Number(model.uneven(made)) ? null : Number(event.target.checked) }) });
  const slider = el('input', { type: 'range', min: 0, step: 1, 'data-control': 'rank', 'aria-label': 'Results up to rank',
    oninput: (event) => {
      const value = Number(event.target.value);
      app.go({ rank: value >= Number(event.target.max) ? null : value });
    } });
  const cut = el('output', { class: 'cut-value' });
  slider.addEventListener('keydown', (event) => event.stopPropagation()); // arrows move the slider here, not the topic
  page = { bar, fit, slider, cut, notice: el('div'), body: el('div', { class: 'documents-body' }),
    title: el('div'), legend: el('div', { class: 'wide legend-box' }), notes: el('div'), strips: el('div', { class: 'strips' }),
    reading: el('div', { class: 'reading' }), links: el('div', { class: 'links-part' }) };
  page.controls = el('div', { class: 'controls cut' }, choosing.labelled('Results up to rank', slider, cut),
    el('label', { class: 'check' }, fit, el('span', { class: 'pick-name' }, 'fit each document to the width')));
  page.body.append(page.title, page.legend, page.controls, page.notes, page.strips, page.reading, page.links);
  dom.fill(element, bar.element, page.notice, page.body);
  new ResizeObserver(() => {
    const width = page.body.clientWidth;
    if (!made || !width || Math.abs(width - page.width) < 4) return;
    drawStrips();
    drawLinks(app.state);
  }).observe(page.body);
  window.addEventListener('beforeprint',
    () => { if (app.state.view === 'documents' && page.rows) page.rows.slice(0, 200).forEach((row) => row.draw()); });
}

async function show(element, state, changed) {
  if (!page || changed.has('first')) build(element);
  page.bar.update(state);
  const topic = choosing.topicOf(state);
  const mine = ++token;
  if (changed.has('first') || changed.has('topic') || !made || made.topic !== topic) {
    const block = await choosing.load(page.notice, topic);
    if (mine !== token) return;
    page.body.hidden = !block;
    made = null;
    if (!block) return;
    dom.fill(page.notice);
    made = Object.assign(Object.create(model.modelOf(block)), { topic });
    changed = new Set(['first']);
  }
  const any = (...names) => changed.has('first') || names.some((name) => changed.has(name));
  if (changed.has('first')) dom.fill(page.title, choosing.heading(made.block));
  if (any('rank', 'run', 'versus', 'both', 'fit')) {
    cancelAnimationFrame(frame);
    const redraw = () => {
      drawControls(state);
      drawStrips();
      markText();
      drawLinks(state);
    };
    if (changed.has('first')) redraw();
    else frame = requestAnimationFrame(redraw);
  }
  if (any('document', 'run', 'versus', 'both')) await drawReading(state, mine);
  element.dataset.shown = `${topic}`;
}

function drawControls(state) {
  const runs = choosing.shownRuns(state);
  const most = Math.max(0, ...runs.map((run) => made.runs[run].results.reduce((top, result) => Math.max(top, result.rank), 0)));
  page.slider.max = String(most);
  page.slider.value = String(Math.min(most, cutOf(state)));
  const value = Number(page.slider.value);
  page.cut.textContent = value >= most ? `all ${model.count(most)}` : `${model.count(value)} of ${model.count(most)}`;
  page.slider.setAttribute('aria-valuetext', page.cut.textContent);
  page.controls.hidden = most === 0;
  page.fit.checked = fits(state);
  page.fit.parentElement.hidden = !made.placed || made.block.documents.length < 2;
  dom.fill(page.legend, strips.legend(made, runs, runs.map(() => cutOf(state)), made.block.entries.length));
  const notes = [];
  const silent = runs.filter((run) => !made.runs[run].results.length);
  if (silent.length) {
    notes.push(el('p', { class: 'notice calm', 'data-unanswered': silent.join(' ') },
      silent.map((run, i) => [i ? ' and ' : null, dom.run(run,
        true)]), ` ${silent.length > 1 ? 'give' : 'gives'} no results for this topic.`));
  }
  for (const run of runs) {
    const { shown, ranks, results } = made.runs[run];
    if (results.length && results[results.length - 1].rank < ranks) {
      notes.push(el('p', { class: 'quiet', 'data-shown-results': shown }, dom.run(run, true),
        `: the first ${model.count(shown)} results of ${model.count(ranks)} ranks are in this page; --depth puts more of them in.`));
    }
  }
  dom.fill(page.notes, notes);
}

/* -- strips, or lists where no places are known -- */

function drawStrips() {
  const {state} = app;
  const runs = choosing.shownRuns(state);
  if (page.watch) page.watch.disconnect();
  page.width = page.body.clientWidth;
  page.strips.classList.remove('bounded');
  if (made.boxes) return dom.fill(page.strips, sheets.pageRows(made, runs, cutOf(state), openPage));
  if (!made.placed) return made.paths ? drawTrees(runs, cutOf(state)) : drawLists(runs, cutOf(state));
  const k = cutOf(state);
  const docs = made.block.documents.map((_, doc) => doc)
    .filter((doc) => made.relevant[doc].length || runs.some((run) => made.runs[run].placed[doc].some((result) => result.rank <= k)));
  const width = Math.max(240,
    page.body.clientWidth - (runs.length > 1 ? 26 : 0) - (docs.length > 4 ? 22 : 4)); // room for a scroll bar
  const longest = Math.max(1, ...docs.map((doc) => model.extent(made, doc)));
  const top = page.strips.scrollTop;
  page.rows = docs.map((doc) => stripRow(doc, runs, k, width, longest, fits(state)));
  const whole = fits(state) ? null : svg('svg', { class: 'strip-axis', width, height: 17 }, strips.axis(longest, width));
  dom.fill(page.strips, whole ? el('div', { class: `axis-row${runs.length > 1 ? ' indented' : ''}` },
    whole) : null, page.rows.map((row) => row.element),
    docs.length ? null : el('p', { class: 'quiet' }, 'No document has anything relevant, or results up to this rank.'));
  page.strips.classList.toggle('bounded', docs.length > 4 && made.block.documents.some((document) => document.block !== null));
  page.strips.scrollTop = top;
  page.watch = new IntersectionObserver((changes) => changes.forEach((change) => {
    if (change.isIntersecting) page.rows.find((row) => row.element === change.target).draw();
  }), { rootMargin: '600px' });
  page.rows.forEach((row, i) => (i < AT_ONCE ? row.draw() : page.watch.observe(row.element)));
  chooseRow(state);
}

function openPage(doc, at) {
  pending = at;
  if (chosenDocument(app.state) === doc && panes.length) goText(at);
  else app.go({ document: doc });
}

function stripRow(doc, runs, k, width, longest, fit) {
  const { name, relevant } = made.block.documents[doc];
  const length = model.extent(made, doc);
  const scale = width / (fit ? Math.max(length, 1e-9) : longest);
  const open = (at) => {
    pending = at;
    if (app.state.document === doc && panes.length) goText(at);
    else app.go({ document: doc });
  };
  const text = [model.size(length, made.unit)];
  if (made.unit === 'seconds') text[0] = model.clock(length);
  if (relevant) text.push(`${made.unit === 'seconds' ? model.size(relevant, 'seconds') : model.count(relevant)} relevant`);
  const element = el('section', { class: 'strip-row', 'data-doc': doc, 'data-runs': runs.length },
    el('div', { class: 'strip-head' },
      el('button', { type: 'button', class: 'strip-name', title: 'Open this document',
        onclick: () => open(firstPlace(doc, runs, k)) }, dom.name(name)),
      el('span', { class: 'quiet' }, text.join(', '))));
  let drawn = false;
  return {
    element,
    draw() {
      if (drawn) return;
      drawn = true;
      for (const run of runs) {
        const found = model.segments(made, run, doc, k);
        const results = made.runs[run].placed[doc].filter((result) => result.rank <= k && result.start !== null);
        const sum = spans.totals(found);
        element.append(el('div', { class: 'strip-line', 'data-run': run, 'data-found': sum.found,
          'data-missed': sum.missed, 'data-noise': sum.noise, 'data-again': sum.again, 'data-unjudged': sum.unjudged },
          runs.length > 1 ? el('span', { class: 'letter', style: { color: dom.colour(run) } },
            dom.data.runs[run].label) : null,
          strips.strip({ width, scale, length, found, results, entries: made.entries[doc], unit: made.unit, axis: fit,
            onpick: open,
            label: `${dom.clean(name)}, ${dom.clean(dom.data.runs[run].name)}: ${model.amounts(sum, made.unit)}` })));
      }
    },
  };
}

// Where to begin with a document: its first relevant text, else its best result.
function firstPlace(doc, runs, k) {
  if (made.relevant[doc].length) return made.relevant[doc].reduce((least, span) => Math.min(least, span[0]), Infinity);
  const result = runs.flatMap((run) => made.runs[run].placed[doc]).find((each) => each.start !== null && each.rank <= k);
  return result ? result.start : 0;
}

function chooseRow(state) {
  const chosen = chosenDocument(state);
  page.strips.querySelectorAll('.strip-row').forEach((row) => row.classList.toggle('chosen',
    Number(row.dataset.doc) === chosen));
}

function drawLists(runs, k) {
  const columns = runs.map((run) => {
    const units = model.units(made, run, k);
    const ranked = made.runs[run].results.filter((result) => result.rank <= k);
    const wanted = new Set(units.filter((unit) => unit.target !== null).map((unit) => unit.doc));
    const seen = new Set();
    const rows = ranked.map((result) => {
      const again = seen.has(result.doc);
      seen.add(result.doc);
      return { kind: wanted.has(result.doc) ? 'found' : 'noise', again, result, doc: result.doc };
    });
    const missed = units.filter((unit) => unit.kind === 'missed').map((unit) => ({ kind: 'missed', again: false,
      result: null, doc: unit.doc }));
    return el('div', { class: 'unit-column', 'data-run': run },
      runs.length > 1 ? el('h3', {}, dom.run(run)) : null,
      rows.some(({ result }) => result.score !== null) ? el('div', { class: 'unit unit-head quiet', 'aria-hidden': 'true' },
        el('span', {}, 'rank'), el('span', { class: 'score' }, 'score')) : null,
      list(rows, 'ranked'),
      missed.length ? [el('h4', {}, 'Missed'), list(missed, 'missed')] : null);
  });
  dom.fill(page.strips, el('div', { class: 'unit-columns' }, columns));
}

function list(rows, name) {
  const items = el('ol', { class: 'unit-list', 'data-list': name });
  const add = (from) => {
    rows.slice(from, from + LISTED).forEach(({ kind, again, result, doc }) => {
      const item = el('li', { class: `unit unit-${kind}${again ? ' unit-again' : ''}`, 'data-kind': kind, 'data-doc': doc },
        result ? el('span', { class: 'text-badge', 'data-ranks': result.rank }, String(result.rank)) : el('span',
          { class: 'text-badge none' }, '\u2013'),
        strips.swatch(again ? 'again' : kind),
        el('button', { type: 'button', class: 'strip-name', onclick: () => app.go({ document: doc }) },
          dom.name(made.block.documents[doc].name)),
        el('span', { class: 'quiet' }, again ? 'repeated' : { found: 'relevant', noise: 'not relevant',
          missed: 'not retrieved' }[kind]),
        result && result.score !== null ? el('span', { class: 'quiet score' }, el('span', { class: 'unseen' }, 'score '),
          String(Number(result.score.toPrecision(6)))) : null);
      if (result) widgets.tip(item, () => [model.describe(result, made.unit)]);
      items.append(item);
    });
    if (rows.length > from + LISTED) {
      const more = el('li', {}, el('button',
        { type: 'button', class: 'more',
        onclick: () => { more.remove(); add(from + LISTED); } }, `${model.count(rows.length - from - LISTED)} more`));
      items.append(more);
    }
  };
  add(0);
  return items;
}

function drawTrees(runs, k) {
  const columns = runs.map((run) => {
    const units = model.units(made, run, k);
    const docs = Array.from(new Set(units.map((unit) => unit.doc)));
    return el('div', { class: 'unit-column', 'data-run': run }, runs.length > 1 ? el('h3', {}, dom.run(run)) : null,
      docs.slice(0, LISTED).map((doc) => {
        const own = units.filter((unit) => unit.doc === doc);
        const root = trees.treeFromPaths(own.map((unit) => unit.path || '/'));
        const of = new Map();
        for (const unit of own) {
          const node = unit.path ? trees.byPath(root, unit.path) : root;
          if (!node) continue;
          node.ranks = unit.ranks;
          node.target = unit.target !== null;
          of.set(node, unit);
        }
        const tree = trees.treePane({ root, label: `Elements of ${dom.clean(made.block.documents[doc].name)}`, pick: () => {},
          mark: (node) => (of.has(node) ? { kind: of.get(node).kind, again: of.get(node).again } : { size: 0 }) });
        Array.from(of.keys()).slice(0, 300).forEach(tree.reveal);
        tree.draw();
        return el('section', { class: 'tree-part', 'data-doc': doc },
          el('h4', {}, dom.name(made.block.documents[doc].name)), tree.element);
      }),
      docs.length > LISTED ? el('p', { class: 'quiet' },
        `${model.count(docs.length - LISTED)} more documents are not drawn.`) : null);
  });
  dom.fill(page.strips, el('div', { class: 'unit-columns' }, columns));
}

/* -- the text of one document -- */

function chosenDocument(state) {
  if (Number.isInteger(state.document) && made.block.documents[state.document]) return state.document;
  const readable = made.block.documents.map((_, doc) => doc).filter((doc) => made.boxes || made.block.documents[doc].block !== null);
  const relevant = readable.find((doc) => made.block.documents[doc].relevant > 0);
  return relevant !== undefined ? relevant : readable.length ? readable[0] : -1;
}

async function drawReading(state, mine) {
  const doc = chosenDocument(state);
  // Another run, the same text: reading goes on where it was.
  const same = panes.length && doc >= 0 && page.open === (made.boxes ? doc : made.block.documents[doc].block) && panes[0].doc === doc;
  const kept = same ? panes[0].text.current() : null;
  panes.forEach((pane) => pane.text.end());
  panes = [];
  page.tree = null;
  chooseRow(state);
  if (doc < 0) {
    dom.fill(page.reading, dom.data.kind === 'seconds' ? null : el('p', { class: 'quiet', 'data-missing-text': '' },
      'The texts are not in this page. With --documents FOLDER (or --collection for XML), berrypick report puts them in.'));
    return;
  }
  const { name, block } = made.block.documents[doc];
  if (made.boxes) return drawBoxes(state, doc, name, kept);
  page.open = block;
  const content = block === null ? null : await dom.block(block);
  if (mine !== token) return;
  const head = el('div', { class: 'reading-head' }, el('h3', {}, dom.name(name)));
  if (!content || content.text === null) {
    dom.fill(page.reading, head, dom.data.kind === 'seconds' ? null : el('p', { class: 'quiet', 'data-missing-text': '' },
      'The text of this document is not in this page. With --documents FOLDER (or --collection for XML), berrypick report puts it in.'));
    if (dom.data.kind === 'seconds') dom.fill(page.reading);
    return;
  }
  const runs = choosing.shownRuns(state);
  panes = runs.map((run) => ({ run, doc,
    text: texts.textPane({ text: content.text, collapse: Boolean(content.tree),
    label: `Text of ${dom.clean(name)}, results of ${dom.clean(dom.data.runs[run].name)}` }) }));
  head.append(readingTools());
  const tree = content.tree ? documentTree(content, doc) : null;
  const columns = panes.map((pane) => el('div', { class: 'text-column', 'data-run': pane.run },
    runs.length > 1 ? el('div', { class: 'text-column-head' }, dom.run(pane.run, true)) : null, pane.text.element));
  const body = el('div', { class: `reading-body${tree ? ' with-tree' : ''}${runs.length > 1 ? ' two' : ''}` },
    tree ? el('div', { class: 'tree-column' }, runs.length > 1 ? el('div', { class: 'text-column-head' },
    'Elements, ranks of ', dom.run(runs[0], true)) : null, tree.element) : null, columns);
  dom.fill(page.reading, head, body);
  markText();
  panes.forEach((pane) => pane.text.begin());
  page.tree = tree;
  if (tree) tree.update(cutOf(state));
  together();
  const at = pending;
  pending = null;
  const began = at !== null ? at : kept !== null ? kept : firstPlace(doc, runs, cutOf(state));
  panes.forEach((pane) => pane.text.jump(began));
  if (at !== null) intoSight();
}

function readingTools() {
  const button = (control, sign, title, key, act) => el('button', { type: 'button', 'data-control': control,
    title: `${title} (${key})`, onclick: act }, sign);
  return el('div', { class: 'reading-tools' },
    button('previous-relevant', '\u2191 relevant', 'Previous relevant part', 'P', () => toRelevant(-1)),
    button('next-relevant', '\u2193 relevant', 'Next relevant part', 'N', () => toRelevant(1)),
    button('previous-result', '\u2191 result', 'Previous result', 'p', () => toResult(-1)),
    button('next-result', '\u2193 result', 'Next result', 'n', () => toResult(1)));
}

// The pages of one document with boxes, a column for each run.
function drawBoxes(state, doc, name, kept) {
  page.open = doc;
  const runs = choosing.shownRuns(state);
  panes = runs.map((run) => ({ run, doc, text: sheets.pagesPane(made, run, doc,
    `Pages of ${dom.clean(name)}, results of ${dom.clean(dom.data.runs[run].name)}`) }));
  const columns = panes.map((pane) => el('div', { class: 'text-column', 'data-run': pane.run },
    runs.length > 1 ? el('div', { class: 'text-column-head' }, dom.run(pane.run, true)) : null, pane.text.element));
  dom.fill(page.reading, el('div', { class: 'reading-head' }, el('h3', {}, dom.name(name)), readingTools()),
    el('div', { class: `reading-body${runs.length > 1 ? ' two' : ''}` }, columns));
  markText();
  together();
  const at = pending;
  pending = null;
  const began = at !== null ? at : kept !== null ? kept : firstPlace(doc, runs, cutOf(state));
  panes.forEach((pane) => pane.text.jump(began));
  if (at !== null) intoSight();
}

function markText() {
  const k = cutOf(app.state);
  if (page.tree) page.tree.update(k);
  for (const pane of panes) {
    if (made.boxes) pane.text.mark(k);
    else pane.text.mark(model.segments(made, pane.run, pane.doc, k),
      made.runs[pane.run].placed[pane.doc].filter((result) => result.rank <= k), made.entries[pane.doc], made.unit);
  }
}

// Two panes show the same place; the one that is being scrolled leads.
function together() {
  if (panes.length < 2) return;
  let leader = null;
  panes.forEach((pane, i) => {
    const lead = () => { leader = i; };
    ['pointerenter', 'wheel', 'focus', 'pointerdown',
      'touchstart'].forEach((event) => pane.text.element.addEventListener(event, lead, { passive: true }));
    pane.text.element.addEventListener('scroll',
      () => { if (leader === i) panes[1 - i].text.showTop(pane.text.top()); }, { passive: true });
  });
}

function documentTree(content, doc) {
  const { run } = app.state; // its ranks; the text beside shows both runs
  const root = trees.treeOf(content.tree);
  const ranked = new Map(); // node -> ranks, whatever the slider says
  const nodes = new Set();
  const note = (path, start, end, act) => {
    const node = (path && trees.byPath(root, path)) || (start === null ? null : trees.around(root, start, end));
    if (!node) return;
    nodes.add(node);
    if (path || (node.start === start && node.end === end)) act(node);
  };
  made.runs[run].placed[doc].forEach((result) => note(result.path, result.start, result.end,
    (node) => ranked.set(node, (ranked.get(node) || []).concat(result.rank))));
  made.targets[doc].forEach((target) => note(target.path, target.start, target.end, (node) => { node.target = true; }));
  let amounts = null;
  const tree = trees.treePane({ root, label: `Elements of ${dom.clean(content.name)}`, pick: (node) => goText(node.start),
    mark: (node) => Object.assign(amounts(node.start, node.end), { size: node.end - node.start }) });
  Array.from(nodes).slice(0, 300).forEach(tree.reveal);
  return {
    element: tree.element,
    update(k) {
      amounts = spans.amounts(model.segments(made, run, doc, k));
      ranked.forEach((ranks, node) => { node.ranks = ranks.filter((rank) => rank <= k); });
      tree.draw();
    },
  };
}

function goText(at) {
  panes.forEach((pane) => pane.text.jump(at));
  pending = null;
  intoSight();
}

function intoSight() {
  const box = page.reading.getBoundingClientRect();
  if (box.top > window.innerHeight * 0.6 || box.bottom < 100) page.reading.scrollIntoView({ block: 'start', behavior: 'auto' });
}

function toRelevant(direction) {
  if (!panes.length) return;
  const relevant = spans.merge(made.relevant[panes[0].doc]);
  const at = panes[0].text.next(relevant.map((span) => span[0]), direction);
  if (at === null) return widgets.say('Nothing relevant in this document');
  goText(at);
  const span = relevant.find((each) => each[0] === at);
  widgets.say(`Relevant, ${model.stretch(span[0], span[1])}`);
}

function toResult(direction) {
  if (!panes.length) return;
  const k = cutOf(app.state);
  const results = panes.flatMap((pane) => made.runs[pane.run].placed[pane.doc]).filter((result) => result.rank <= k && result.start !== null);
  const at = panes[0].text.next(Array.from(new Set(results.map((result) => result.start))).sort((a, b) => a - b), direction);
  if (at === null) return widgets.say('No results in this document');
  goText(at);
  widgets.say(model.lines(results.filter((result) => result.start === at), made.unit, 3).join('. '));
}

function drawLinks(state) {
  if (!made.block.links || !made.block.links.units.length) return dom.fill(page.links);
  const runs = choosing.shownRuns(state);
  const width = Math.min(900, Math.max(300, page.body.clientWidth - 4));
  dom.fill(page.links, el('h3', {}, 'Neighbourhood'), el('p', { class: 'quiet' },
    'Where readers of a retrieved unit may go: the wider the line, the more likely.'),
    runs.map((run) => el('div', { class: 'links-run', 'data-run': run },
      runs.length > 1 ? el('h4', {}, dom.run(run)) : null, neighbours.graph(made.block, run, cutOf(state), width))));
}

app.view('documents', { title: 'Documents', show });
[['j', 1], ['ArrowRight', 1], ['k', -1], ['ArrowLeft', -1]].forEach(([key, change]) =>
  app.key('documents', key, change > 0 ? 'Next topic' : 'Previous topic', () => choosing.step(change)));
app.key('documents', 'n', 'Next result in the text', () => toResult(1));
app.key('documents', 'p', 'Previous result in the text', () => toResult(-1));
app.key('documents', 'N', 'Next relevant part', () => toRelevant(1));
app.key('documents', 'P', 'Previous relevant part', () => toRelevant(-1));
