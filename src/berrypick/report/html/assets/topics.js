/* The topics: two runs side by side, topic by topic, as a chart of differences, a scatter and a table of dots. */

import * as dom from './dom.js';
import { el, svg } from './dom.js';
import * as widgets from './widgets.js';
import * as app from './app.js';
import * as charting from './charts.js';

const most = 1000;             // rows made at once; more on request
let parts = null;              // the elements of the view, made once

/* ---- the numbers ---- */

/* Topics with the values of two runs, the difference and who is ahead (1, 0, -1, or null if undefined). */
export function topicRows(measure, run, versus) {
  const {data} = dom;
  const one = data.values[measure][run], other = data.values[measure][versus];
  const sign = data.measures[measure].increasing ? 1 : -1;
  return data.topics.map((name, topic) => {
    const a = one[topic], b = other[topic];
    const difference = a === null || b === null ? null : a - b;
    return {topic, name, title: (data.titles || [])[topic] || '', value: a, versus: b, difference,
      ahead: difference === null ? null : Math.abs(difference) < 1e-12 ? 0 : Math.sign(difference) * sign};
  });
}

const single = () => dom.data.runs.length === 1;
const open = (topic) => app.go({view: 'documents', topic});

function tipLines(row) {
  const {data} = dom;
  const {state} = app;
  const label = (run) => data.runs[run].label + ' ' + dom.clean(data.runs[run].name);
  return [
    el('strong', {}, dom.clean(row.name)), row.title ? dom.start(row.title, 1000) : null,
    single() ? dom.number(row.value) : label(state.run) + ': ' + dom.number(row.value),
    single() ? null : label(state.versus) + ': ' + dom.number(row.versus),
    single() ? null : 'difference: ' + dom.signed(row.difference),
  ].filter(Boolean);
}

/* ---- controls ---- */

function select(id, label, options, change) {
  const field = el('select', {id, onchange: (event) => change(Number(event.target.value))},
    options.map((text, value) => el('option', {value}, text)));
  return el('label', {class: 'field'}, label, field);
}

function controls() {
  const {data} = dom;
  const names = data.runs.map((run, number) => run.label + '  ' + dom.shortRun(number, 34));
  const swap = () => app.go({run: app.state.versus, versus: app.state.run});
  return el('div', {class: 'controls', id: 'topics-controls'},
    select('topics-measure', 'Measure', data.measures.map((measure) => dom.clean(measure.text)), (measure) => app.go({measure})),
    single() ? null : [
      // Choosing the run that stands on the other side swaps the two.
      select('topics-run', 'Run', names, (run) => app.go(run === app.state.versus ? {run, versus: app.state.run} : {run})),
      el('span', {class: 'with-swap'},
        el('button', {type: 'button', class: 'plain', id: 'swap', title: 'Swap the two runs (s)', 'aria-label': 'Swap the two runs', onclick: swap}, '\u21c4'),
        select('topics-versus', 'against', names, (versus) => app.go(versus === app.state.run ? {versus, run: app.state.versus} : {versus})))]);
}

function filters() {
  const search = el('input', {type: 'search', id: 'topics-filter', placeholder: 'name or title', oninput: () => fillTable()});
  const which = el('select', {id: 'topics-which', onchange: () => fillTable()});
  const {groups} = dom.data;
  const group = !groups ? null : el('select', {id: 'topics-group', onchange: () => fillTable()}, el('option', {value: ''}, 'all'),
    groups.names.map((name, number) => el('option', {value: number}, dom.clean(name) + ' (' + groups.of.filter((own) => own === number).length + ')')));
  return {search, which, group, element: el('div', {class: 'controls'}, el('label', {class: 'field'}, 'Find topics', search),
    el('label', {class: 'field'}, 'Show', which), group ? el('label', {class: 'field'}, dom.clean(groups.field), group) : null,
    el('span', {class: 'quiet small', id: 'topics-count', role: 'status'}))};
}

/* What can be shown alone; who finds anything is a question for measures where more is better. */
function fillWhich() {
  const {data} = dom;
  const {state} = app;
  const label = (run) => data.runs[run].label + ' (' + dom.shortRun(run, 30) + ')';
  const finds = data.measures[state.measure].increasing;
  const choices = [['', 'all'], ['1', 'where the first is ahead', true], ['-1', 'where the second is ahead', true], ['0', 'where they are equal', true],
    finds ? ['none', single() ? 'where nothing is found' : 'no run finds it'] : null,
    finds ? ['only-run', 'only ' + label(state.run) + ' finds it', true] : null,
    finds ? ['only-versus', 'only ' + label(state.versus) + ' finds it', true] : null,
    ['null', 'without a value']].filter((choice) => choice && !(choice[2] && single()));
  const {which} = parts.filters, before = which.value;
  dom.fill(which, choices.map(([value, text]) => el('option', {value}, text)));
  which.value = choices.some(([value]) => value === before) ? before : '';
}

/* The runs that find anything for a topic: those with a value above 0. */
function finders(topic) {
  const {data} = dom;
  const {state} = app;
  return data.values[state.measure].map((values, run) => values[topic] > 0 ? run : null).filter((run) => run !== null);
}

function isShown(row, which) {
  const {data} = dom;
  const {state} = app;
  if (which === '') return true;
  if (which === 'none') return data.values[state.measure].some((values) => values[row.topic] !== null) && !finders(row.topic).length;
  if (which === 'only-run' || which === 'only-versus') {
    const found = finders(row.topic);
    return found.length === 1 && found[0] === (which === 'only-run' ? state.run : state.versus);
  }
  return String(single() && row.value === null ? null : row.ahead) === which;
}

/* ---- charts ---- */

function chartBox(id, label) {
  return el('div', {class: 'chart', id, tabindex: 0, role: 'group', 'aria-label': label}, el('div', {class: 'plot'}));
}

/* Bars in order; arrow keys walk along them and Enter opens. */
async function drawDifferences(rows) {
  const {data} = dom;
  const {state} = app;
  const field = single() ? 'value' : 'difference';
  const sign = data.measures[state.measure].increasing ? 1 : -1;
  const ordered = rows.filter((row) => row[field] !== null).sort((one, other) => sign * (other[field] - one[field]));
  const values = ordered.map((row, at) => ({at, topic: row.topic, value: row[field], who: single() || row.ahead >= 0 ? 0 : 1}));
  const gap = values.length > 120 ? 0 : .08;             // gaps narrower than a pixel flicker, and bars pale without an edge
  const color = {field: 'who', type: 'nominal', legend: null, scale: {domain: [0, 1], range: [dom.colour(state.run), dom.colour(state.versus)]}};
  const box = parts.differences;
  box.ordered = ordered;
  box.at = null;
  box.view = null;
  const view = await charting.chart(box, {
    height: 200,
    params: [{name: 'at', value: null}],
    data: {values},
    layer: [
      {data: {values: [{}]}, transform: [{filter: 'isValid(at)'}, {calculate: 'at', as: 'left'}, {calculate: 'at + 1', as: 'right'}],
        mark: {type: 'rect', color: 'var(--ink)', opacity: .15}, encoding: {x: {field: 'left', type: 'quantitative'}, x2: {field: 'right'}}},
      {transform: [{calculate: 'datum.at + ' + gap, as: 'left'}, {calculate: 'datum.at + 1 - ' + gap, as: 'right'}, {calculate: '0', as: 'zero'}],
        mark: {type: 'rect', strokeWidth: .7},
        encoding: {
          x: {field: 'left', type: 'quantitative', scale: {domain: [0, Math.max(1, values.length)], nice: false}, axis: {labels: false, ticks: false, title: dom.plural(values.length, 'topic') + ', in order'}},
          x2: {field: 'right'},
          y: {field: 'value', type: 'quantitative', title: single() ? dom.clean(data.measures[state.measure].text, 30) : 'difference ' + data.runs[state.run].label + ' \u2212 ' + data.runs[state.versus].label, axis: {tickCount: 5}}, y2: {field: 'zero'},
          color, stroke: gap ? undefined : color,
        }},
      {mark: {type: 'rule', color: 'var(--strong-line)'}, data: {values: [{zero: 0}]}, encoding: {y: {field: 'zero', type: 'quantitative'}}},
    ],
  });
  if (box.ordered === ordered) box.view = view;
}

function pointAt(at, x, y) {
  const box = parts.differences;
  box.at = at;
  if (box.view) box.view.signal('at', at).runAsync();
  if (at === null) widgets.tipHide();
  else widgets.tipAt(x, y, tipLines(box.ordered[at]));
}

function followDifferences(box) {
  const under = (event) => {
    if (!box.view || !box.ordered.length || !event.target.closest('svg')) return null;
    const across = charting.across(box.view, event);
    return across === null ? null : Math.max(0, Math.min(box.ordered.length - 1, Math.floor(box.view.scale('x').invert(across))));
  };
  box.addEventListener('pointermove', (event) => pointAt(under(event), event.clientX, event.clientY));
  box.addEventListener('pointerleave', () => pointAt(null));
  box.addEventListener('blur', () => pointAt(null));
  box.addEventListener('click', (event) => {
    const at = under(event);
    if (at !== null) open(box.ordered[at].topic);
  });
  box.addEventListener('keydown', (event) => {
    const last = box.ordered.length - 1;
    const step = {ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10}[event.key];
    const end = {Home: 0, End: last}[event.key];
    if (event.key === 'Enter' && box.at !== null) return open(box.ordered[box.at].topic);
    if (event.key === 'Escape') return pointAt(null);
    if (step === undefined && end === undefined || !box.view || last < 0) return;
    event.preventDefault();
    const to = end !== undefined ? end : box.at === null ? (step > 0 ? 0 : last) : Math.max(0, Math.min(last, box.at + step));
    const frame = box.querySelector('svg').getBoundingClientRect();
    pointAt(to, frame.left + box.view.origin()[0] + box.view.scale('x')(to), frame.bottom - 30);
    const row = box.ordered[to];
    widgets.say(dom.clean(row.name) + ' ' + (single() ? dom.number(row.value) : dom.signed(row.difference)));
  });
}

async function drawScatter(rows) {
  const {data} = dom;
  const {state} = app;
  const values = rows.filter((row) => row.difference !== null).map((row) => ({topic: row.topic, x: row.versus, y: row.value, who: row.ahead >= 0 ? 0 : 1}));
  const [low, high] = range(rows);
  const scale = {domain: [low, high], nice: false, zero: false};
  const named = (run) => data.runs[run].label + '  ' + dom.shortRun(run, 22);
  const axis = {tickCount: 5};
  const view = await charting.chart(parts.scatter, {
    height: 200,
    layer: [
      {data: {values: [{x: low, y: low}, {x: high, y: high}]}, mark: {type: 'line', color: 'var(--strong-line)', strokeWidth: 1, strokeDash: [3, 3]},
        encoding: {x: {field: 'x', type: 'quantitative', scale, axis}, y: {field: 'y', type: 'quantitative', scale, axis}}},
      {data: {values}, mark: {type: 'circle', size: 42, opacity: .75, cursor: 'pointer', tooltip: true},
        encoding: {
          x: {field: 'x', type: 'quantitative', scale, axis: Object.assign({grid: true}, axis), title: named(state.versus)},
          y: {field: 'y', type: 'quantitative', scale, axis, title: named(state.run)},
          color: {field: 'who', type: 'nominal', legend: null, scale: {domain: [0, 1], range: [dom.colour(state.run), dom.colour(state.versus)]}},
        }},
    ],
  }, {tip: (datum) => datum.topic === undefined ? null : tipLines(rows[datum.topic])});
  view.addEventListener('click', (event, item) => { if (item && item.datum && item.datum.topic !== undefined) open(item.datum.topic); });
}

/* ---- the table ---- */

function range(rows) {
  const [least, largest] = charting.extent(rows.flatMap((row) => [row.value, row.versus]));
  const low = Math.min(0, least), high = Math.max(0, largest);
  return [low, high > low ? (high > .55 && high <= 1 ? 1 : high) : low + 1];
}

/* Two dots on a line: full for the first run, a ring for the second. */
function dumbbell(row, low, high) {
  const {state} = app;
  const at = (value) => (100 * (value - low) / (high - low)).toFixed(2) + '%';
  const both = row.value !== null && row.versus !== null && !single();
  return svg('svg', {class: 'dumbbell', height: 18, 'aria-hidden': 'true'},
    charting.ticks(low, high).map((tick) => svg('line', {class: 'grid', x1: at(tick), x2: at(tick), y1: 0, y2: 18})),
    both ? svg('line', {x1: at(row.value), x2: at(row.versus), y1: 9, y2: 9, 'stroke-width': 2.5,
      style: {stroke: dom.colour(row.ahead >= 0 ? state.run : state.versus), opacity: '.55'}}) : null,
    row.versus === null || single() ? null : svg('circle', {cx: at(row.versus), cy: 9, r: 4.5, 'stroke-width': 2, style: {stroke: dom.colour(state.versus), fill: 'var(--paper)'}}),
    row.value === null ? null : svg('circle', {cx: at(row.value), cy: 9, r: 5, style: {fill: dom.colour(state.run)}}));
}

function scaleOf(low, high) {
  const at = (value) => (100 * (value - low) / (high - low)).toFixed(2) + '%';
  return svg('svg', {class: 'dumbbell', height: 14, 'aria-hidden': 'true'}, charting.ticks(low, high).map((tick) =>
    svg('text', {x: at(tick), y: 11, 'text-anchor': tick === low ? 'start' : (tick - low) / (high - low) > .97 ? 'end' : 'middle'}, String(tick))));
}

function topicTable(rows) {
  const {data} = dom;
  const {state} = app;
  const [low, high] = range(rows);
  const sign = data.measures[state.measure].increasing ? 1 : -1;
  const value = (key, run) => ({
    title: el('span', {}, data.runs[run].label, el('span', {class: 'unseen'}, ' ' + dom.clean(data.runs[run].name))), key, numeric: true, falling: true, value: (row) => row[key],
    head: {class: 'numeric side', title: dom.clean(data.runs[run].name)},
    cell: (row) => el('td', {class: 'numeric side', 'data-run': run, 'data-measure': state.measure, 'data-value': row[key] === null ? '' : row[key]}, dom.number(row[key])),
  });
  const columns = [
    {title: 'Topic', key: 'topic', rowHeader: true, value: (row) => row.name, cell: (row) => el('th', {scope: 'row', class: 'topic'},
      el('a', {href: app.address({view: 'documents', topic: row.topic}), tabindex: -1}, dom.name(row.name)),
      row.title ? el('bdi', {class: 'quiet small title', title: dom.start(row.title, 3000)}, dom.start(row.title, 3000)) : null,
      data.details[row.topic] === null ? el('span', {class: 'quiet small left-out', title: 'Its results are not in this page; the overview says how to include them.'}, 'numbers only') : null)},
    {title: el('span', {class: 'unseen'}, 'Chart'), key: 'chart', under: scaleOf(low, high), head: {class: 'plotted'},
      cell: (row) => widgets.tip(el('td', {class: 'plotted'}, dumbbell(row, low, high)), () => tipLines(row))},
  ];
  // The baseline is on the left, as in the other views.
  const sides = single() ? [['value', state.run]] : [['value', state.run], ['versus', state.versus]];
  if (state.versus === data.baseline) sides.reverse();
  columns.push(...sides.map(([key, run]) => value(key, run)));
  if (!single()) {
    columns.push({
      title: 'Difference', key: 'difference', numeric: true, falling: sign > 0, value: (row) => row.difference,
      cell: (row) => el('td', {class: 'numeric difference', 'data-difference': row.difference === null ? '' : row.difference},
        el('span', {class: row.ahead > 0 ? 'better' : row.ahead < 0 ? 'worse' : 'quiet'}, dom.signed(row.difference),
          el('span', {class: 'mark', 'aria-hidden': 'true'}, row.ahead > 0 ? '\u25b2' : row.ahead < 0 ? '\u25bc' : ' '))),
    });
  }
  return widgets.table(columns, {
    id: 'topics-table', class: 'topics', rows: [], sort: single() ? 'value' : 'difference', falling: sign > 0,
    row: (row) => ({'data-topic': row.topic}),
    after: (table) => { rove(table, table.querySelector('tbody a')); },
  });
}

/* One row of the table is reached by Tab, the others from it by arrow keys. */
function rove(table, link) {
  const before = table.querySelector('a[tabindex="0"]');
  if (before) before.tabIndex = -1;
  if (link) link.tabIndex = 0;
}

function useTable(table) {
  table.addEventListener('click', (event) => {
    const row = event.target.closest('tr[data-topic]');
    if (!row || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    if (String(document.getSelection())) return;         // somebody is copying numbers
    event.preventDefault();
    open(Number(row.dataset.topic));
  });
  table.addEventListener('focusin', (event) => { if (event.target.matches('tbody a')) rove(table, event.target); });
  table.addEventListener('keydown', (event) => {
    if (!event.target.matches('tbody a')) return;
    const links = Array.from(table.querySelectorAll('tbody a')), at = links.indexOf(event.target);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: links.length - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const link = links[Math.max(0, Math.min(links.length - 1, to))];
    link.focus({preventScroll: true});
    link.closest('tr').scrollIntoView({block: 'nearest'});
  });
}

function fillTable(everything) {
  const wanted = parts.filters.search.value.trim().toLowerCase(), which = parts.filters.which.value;
  const group = parts.filters.group ? parts.filters.group.value : '';
  const rows = parts.rows.filter((row) =>
    (!wanted || row.name.toLowerCase().includes(wanted) || row.title.toLowerCase().includes(wanted)) &&
    (!group || dom.data.groups.of[row.topic] === Number(group)) && isShown(row, which));
  const shown = everything ? rows : rows.slice(0, most);
  parts.table.refill(shown);
  dom.fill(document.getElementById('topics-count'), shown.length === parts.rows.length ? '' : shown.length + ' of ' + dom.plural(parts.rows.length, 'topic'));
  parts.more.hidden = shown.length === rows.length;
}

/* ---- together ---- */

function summary(rows) {
  const {data} = dom;
  const {state} = app;
  const measure = data.measures[state.measure];
  const with_ = rows.filter((row) => (single() ? row.value : row.difference) !== null);
  const count = (ahead) => with_.filter((row) => row.ahead === ahead).length;
  const direction = measure.increasing ? '' : ' Smaller is better.';
  if (single()) return [dom.plural(with_.length, 'topic') + ' with a value.' + direction];
  const mean = with_.length ? with_.reduce((sum, row) => sum + row.difference, 0) / with_.length : null;
  const pair = data.pairs.find((each) => each.measure === state.measure && [each.run, each.versus].sort().join() === [state.run, state.versus].sort().join());
  return [dom.run(state.run), ' is ahead in ', el('strong', {}, count(1)), ', ', dom.run(state.versus), ' in ', el('strong', {}, count(-1)),
    count(0) ? ['; they are equal in ', el('strong', {}, count(0))] : null, '. Mean difference ',
    el('strong', {id: 'topics-mean', 'data-value': mean === null ? '' : mean}, dom.signed(mean)),
    pair ? (pair.corrected === null ? ' (p ' : ' (corrected p ') + dom.pvalue(pair.corrected === null ? pair.p : pair.corrected) + (pair.significant ? ', significant)' : ', not significant)') : null,
    '.' + direction];
}

function make(element) {
  parts = {
    summary: el('p', {id: 'topics-summary'}),
    differences: chartBox('differences', 'Chart of all topics in order of the difference. Arrow keys walk through them, Enter opens one.'),
    scatter: single() ? null : chartBox('scatter', 'Chart of the values of both runs, a dot for each topic. The table below has the numbers.'),
    filters: filters(),
    holder: el('div', {id: 'topics-rows', role: 'region', 'aria-label': 'Topics'}),
    none: el('p', {id: 'no-values', hidden: true}, 'No topic has a value to draw. The overview says why.'),
    more: el('button', {type: 'button', hidden: true, onclick: () => fillTable(true)}, 'Show all topics'),
    rows: [], table: null,
  };
  if (parts.scatter) parts.scatter.removeAttribute('tabindex');       // nothing to do there with keys
  followDifferences(parts.differences);
  parts.charts = el('div', {class: 'pair-of-charts' + (single() ? ' one' : '')}, parts.differences, parts.scatter);
  dom.fill(element, el('h2', {class: 'unseen'}, 'Topics'), controls(), parts.summary, parts.none, parts.charts,
    parts.filters.element, parts.holder, parts.more);
}

app.view('topics', {title: 'Topics', key: '3', show(element, state, changed) {
  if (changed.has('first')) make(element);
  if (!['first', 'measure', 'run', 'versus'].some((name) => changed.has(name))) return;
  // Two times the same run (from an edited address): look at it against another one.
  if (!single() && state.run === state.versus) return app.go({versus: state.run === 0 ? 1 : 0});
  const rows = parts.rows = topicRows(state.measure, state.run, state.versus);
  for (const [id, value] of [['topics-measure', state.measure], ['topics-run', state.run], ['topics-versus', state.versus]]) {
    const field = document.getElementById(id);
    if (field) field.value = String(value);
  }
  dom.fill(parts.summary, summary(rows));
  fillWhich();
  parts.table = topicTable(rows);
  useTable(parts.table);
  dom.fill(parts.holder, parts.table);
  fillTable();
  const empty = !rows.some((row) => (single() ? row.value : row.difference) !== null);
  parts.none.hidden = !empty;
  parts.charts.hidden = empty;
  if (empty) return;
  return Promise.all([drawDifferences(rows), single() ? null : drawScatter(rows)]);
}});

app.key('topics', ['ArrowLeft', 'ArrowRight'], 'In the chart: walk through the topics');
app.key('topics', 's', 'Swap the two runs', () => { if (!single()) document.getElementById('swap').click(); });
app.key('topics', '/', 'Find topics', () => parts.filters.search.focus());
