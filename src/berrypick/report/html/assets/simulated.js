/* Simulated readers of a topic: for each run and measure the distribution of what they get, as bars and as a table. */

import * as dom from './dom.js';
import { el, svg } from './dom.js';
import * as widgets from './widgets.js';
import * as app from './app.js';
import * as charting from './charts.js';
import * as choosing from './choosing.js';

const WIDTH = 400, HEIGHT = 96, TOP = 6;   // of a picture, in its own units

let page = null;
let token = 0;

const percent = (share) => (share > 0 && share < 0.0005 ? '<0.1%' : (100 * share).toFixed(1) + '%');

function build(element) {
  const {data} = dom;
  const names = data.simulated.measures.map((measure, number) => [number, dom.clean(data.measures[measure].text)]);
  const measure = choosing.select('simulated-measure', names, (value) => app.go({ simulated: value }));
  page = { bar: choosing.bar(), measure, notice: el('div'), title: el('div'), assumed: el('p', { class: 'simulated-assumed' }), runs: el('div', { class: 'simulated-runs' }) };
  page.bar.element.append(choosing.labelled('Measure', measure));
  page.body = el('div', {}, page.title, el('p', {}, intro()), page.assumed, page.runs);
  dom.fill(element, page.bar.element, page.notice, page.body);
}

const intro = () => `${dom.count(dom.data.simulated.readers)} readers were simulated for each topic, the same for all runs ` +
  `(seed ${dom.data.simulated.seed}). Each bar: share of readers with that score. The exact value is computed under the ` +
  'hypotheses of the measure, so it can differ from the mean over readers.';

async function show(element, state, changed) {
  if (!page || changed.has('first')) build(element);
  page.bar.update(state);
  const count = dom.data.simulated.measures.length;
  const chosen = Number.isInteger(state.simulated) && state.simulated >= 0 && state.simulated < count ? state.simulated : 0;
  page.measure.value = String(chosen);
  const topic = choosing.topicOf(state);
  const mine = ++token;
  const block = await choosing.load(page.notice, topic);
  if (mine !== token) return;
  page.body.hidden = !block;
  if (!block) return;
  dom.fill(page.notice);
  dom.fill(page.title, choosing.heading(block));
  const assumed = dom.data.simulated.assumed[chosen];
  page.assumed.hidden = !assumed;
  dom.fill(page.assumed, `Note: ${assumed}.`);
  const shown = choosing.shownRuns(state).map((run) => [run, block.simulated[chosen][run]]);
  const [low, high, most] = scale(shown.map(([, twin]) => twin));
  dom.fill(page.runs, shown.map(([run, twin]) => el('section', { class: 'simulated-run', 'data-run': run },
    el('h3', {}, dom.run(run)), twin ? [picture(twin, run, low, high, most), table(twin, run, chosen)] :
      el('p', { class: 'quiet' }, 'No readers: the value is undefined, or the run has no results for this topic.'))));
  element.dataset.shown = `${topic}`;
}

/* One scale for both runs, so that the pictures can be compared. */
function scale(found) {
  const known = found.filter(Boolean);
  return [Math.min(0, ...known.map((twin) => twin.edges[0])), Math.max(...known.map((twin) => twin.edges[1]), 0.001),
    Math.max(...known.flatMap((twin) => twin.bars), 0.001)];
}

function picture(twin, run, low, high, most) {
  const at = (value) => WIDTH * (value - low) / (high - low);
  const [from, to] = twin.edges;
  const step = (to - from) / twin.bars.length;
  const tall = (share) => (HEIGHT - TOP) * share / most;
  const line = (value, kind) => svg('line', { class: 'simulated-' + kind, x1: at(value), x2: at(value), y1: 0, y2: HEIGHT });
  const bars = twin.bars.map((share, i) => {
    const left = from + i * step;
    const bar = svg('rect', { x: at(left) + .5, width: Math.max(.5, at(left + step) - at(left) - 1), y: HEIGHT - tall(share),
      height: tall(share), style: { fill: dom.colour(run) } });
    return share ? widgets.tip(bar, () => [`${dom.number(left)} to ${dom.number(left + step)}`, `${percent(share)} of the readers`]) : null;
  });
  const ticks = charting.ticks(low, high).map((tick) => svg('text', { x: at(tick), y: HEIGHT + 15,
    'text-anchor': tick <= low ? 'start' : at(tick) > .97 * WIDTH ? 'end' : 'middle' }, String(tick)));
  return svg('svg', { class: 'simulated-picture', viewBox: `0 0 ${WIDTH} ${HEIGHT + 20}`, role: 'img', 'aria-label': words(twin) },
    bars, svg('line', { class: 'simulated-base', x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }), line(twin.simulated, 'mean'),
    line(twin.value, 'exact'), ticks);
}

const words = (twin) => `Distribution over readers: together they get ${dom.number(twin.simulated)}, half of them get at most ` +
  `${dom.number(twin.quantiles[2])}, ${percent(twin.nothing)} get nothing; exact value ${dom.number(twin.value)}.`;

function table(twin, run, chosen) {
  const { shares, pools } = dom.data.simulated;
  const row = (name, value, key) => el('tr', {}, el('th', { scope: 'row' }, name), el('td', { class: 'numeric', 'data-fact': key }, value));
  const sample = (kind) => svg('svg', { class: 'simulated-key', viewBox: '0 0 14 12', width: 14, height: 12, 'aria-hidden': 'true' },
    svg('line', { class: 'simulated-' + kind, x1: 7, x2: 7, y1: 0, y2: 12 }));
  return el('table', { class: 'simulated-table', 'data-measure': chosen, 'data-run': run }, el('tbody', {},
    row([sample('mean'), pools[chosen] ? 'all readers together' : 'mean over readers'], `${dom.number(twin.simulated)} \u00b1 ${dom.number(twin.error)}`, 'mean'),
    row([sample('exact'), 'exact value'], dom.number(twin.value), 'exact'),
    row('readers who get nothing', percent(twin.nothing), 'nothing'),
    shares.map((share, i) => row(`${100 * share}% get at most`, dom.number(twin.quantiles[i]), 'p' + 100 * share))));
}

if (dom.data.simulated) {
  app.view('simulated', { title: 'Simulated readers', show });
  [['j', 1], ['ArrowRight', 1], ['k', -1], ['ArrowLeft', -1]].forEach(([key, change]) =>
    app.key('simulated', key, change > 0 ? 'Next topic' : 'Previous topic', () => choosing.step(change)));
}
