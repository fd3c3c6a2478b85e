/* The reader view: what a reader of a chosen model has probably seen after rank k. The page carries, per model and
   parameter value, the probability that a rank leads to a target; everything else follows from that (spans.js). */

import * as dom from './dom.js';
import { el, svg } from './dom.js';
import * as widgets from './widgets.js';
import * as app from './app.js';
import * as spans from './spans.js';
import * as model from './model.js';
import * as choosing from './choosing.js';
import * as strips from './strips.js';

const LISTED = 60; // ranks in the list
const CELLS = 60; // targets beyond this number are cells without names
const STRIPS = 30;
const PAUSE = 900; // milliseconds between steps while playing

let page = null;
let made = null;
let token = 0;
let playing = 0;
let opening = 0; // the reader that is shown until one is chosen

// Two decimals; what is nearly 0 or 1 but not quite is not written as 0 or 1.
function decimals(x) {
  if (x > 0 && x < 0.0005) return '<0.001';
  if (x > 0.995 && x < 1) return x > 0.9995 ? '>0.999' : x.toFixed(3);
  return x.toFixed(x > 0 && x < 0.1 ? 3 : 2);
}
const readers = () => dom.data.readers || [];

function chosen(state) {
  const number = Number.isInteger(state.reader) && readers()[state.reader] ? state.reader : opening;
  const reader = readers()[number];
  const grid = reader.grid || [null];
  const usual = Math.min(grid.length - 1, Math.max(0, reader.current || 0));
  const value = Number.isInteger(state.value) && state.value >= 0 && state.value < grid.length ? state.value : usual;
  const name = (reader.labels || [])[value] || (value === usual || !reader.grid ? reader.label : `${reader.model}(${reader.parameter}=${grid[value]})`);
  return { number, reader, value, name };
}

// What this reader looks for: the targets, or the best entry points.
const targetsOf = (state) => (chosen(state).reader.entries && made.block.entry_targets) || made.block.targets;

// Reach, its growth and its final value for a run; null where this reader cannot read it. Kept with the block.
function facts(state, run) {
  const { number, value } = chosen(state);
  const key = `${number} ${value} ${run}`;
  if (!made.facts.has(key)) {
    const reach = ((made.block.reach[number] || [])[value] || [])[run] || null;
    const final = (((made.block.values || [])[number] || [])[value] || [])[run];
    const ideal = targetsOf(state).map((target) => target.ideal);
    made.facts.set(key, reach && ideal.some((share) => share > 0)
      ? { reach, ideal, rows: new Map(spans.byRank(reach)), growth: spans.growth(reach, ideal),
        final: final === undefined ? null : final }
      : null);
  }
  return made.facts.get(key);
}

const ranksOf = (state) => Math.max(0, ...choosing.shownRuns(state).map((run) => made.block.runs[run].ranks));
const rankOf = (state) => (Number.isInteger(state.rank) ? Math.max(0, Math.min(ranksOf(state), state.rank)) : ranksOf(state));

function goRank(rank) {
  const most = ranksOf(app.state);
  const next = Math.max(0, Math.min(most, rank));
  app.go({ rank: next === most ? null : next });
}

function build(element) {
  const bar = choosing.bar();
  const reader = choosing.select('reader', readers().map((each, i) => [i, each.label]),
    (value) => app.go({ reader: value, value: null }));
  const own = (event) => event.stopPropagation(); // arrow keys on this slider change the parameter, not the rank
  const value = el('input', { type: 'range', min: 0, step: 1, 'data-control': 'value', onkeydown: own,
    oninput: (event) => app.go({ value: Number(event.target.value) }) });
  const slider = el('input', { type: 'range', min: 0, step: 1, 'data-control': 'rank', 'aria-label': 'After rank',
    onkeydown: own, oninput: (event) => {
    stop();
    goRank(Number(event.target.value));
  } });
  const button = (control, text, label, act) => el('button', { type: 'button', 'data-control': control,
    'aria-label': label, title: label, onclick: act }, text);
  page = {
    bar, reader, value, slider,
    valueField: null, rankText: el('output', { class: 'rank-text', 'data-rank': '' }),
    play: button('play', '\u25b6\ufe0e Play', 'Play (p)', play),
    what: el('p', { class: 'quiet reader-what' }), notice: el('div'), title: el('div'), body: el('div',
      { class: 'reader-body' }),
    summary: el('p', { class: 'reader-summary', role: 'status', 'aria-live': 'polite', 'data-summary': '' }),
    values: el('div', { class: 'reader-values' }), growth: el('div', { class: 'chart-box' }), law: el('div',
      { class: 'chart-box' }),
    list: el('div', { class: 'reach-list', tabindex: 0, role: 'region', 'aria-label': 'What each rank leads to' }),
    targets: el('div', { class: 'target-list' }), strips: el('div', { class: 'reader-strips' }), shape: '',
  };
  page.valueField = choosing.labelled('', page.value);
  const steps = el('div', { class: 'steps' }, page.play,
    el('span', { class: 'joined' }, button('back', '\u2039', 'Back one rank (left arrow)', () => step(-1)), slider,
      button('forward', '\u203a', 'On one rank (right arrow)', () => step(1))), page.rankText);
  const part = (title, ...content) => el('section', { class: 'reader-part' }, el('h3', {}, title), content);
  page.body.append(steps, page.summary, el('div', { class: 'reader-grid' },
    part('EPRUM, as the list grows', page.growth, page.values),
    part('How many targets have been seen', page.law),
    part('What each rank leads to', page.list),
    part('What has been seen', page.targets)), page.strips);
  dom.fill(element, bar.element, el('div', { class: 'controls reader-controls' }, choosing.labelled('Reader', reader),
    page.valueField), page.what, page.title, page.notice, page.body);
  new ResizeObserver(() => {
    const width = page.body.clientWidth;
    if (made && width && Math.abs(width - page.width) >= 4) draw(app.state);
  }).observe(page.body);
  document.addEventListener('visibilitychange', () => { if (document.hidden) stop(); });
}

async function show(element, state, changed) {
  if (!readers().length) {
    dom.fill(element, el('p', { class: 'notice calm' },
      'No user model can read these judgements, so there is nothing to step through.'));
    return;
  }
  if (!page || changed.has('first')) build(element);
  page.bar.update(state);
  const topic = choosing.topicOf(state);
  const mine = ++token;
  if (changed.has('first') || changed.has('topic') || !made || made.topic !== topic) {
    if (changed.has('topic') && !changed.has('first')) stop();
    const block = await choosing.load(page.notice, topic);
    if (mine !== token) return;
    page.body.hidden = !block;
    made = null;
    dom.fill(page.title);
    if (!block) return;
    dom.fill(page.notice);
    made = Object.assign(Object.create(model.modelOf(block)), { topic, facts: new Map() });
    dom.fill(page.title, choosing.heading(block));
    if (changed.has('first')) opening = fitting(block);
  }
  draw(state);
  element.dataset.shown = `${topic}`;
}

// The first reader to whom most of the runs that found something show a target of this topic: a page that opens on a
// reader who sees nothing of what the document view calls found would contradict it.
function fitting(block) {
  const counts = readers().map(({ grid, current }, number) => {
    const reach = (block.reach[number] || [])[grid ? current || 0 : 0] || [];
    return reach.filter((one) => one && one.p.some((p) => p > 0)).length;
  });
  return Math.max(0, counts.indexOf(Math.max(...counts)));
}

function draw(state) {
  const { number, reader, value, name } = chosen(state);
  page.reader.value = String(number);
  page.valueField.hidden = !reader.grid || reader.grid.length < 2;
  if (reader.grid) {
    page.value.max = String(reader.grid.length - 1);
    page.value.value = String(value);
    page.value.setAttribute('aria-valuetext', `${reader.parameter} ${reader.grid[value]}`);
    page.valueField.firstElementChild.textContent = `${reader.parameter} = ${reader.grid[value]}`;
  }
  const needs = (reader.needs || [])[value];
  page.what.textContent = reader.what + (needs && made.placed ? ` The reader ${needs}.` : '');
  const runs = choosing.shownRuns(state).map((run) => ({ run, facts: facts(state, run) }));
  const readable = runs.filter((each) => each.facts);
  made.wanted = targetsOf(state);
  const k = rankOf(state);
  const most = ranksOf(state);
  page.slider.max = String(most);
  page.slider.value = String(k);
  page.slider.setAttribute('aria-valuetext', `after rank ${k} of ${most}`);
  page.rankText.dataset.rank = k;
  dom.fill(page.rankText, 'after rank ', el('b', {}, model.count(k)), ` of ${model.count(most)}`);
  if (!readable.length || !made.wanted.length) {
    dom.fill(page.notice, el('p', { class: 'notice calm', 'data-unreadable': '' }, made.wanted.length
      ? [dom.clean(name),
        ' cannot read this topic: it needs something that the judgements, the run or the options do not give.']
      : 'This topic has no targets, so no reader looks for anything.'));
    page.body.hidden = true;
    return;
  }
  dom.fill(page.notice);
  page.body.hidden = false;
  readable.forEach((each) => {
    each.seen = spans.seen(each.facts.reach, made.wanted.length, k);
    each.wanted = made.wanted.map((_, i) => i).filter((i) => each.facts.ideal[i] > 0);
    each.law = spans.law(each.wanted.map((i) => each.seen[i]));
    each.mean = each.wanted.reduce((sum, i) => sum + each.seen[i], 0);
  });
  page.width = page.body.clientWidth;
  drawSummary(name, readable, k);
  drawValues(readable, k);
  drawGrowth(readable, k, most);
  drawLaw(readable);
  drawList(readable[0], k);
  drawTargets(readable);
  drawStrips(readable, k);
}

/* -- in words and numbers -- */

function drawSummary(name, readable, k) {
  const sentences = readable.map(({ run, law, mean, wanted }) => {
    const t = wanted.length;
    const named = readable.length > 1 ? `, with ${dom.clean(dom.data.runs[run].name)},` : '';
    const has = `After rank ${model.count(k)} a reader of ${dom.clean(name)}${named} has seen`;
    if (t === 1) return `${has} the only target with probability ${decimals(mean)}.`;
    return `${has} ${decimals(mean)} of ${dom.plural(t, 'target')} on average; all ${model.count(t)} with probability ${decimals(law[t])}.`;
  });
  const shares = spans.levels(readable[0].facts.ideal);
  const notes = shares.length > 1 ? [`Not all readers want everything: ${shares.map((level) => `${(100 * level.weight).toFixed(0)}% want ${level.targets.length}`).join(', ')}.`] : [];
  const text = sentences.concat(notes, contradictions(readable, k)).join(' ');
  if (page.summary.textContent !== text) page.summary.textContent = text;
}

// The document view counts each relevant character that was retrieved; a reader may need more of a target than that.
function contradictions(readable, k) {
  const { reader, value } = chosen(app.state);
  const needs = (reader.needs || [])[value];
  if (!made.placed && !made.boxes) return [];
  return readable.flatMap(({ run, mean, wanted }) => {
    const { found } = model.totals(made, run, k);
    if (!(found > 0) || mean > 0.0005 || !wanted.length) return [];
    const said = `The document view counts ${model.size(found, made.unit)} as found${readable.length > 1 ? ` with ${dom.clean(dom.data.runs[run].name)}` : ''}`;
    return [`${said}, but this reader ${needs || 'is not led to any target by what was retrieved'}.`];
  });
}

const until = (growth, k) => {
  const event = spans.above(growth.rank, k) - 1;
  return event < 0 ? 0 : growth.value[event];
};

function drawValues(readable, k) {
  dom.fill(page.values, el('table', { class: 'amounts' },
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'run'),
      el('th', { scope: 'col', class: 'numeric' }, 'EPRUM so far'),
      el('th', { scope: 'col', class: 'numeric' }, 'whole list'), el('th', { scope: 'col', class: 'numeric' }, 'share seen'))),
    el('tbody', {}, readable.map(({ run, facts: of, seen }) => {
      const now = until(of.growth, k);
      const share = spans.ratio(seen, of.ideal);
      return el('tr', { 'data-run': run }, el('th', { scope: 'row' }, dom.run(run)),
        el('td', { class: 'numeric', 'data-eprum': now }, dom.number(now)),
        el('td', { class: 'numeric', 'data-final': of.final === null ? '' : of.final }, dom.number(of.final)),
        el('td', { class: 'numeric', 'data-ratio': share }, dom.number(share)));
    }))));
}

/* -- pictures -- */

const WIDE = 46; // left margin of a chart
const LOW = 38; // below a chart

function frame(width, height, top, label) {
  const y = (value) => 10 + (height - 10 - LOW) * (1 - value / top);
  const step = top <= 0.12 ? 0.02 : top <= 0.3 ? 0.05 : top <= 0.6 ? 0.1 : top <= 1.2 ? 0.25 : top <= 3 ? 0.5 : Math.ceil(top / 5);
  const lines = [];
  for (let at = 0; at <= top + 1e-9; at += step) {
    lines.push(svg('line', { class: at === 0 ? 'chart-axis' : 'chart-grid', x1: WIDE, x2: width - 6, y1: y(at), y2: y(at) }),
      svg('text', { class: 'axis-text', x: WIDE - 7, y: y(at) + 4, 'text-anchor': 'end' }, String(Number(at.toFixed(3)))));
  }
  return { y, picture: svg('svg', { class: 'reader-chart', width, height, role: 'img', 'aria-label': label }, lines) };
}

function drawGrowth(readable, k, most) {
  const width = Math.max(260, page.growth.clientWidth);
  const height = 250;
  const top = Math.max(0.05, ...readable.flatMap((each) => each.facts.growth.value)) * 1.06;
  const nice = top > 0.6 ? Math.max(1, top) : top;
  const { y, picture } = frame(width, height, nice,
    readable.map((each) => `EPRUM of ${dom.clean(dom.data.runs[each.run].name)} after rank ${k}: ${dom.number(until(each.facts.growth, k))}`).join('. '));
  // Long lists change most at their beginning: ranks on a logarithmic scale, which the axis tells.
  const log = most > 60;
  const last = width - 14;
  const x = (rank) => WIDE + (last - WIDE) * (log ? Math.log(rank + 1) / Math.log(most + 1) : rank / Math.max(1, most));
  const room = log ? [0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 100000].filter((rank) => rank <= most)
    : Array.from({ length: most + 1 }, (_, rank) => rank).filter((rank) => rank % Math.max(1,
      Math.ceil((most * 34) / (last - WIDE))) === 0);
  room.forEach((rank) => picture.append(svg('text', { class: 'axis-text', x: x(rank), y: height - LOW + 20,
    'text-anchor': 'middle' }, model.count(rank))));
  picture.append(svg('text', { class: 'axis-text', x: last, y: height - 2, 'text-anchor': 'end' },
    log ? 'ranks (logarithmic)' : 'ranks'));
  const line = (growth, limit) => {
    let d = `M${x(0)} ${y(0)}`;
    growth.rank.forEach((rank, i) => { if (rank <= limit) d += `H${x(rank).toFixed(2)}V${y(growth.value[i]).toFixed(2)}`; });
    return `${d}H${x(limit).toFixed(2)}`;
  };
  picture.append(svg('line', { class: 'chart-now', x1: x(k), x2: x(k), y1: 8, y2: height - LOW }));
  for (const { run, facts: of } of readable.slice().reverse()) {
    const colour = { stroke: dom.colour(run) };
    const dash = dom.dash(run).join(' ') || null;
    picture.append(svg('path', { class: 'growth-rest', style: colour, 'stroke-dasharray': dash, d: line(of.growth, most) }),
      svg('path', { class: 'growth-line', style: colour, 'stroke-dasharray': dash, 'data-run': run, d: line(of.growth, k) }),
      svg('circle', { class: 'growth-dot', cx: x(k), cy: y(until(of.growth, k)), r: 5, style: { fill: dom.colour(run) } }));
  }
  const hit = svg('rect', { class: 'strip-hit', tabindex: -1, x: WIDE, y: 0, width: last - WIDE, height: height - LOW });
  let at = 0;
  const follow = (event) => {
    const share = (event.clientX - picture.getBoundingClientRect().left - WIDE) / (last - WIDE);
    at = Math.max(0, Math.min(most, Math.round(log ? Math.exp(share * Math.log(most + 1)) - 1 : share * most)));
  };
  hit.addEventListener('pointerenter', follow);
  hit.addEventListener('pointermove', follow);
  hit.addEventListener('click', (event) => {
    follow(event);
    stop();
    goRank(at);
  });
  picture.append(widgets.tip(hit, () => [`after rank ${model.count(at)}`,
    ...readable.map(({ run, facts: of }) => `${dom.data.runs[run].label}: EPRUM ${dom.number(until(of.growth, at))}`)]));
  dom.fill(page.growth, picture);
}

// The numbers to draw as [first, last] per bar: all of them; for many targets those within four deviations of a mean;
// where these are still too many for the room, several to a bar.
function bins(readable, room) {
  const t = readable[0].law.length - 1;
  let [low, high] = [0, t];
  if (t + 1 > room) {
    const ends = readable.flatMap(({ mean, wanted, seen }) => {
      const deviation = Math.sqrt(wanted.reduce((sum, i) => sum + seen[i] * (1 - seen[i]), 0));
      return [mean - 4 * deviation - 2, mean + 4 * deviation + 2];
    });
    low = Math.max(0, Math.floor(Math.min(...ends)));
    high = Math.min(t, Math.ceil(Math.max(...ends)));
  }
  const size = Math.ceil((high - low + 1) / room);
  const found = [];
  for (let f = low; f <= high; f += size) found.push([f, Math.min(high, f + size - 1)]);
  return found;
}

function drawLaw(readable) {
  const width = Math.max(260, page.law.clientWidth);
  const height = 250;
  const many = bins(readable, Math.floor((width - WIDE - 10) / 6));
  const mass = (law, [low, high]) => law.slice(low, high + 1).reduce((sum, p) => sum + p, 0);
  const most = Math.max(...readable.map((each) => Math.max(...many.map((bin) => mass(each.law, bin)))));
  const { y, picture } = frame(width, height, Math.min(1, Math.max(0.1, most * 1.12)),
    readable.map((each) => `Number of targets seen with ${dom.clean(dom.data.runs[each.run].name)}: mean ${decimals(each.mean)}`).join('. '));
  const each = (width - WIDE - 10) / many.length;
  const size = many[0][1] - many[0][0] + 1;
  const low = many[0][0];
  const high = many[many.length - 1][1];
  const x = (f) => WIDE + ((f - low) / size + 0.5) * each;
  const wide = Math.min(34, each * 0.7);
  const first = readable[0];
  many.forEach((bin, i) => {
    const p = mass(first.law, bin);
    const at = WIDE + (i + 0.5) * each;
    picture.append(svg('rect', { class: 'law-bar', 'data-f': bin[0], 'data-to': bin[1], 'data-p': p,
      x: at - wide / 2, y: y(p), width: wide, height: Math.max(0, y(0) - y(p)), style: { fill: dom.colour(first.run) } }));
    if (readable[1]) {
      const other = mass(readable[1].law, bin);
      picture.append(svg('circle', { class: 'law-dot', cx: at, cy: y(other), r: Math.min(4.5, each / 2.5),
        'data-f': bin[0], 'data-p': other, style: { stroke: dom.colour(readable[1].run) } }));
    }
    const hit = svg('rect', { class: 'strip-hit', tabindex: -1, x: at - each / 2, y: 0, width: each, height: height - LOW });
    picture.append(widgets.tip(hit,
      () => [size > 1 ? `${bin[0]} to ${bin[1]} targets seen` : `exactly ${dom.plural(bin[0], 'target')} seen`,
      ...readable.map(({ run,
        law }) => `${dom.data.runs[run].label}: probability ${Number(mass(law, bin).toPrecision(4))}`)]));
    if (i % Math.max(1, Math.ceil(28 / each)) === 0) picture.append(svg('text',
      { class: 'axis-text', x: at, y: height - LOW + 20, 'text-anchor': 'middle' }, String(bin[0])));
  });
  readable.forEach(({ run, mean }, i) => {
    const at = Math.max(WIDE, Math.min(width - 10, x(mean)));
    picture.append(svg('path', { class: 'law-mean', 'data-mean': mean, style: { fill: dom.colour(run) },
      d: `M${at} ${height - LOW + 1}l5 8h-10z` }));
    const words = `mean ${decimals(mean)}`;
    picture.append(svg('text', { class: 'axis-text', x: WIDE + i * 110, y: height - 2,
      style: { fill: dom.colour(run) } }, `\u25b2 ${dom.data.runs[run].label} ${words}`));
  });
  picture.append(svg('text', { class: 'axis-text', x: width - 10, y: height - 2, 'text-anchor': 'end' }, 'targets seen'));
  const t = first.law.length - 1;
  const notes = [];
  if (low > 0 || high < t) notes.push(`Shown: ${model.count(low)} to ${model.count(high)} of ${dom.plural(t, 'target')}.`);
  if (size > 1) notes.push(`Each bar stands for ${size} numbers.`);
  dom.fill(page.law, picture, notes.length ? el('p', { class: 'quiet small' }, notes.join(' ')) : null);
}

/* -- ranks and targets -- */

function drawList({ run, facts: of }, k) {
  const byRank = made.byRank || (made.byRank = new Map());
  if (!byRank.has(run)) {
    const map = new Map();
    made.runs[run].results.forEach((result) => (map.get(result.rank) || map.set(result.rank,
      []).get(result.rank)).push(result));
    byRank.set(run, map);
  }
  const most = Math.min(k, made.block.runs[run].ranks);
  const from = Math.max(1, most - LISTED + 1);
  const current = spans.seen(of.reach, made.wanted.length, from - 1);
  const items = [];
  for (let rank = from; rank <= most; rank += 1) {
    const results = byRank.get(run).get(rank) || [];
    const entries = (of.rows.get(rank) || []).slice().sort((a, b) => b[1] - a[1]);
    let gain = 0;
    for (const [target, p] of entries) {
      gain += (1 - current[target]) * p;
      current[target] += (1 - current[target]) * p;
    }
    items.push(el('li', { class: rank === most && most === k ? 'now' : null, 'data-rank': rank },
      el('span', { class: 'text-badge' }, String(rank)),
      el('span', { class: 'reach-what' },
        results.length ? unitName(results[0]) : el('span', { class: 'quiet' }, 'not in this page'),
        results.length > 1 ? el('span', { class: 'quiet' }, ` and ${results.length - 1} more`) : null,
        el('span', { class: 'reach-leads' }, entries.length
          ? entries.slice(0, 4).map(([target, p]) => el('span', { class: 'reach-chip', 'data-target': target,
            'data-p': p }, shade(p), ` ${decimals(p)} `, targetName(target)))
            .concat(entries.length > 4 ? [el('span', { class: 'quiet' }, `and ${entries.length - 4} more`)] : [])
          : el('span', { class: 'quiet' }, 'leads to nothing wanted'))),
      el('span', { class: 'reach-gain', title: 'targets gained on average' }, gain > 0.0005 ? `+${decimals(gain)}` : '')));
  }
  const above = from - 1;
  dom.fill(page.list, above ? el('p', { class: 'quiet small' }, `${dom.plural(above, 'earlier rank')} not listed`) : null,
    items.length ? el('ol', { 'data-run': run }, items) : el('p', { class: 'quiet' },
      'Nothing read yet. Step forward, or press Play.'));
  page.list.scrollTop = page.list.scrollHeight;
}

function unitName(result) {
  const { name } = made.block.documents[result.doc];
  return [dom.name(name), result.path ? [' ', el('span', { class: 'mono' }, dom.name(result.path))] : null,
    result.start !== null && !result.path ? el('span', { class: 'quiet' },
      ` ${model.stretch(result.start, result.end)}`) : null];
}

function targetName(number) {
  const target = made.wanted[number];
  const several = made.block.documents.length > 1;
  if (target.start !== null && !target.path) return [several ? dom.name(made.block.documents[target.doc].name) : 'target', ` ${model.stretch(target.start, target.end)}`];
  if (target.path) return [several ? dom.name(made.block.documents[target.doc].name) : null, dom.name(target.path)];
  return dom.name(target.name || made.block.documents[target.doc].name);
}

// Shading is the probability; the number stands beside it or in the label.
const shade = (p, run) => el('span', { class: 'shade', 'aria-hidden': 'true' },
  el('span', { style: { opacity: p ? 0.06 + 0.94 * p : 0,
    background: run === undefined ? 'var(--found)' : dom.colour(run) } }));

function drawTargets(readable) {
  const targets = made.wanted;
  if (targets.length <= CELLS) {
    dom.fill(page.targets, el('table', { class: 'targets' },
      readable.length > 1 ? el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'target'),
        readable.map(({ run }) => el('th', { scope: 'col' }, dom.run(run, true))))) : null,
      el('tbody', {}, targets.map((target, i) => el('tr', { 'data-target': i },
        el('th', { scope: 'row' }, targetName(i), target.ideal < 1 ? el('span', { class: 'quiet' },
          ` wanted by ${(100 * target.ideal).toFixed(0)}%`) : null),
        readable.map(({ run, seen }) => el('td', { 'data-run': run, 'data-seen': seen[i] }, shade(seen[i]), ' ',
          decimals(seen[i]))))))));
    return;
  }
  dom.fill(page.targets,
    readable.map(({ run, seen }) => el('div', { 'data-run': run }, readable.length > 1 ? el('h4', {},
    dom.run(run, true)) : null,
    el('div', { class: 'cells', role: 'list' },
      targets.map((target, i) => widgets.tip(el('span',
      { class: 'cell', role: 'listitem', 'data-target': i, 'data-seen': seen[i],
      'aria-label': `target ${i + 1}: ${decimals(seen[i])}` }, shade(seen[i])),
      () => [el('span', {}, targetName(i)), `seen with probability ${decimals(seen[i])}`]))))));
}

function drawStrips(readable, k) {
  const placed = made.wanted.filter((target) => target.start !== null);
  if ((!made.placed && !made.boxes) || !placed.length) return dom.fill(page.strips);
  const docs = Array.from(new Set(placed.map((target) => target.doc))).sort((a, b) => a - b);
  const width = Math.max(240, page.body.clientWidth - (readable.length > 1 ? 26 : 0) - 4);
  const longest = Math.max(1, ...docs.map((doc) => model.extent(made, doc)));
  const fit = model.uneven(made); // short documents would vanish beside a long one: each has its own scale
  const scaleOf = (doc) => width / (fit ? Math.max(1e-9, model.extent(made, doc)) : longest);
  const rows = docs.slice(0, STRIPS).map((doc) => el('section',
    { class: 'strip-row', 'data-doc': doc, 'data-runs': readable.length },
    el('div', { class: 'strip-head' }, el('button',
      { type: 'button', class: 'strip-name', title: 'Open in the document view',
      onclick: () => app.go({ view: 'documents', document: doc }) }, dom.name(made.block.documents[doc].name))),
    readable.map((each) => el('div', { class: 'strip-line', 'data-run': each.run },
      readable.length > 1 ? el('span', { class: 'letter', style: { color: dom.colour(each.run) } },
        dom.data.runs[each.run].label) : null,
      shadedStrip(doc, each, k, width, scaleOf(doc)))),
    fit ? svg('svg', { class: 'strip-axis', width, height: 17 }, strips.axis(model.extent(made, doc), width)) : null));
  dom.fill(page.strips, el('h3', {}, 'Where the targets are'),
    el('p', { class: 'quiet small' },
      'The fuller the shade of a target, the more likely it has been seen. Below each line: the results read so far, the last one marked.'),
    fit ? null : el('div', { class: `axis-row${readable.length > 1 ? ' indented' : ''}` },
      svg('svg', { class: 'strip-axis', width, height: 17 }, strips.axis(longest, width))), rows,
    docs.length > STRIPS ? el('p', { class: 'quiet small' },
      `${model.count(docs.length - STRIPS)} more documents are not drawn.`) : null);
}

function shadedStrip(doc, { run, seen }, k, width, scale) {
  const long = Math.max(2, model.extent(made, doc) * scale);
  const drawn = svg('svg', { class: 'strip', width, height: 38, role: 'group',
    'aria-label': `Targets in ${dom.clean(made.block.documents[doc].name)}` },
    svg('rect', { class: 'strip-track', x: 0, y: 9, width: long, height: 6, rx: 2 }));
  const results = made.runs[run].placed[doc].filter((result) => result.rank <= k && result.start !== null);
  drawn.append(svg('path', { class: 'read-so-far',
    d: spans.merge(results.map((result) => [result.start, Math.max(result.end, result.start + 2 / scale)]))
    .map(([start, end]) => `M${(start * scale).toFixed(2)} 27h${Math.max(2, (end - start) * scale).toFixed(2)}`).join('') }));
  results.filter((result) => result.rank === k).forEach((result) => drawn.append(
    svg('path', { class: 'read-now',
      d: `M${(result.start * scale).toFixed(2)} 27h${Math.max(3, (result.end - result.start) * scale).toFixed(2)}` }),
    svg('path', { class: 'read-start', d: `M${(result.start * scale).toFixed(2)} 29l4 7h-8z` })));
  made.wanted.forEach((target, number) => {
    if (target.doc !== doc || target.start === null) return;
    const p = seen[number];
    const label = `${model.stretch(target.start, target.end)}: seen with probability ${decimals(p)}`;
    drawn.append(widgets.tip(svg('rect', { class: 'shaded', tabindex: 0, role: 'img', 'aria-label': label,
      'data-target': number, 'data-seen': p,
      x: target.start * scale, y: 2, width: Math.max(3,
        (target.end - target.start) * scale), height: 20, 'fill-opacity': (p ? 0.06 + 0.94 * p : 0).toFixed(3) }), () => [label]));
  });
  return drawn;
}

/* -- stepping -- */

function step(change) {
  stop();
  goRank(rankOf(app.state) + change);
}

function stop() {
  clearInterval(playing);
  playing = 0;
  if (page) page.play.textContent = '\u25b6\ufe0e Play';
}

// The next rank; in long lists the next at which anything is reached.
function onwards() {
  const {state} = app;
  if (state.view !== 'reader' || !made) return stop();
  const k = rankOf(state);
  const most = ranksOf(state);
  const events = choosing.shownRuns(state).map((run) => facts(state,
    run)).filter(Boolean).flatMap((of) => of.growth.rank.filter((rank) => rank > k));
  const next = most > 40 ? Math.min(most, ...events) : k + 1;
  goRank(next);
  if (next >= most) stop();
}

function play() {
  if (playing) return stop();
  if (!made) return;
  if (rankOf(app.state) >= ranksOf(app.state)) goRank(0);
  page.play.textContent = '\u275a\u275a Pause';
  playing = setInterval(onwards, PAUSE);
}

app.view('reader', { title: 'Reader', show });
app.key('reader', 'ArrowRight', 'On one rank', () => step(1));
app.key('reader', 'ArrowLeft', 'Back one rank', () => step(-1));
app.key('reader', 'Home', 'Before the first rank', () => { stop(); goRank(0); });
app.key('reader', 'End', 'The whole list', () => { stop(); goRank(Infinity); });
app.key('reader', 'p', 'Play or pause', play);
app.key('reader', 'j', 'Next topic', () => choosing.step(1));
app.key('reader', 'k', 'Previous topic', () => choosing.step(-1));
