/* The curves: one chart for each measure that has one, a legend that hides and shows runs in all of them. */

import * as dom from './dom.js';
import { el } from './dom.js';
import * as widgets from './widgets.js';
import * as app from './app.js';
import * as charting from './charts.js';

const charts = [];             // {curve, view, element, xs, at}
let legend, allBands;

const most = 12;               // runs that are told apart in one chart; of more, some are shown at first
const best = 5;

const all = () => dom.data.runs.map((run, number) => number);
const many = () => dom.data.runs.length > most;
const listed = (text) => new Set(String(text === undefined ? '' : text).split(',').filter((part) => /^\d+$/.test(part)).map(Number));
const bandsShown = (state) => state.bands !== 'no';

/* What is shown at first: everything, or of many runs the baseline and the best by the first measure. */
function usual() {
  if (!many()) return all();
  const value = (run) => dom.data.table[run][0].value, sign = dom.data.measures[0].increasing ? -1 : 1;
  const ranked = all().filter((run) => value(run) !== null).sort((one, other) => sign * (value(one) - value(other)) || one - other);
  const chosen = new Set(ranked.slice(0, best).concat(dom.data.baseline));
  return all().filter((run) => chosen.has(run));
}

/* The address names what is hidden (off), or of many runs what is shown (on), whichever is the shorter list. */
export function visibleRuns(state = app.state) {
  if (!many()) return all().filter((number) => !listed(state.off).has(number));
  if (state.on === undefined) return usual();
  return state.on === 'all' ? all() : all().filter((number) => listed(state.on).has(number));
}

/* ---- legend ---- */

function setVisible(numbers) {
  const count = numbers.length;
  if (!many()) app.go({off: all().filter((number) => !numbers.includes(number)).join(',') || null});
  else if (count === dom.data.runs.length) app.go({on: 'all'});
  else app.go({on: numbers.join() === usual().join() ? null : numbers.slice().sort((a, b) => a - b).join(',') || 'none'});
}

function shownAtFirst() {
  if (!many()) return null;
  return el('p', {class: 'quiet small hint', id: 'shown-at-first'}, 'Of ' + dom.plural(dom.data.runs.length, 'run') +
    ', the baseline and the ' + best + ' best by ', dom.name(dom.data.measures[0].text), ' are shown at first. ',
  el('button', {type: 'button', class: 'copy', onclick: () => setVisible(all())}, 'Show all'), ' ',
  el('button', {type: 'button', class: 'copy', onclick: () => setVisible(usual())}, 'Show these'));
}

function howBands() {
  const {draws, table} = dom.data.bands;
  return el('p', {class: 'quiet small hint', id: 'bands-told'}, 'Bands are ' + dom.confidence() + ' intervals of the mean at each point, from ' +
    dom.count(draws) + ' draws of the topics' + (draws === table ? ', as in the table of the overview.'
    : '; those in the table of the overview are from ' + dom.count(table) + ', and differ a little.'));
}

function makeLegend() {
  return el('div', {class: 'legend', id: 'legend', role: 'group', 'aria-label': 'Runs shown'},
    dom.data.runs.map((run, number) => el('button', {type: 'button', 'data-run': number, 'aria-pressed': 'true',
      onclick: (event) => {
        const shown = visibleRuns();
        const alone = shown.length === 1 && shown[0] === number;
        if (event.shiftKey) setVisible(alone ? usual() : [number]);
        else setVisible(shown.includes(number) ? shown.filter((each) => each !== number) : shown.concat(number));
      }}, dom.run(number, false, dom.data.runs.length > 8 ? 24 : undefined))));
}

/* ---- one chart ---- */

function rows(curve, numbers) {
  return curve.points.filter((line) => numbers.includes(line.run)).flatMap((line) => line.x.map((x, i) => ({
    run: line.run, x, y: line.y[i], low: line.low ? line.low[i] : null, high: line.high ? line.high[i] : null})));
}

const hasBands = (curve) => curve.points.some((line) => line.low && line.low.some((value) => value !== null));

function domains(curve) {
  const extent = (names) => charting.extent(curve.points.flatMap((line) => names.flatMap((name) => line[name] || [])));
  const [left, right] = extent(['x']), [least, top] = extent(['y', 'low', 'high']), bottom = Math.min(0, least);
  const whole = curve.points.every((line) => line.x.every(Number.isInteger));
  return {whole, x: [left > 0 && left <= right * .06 && right <= 1 ? 0 : left, whole ? Math.max(right, left + 1) : right],
    y: [bottom, top > .55 && top <= 1 ? 1 : top || 1]};
}

const ticksAcross = 8;

/* With few ranks a tick at each, where Vega would put some between them. */
function axisAcross({whole, x: [left, right]}) {
  if (!whole) return {tickCount: ticksAcross};
  const every = right - left <= ticksAcross ? {values: Array.from({length: right - left + 1}, (none, i) => left + i)} : {};
  return Object.assign({tickCount: ticksAcross, tickMinStep: 1, format: ',d'}, every);
}

function specification(curve, numbers, bands) {
  const everyone = all();
  const domain = domains(curve);
  const x = (more) => Object.assign({field: 'x', type: 'quantitative', scale: {domain: domain.x, nice: false, zero: false},
    title: curve.x_title, axis: axisAcross(domain)}, more);
  const y = (field) => ({field, type: 'quantitative', scale: {domain: domain.y, nice: domain.y[1] !== 1}, title: curve.y_title, axis: {tickCount: 6}});
  const color = {field: 'run', type: 'nominal', legend: null, scale: {domain: everyone, range: everyone.map(dom.colour)}};
  const strokeDash = {field: 'run', type: 'nominal', legend: null, scale: {domain: everyone, range: everyone.map((run) => dom.dash(run).length ? dom.dash(run) : [1, 0])}};
  return {
    description: curve.title,
    height: 340,
    params: [{name: 'at', value: null}, {name: 'bands', value: bands}],
    data: {name: 'curves', values: rows(curve, numbers)},
    layer: [
      {transform: [{filter: 'bands && isValid(datum.low) && isValid(datum.high)'}], mark: {type: 'area', opacity: .13},
        encoding: {x: x(), y: y('low'), y2: {field: 'high'}, color}},
      {mark: {type: 'line'}, encoding: {x: x(), y: y('y'), color, strokeDash}},
      {data: {values: [{}]}, transform: [{filter: 'isValid(at)'}, {calculate: 'at', as: 'x'}], mark: {type: 'rule', strokeDash: [2, 2]}, encoding: {x: x()}},
      {transform: [{filter: 'isValid(at) && datum.x === at && isValid(datum.y)'}], mark: {type: 'point', filled: true, size: 60, opacity: 1, stroke: 'var(--paper)', strokeWidth: 1},
        encoding: {x: x(), y: y('y'), fill: color}},
    ],
  };
}

/* What the runs shown have at a place of the x axis; runs whose curve has no such place are left out. */
export function curveAt(curve, at, numbers) {
  return curve.points.filter((line) => numbers.includes(line.run)).map((line) => {
    const i = line.x.indexOf(at);
    return i < 0 || line.y[i] === null ? null
      : {run: line.run, y: line.y[i], low: line.low ? line.low[i] : null, high: line.high ? line.high[i] : null};
  }).filter(Boolean).sort((one, other) => other.y - one.y);
}

const short = (value) => String(Number(Number(value).toPrecision(6)));

function lines(chart) {
  const found = curveAt(chart.curve, chart.at, visibleRuns());
  const banded = bandsShown(app.state) && hasBands(chart.curve);
  return [el('div', {class: 'tip-title'}, dom.clean(chart.curve.x_title) + ' ' + short(chart.at)),
    el('table', {class: 'tip-values'}, el('tbody', {}, found.map(({run, y, low, high}) => el('tr', {},
      el('td', {}, dom.data.runs[run].label), el('td', {}, dom.clean(dom.data.runs[run].name)), el('td', {class: 'numeric'}, dom.number(y)),
      banded && low !== null ? el('td', {class: 'numeric'}, '[' + dom.number(low, 3) + ', ' + dom.number(high, 3) + ']') : null))))];
}

function point(chart, at, x, y) {
  chart.at = at;
  if (chart.view) chart.view.signal('at', at).runAsync();
  if (at === null) widgets.tipHide();
  else widgets.tipAt(x, y, lines(chart));
}

function follow(chart) {
  const {element} = chart;
  element.addEventListener('pointermove', (event) => {
    if (!chart.view || !event.target.closest('svg')) return;
    const across = charting.across(chart.view, event);
    if (across === null) return point(chart, null);
    const wanted = chart.view.scale('x').invert(across);
    const at = chart.xs.reduce((best, x) => Math.abs(x - wanted) < Math.abs(best - wanted) ? x : best);
    point(chart, at, event.clientX, event.clientY);
  });
  element.addEventListener('pointerleave', () => point(chart, null));
  element.addEventListener('blur', () => point(chart, null));
  element.addEventListener('keydown', (event) => {
    if (event.target !== element) return;
    const step = {ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10}[event.key];
    const end = {Home: 0, End: chart.xs.length - 1}[event.key];
    if (event.key === 'Escape') return point(chart, null);
    if (step === undefined && end === undefined || !chart.view) return;
    event.preventDefault();
    const now = chart.at === null ? (step > 0 ? -1 : chart.xs.length) : chart.xs.indexOf(chart.at);
    const to = end !== undefined ? end : Math.max(0, Math.min(chart.xs.length - 1, now + step));
    const box = element.querySelector('svg').getBoundingClientRect();
    const x = box.left + chart.view.origin()[0] + chart.view.scale('x')(chart.xs[to]);
    point(chart, chart.xs[to], x, box.top + 20);
    widgets.say(chart.curve.x_title + ' ' + short(chart.at) + ': ' + curveAt(chart.curve, chart.at, visibleRuns())
      .map(({run, y}) => dom.clean(dom.data.runs[run].name) + ' ' + dom.number(y)).join(', '));
  });
}

/* The same numbers as a table, made when it is opened. */
function numbersOf(chart) {
  const fold = el('details', {class: 'fold'}, el('summary', {}, 'The numbers'));
  fold.addEventListener('toggle', () => {
    if (!fold.open || fold.querySelector('table')) return;
    const {curve} = chart;
    const maps = curve.points.map((line) => new Map(line.x.map((x, i) => [x, line.y[i]])));
    fold.append(widgets.wide('Numbers of ' + dom.clean(curve.title), el('table', {class: 'data compact'},
      el('thead', {}, el('tr', {}, el('th', {scope: 'col', class: 'numeric'}, curve.x_title), curve.points.map((line) =>
        el('th', {scope: 'col', class: 'numeric'}, dom.run(line.run, true))))),
      el('tbody', {}, chart.xs.map((x) => el('tr', {}, el('th', {scope: 'row', class: 'numeric'}, short(x)), curve.points.map((line, i) =>
        el('td', {class: 'numeric', 'data-run': line.run, 'data-x': x, 'data-value': maps[i].get(x)}, dom.number(maps[i].get(x))))))))));
  });
  return fold;
}

function makeChart(curve, number) {
  const title = curve.title || curve.measure;
  const element = el('div', {class: 'chart', tabindex: 0, role: 'group', 'data-curve': number,
    'aria-label': 'Chart: ' + dom.clean(title) + ', ' + curve.y_title + ' by ' + curve.x_title + '. Arrow keys read values out.'}, el('div', {class: 'plot tall'}));
  const xs = Array.from(new Set(curve.points.flatMap((line) => line.x))).sort((a, b) => a - b);
  const chart = {curve, element, xs, at: null, view: null};
  charts.push(chart);
  follow(chart);
  const measure = dom.data.measures.find((each) => each.text === curve.measure);
  return el('figure', {class: 'card', 'data-curve': number}, el('figcaption', {}, el('h2', {}, dom.name(title)),
    measure && measure.what ? el('p', {class: 'quiet small'}, measure.what) : null), element, numbersOf(chart));
}

function make(element) {
  const {data} = dom;
  if (!data.curves.length) {
    dom.fill(element, el('h2', {class: 'first'}, 'Curves'), el('p', {id: 'no-curves'}, data.measures.some((measure) => measure.curve)
      ? 'There is no curve to show: no topic has a value. The overview says why.'
      : 'None of the measures has a curve. EPRUM, PRUM, nxCG, epgr and Coverage have one.'));
    return;
  }
  charts.length = 0;
  legend = makeLegend();
  allBands = el('input', {type: 'checkbox', id: 'bands', onchange: () => app.go({bands: allBands.checked ? null : 'no'})});
  dom.fill(element, el('h2', {class: 'unseen'}, 'Curves'),
    el('div', {class: 'legend-bar'}, legend, data.curves.some(hasBands) ? el('label', {}, allBands, 'Bands') : null),
    shownAtFirst(), data.curves.some(hasBands) ? howBands() : null,
    data.runs.length > 1 ? el('p', {class: 'quiet small hint'}, 'Press a run to hide or show it, with Shift to see it alone.') : null,
    el('div', {class: 'charts'}, data.curves.map(makeChart)));
}

async function draw() {
  const numbers = visibleRuns(), bands = bandsShown(app.state);
  if (legend) for (const button of legend.children) button.setAttribute('aria-pressed', String(numbers.includes(Number(button.dataset.run))));
  if (allBands) allBands.checked = bands;
  for (const chart of charts) {
    if (chart.view) {
      chart.view.signal('bands', bands).data('curves', rows(chart.curve, numbers));
      await chart.view.runAsync();
    } else if (!chart.begun) {
      chart.begun = true;
      chart.view = await charting.chart(chart.element, specification(chart.curve, numbers, bands));
      // The legend may have been used while the chart was being made.
      chart.view.signal('bands', bandsShown(app.state)).data('curves', rows(chart.curve, visibleRuns()));
      await chart.view.runAsync();
    }
  }
}

app.view('curves', {title: 'Curves', key: '2', show(element, state, changed) {
  if (changed.has('first')) make(element);
  if (changed.has('first') || changed.has('off') || changed.has('on') || changed.has('bands')) return draw();
}});

app.key('curves', ['ArrowLeft', 'ArrowRight'], 'In a chart: read the values');
app.key('curves', 'b', 'Bands on or off', () => app.go({bands: bandsShown(app.state) ? 'no' : null}));
app.key('curves', 'a', 'Show all runs', () => setVisible(all()));
