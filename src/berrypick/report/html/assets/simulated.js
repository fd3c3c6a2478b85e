/* Simulated readers of a topic: for each run and measure the distribution of what they get, as bars and as a table. */

(function (berry) {
  'use strict';

  const { el, svg, parts } = berry;
  const WIDTH = 400, HEIGHT = 96, TOP = 6;   // of a picture, in its own units

  let page = null;
  let token = 0;

  const percent = (share) => (share > 0 && share < 0.0005 ? '<0.1%' : (100 * share).toFixed(1) + '%');

  function build(element) {
    const { data } = berry;
    const names = data.simulated.measures.map((measure, number) => [number, berry.clean(data.measures[measure].text)]);
    const measure = parts.select('simulated-measure', names, (value) => berry.go({ simulated: value }));
    page = { bar: parts.bar(), measure, notice: el('div'), title: el('div'), assumed: el('p', { class: 'simulated-assumed' }), runs: el('div', { class: 'simulated-runs' }) };
    page.bar.element.append(parts.labelled('Measure', measure));
    page.body = el('div', {}, page.title, el('p', {}, intro()), page.assumed, page.runs);
    berry.fill(element, page.bar.element, page.notice, page.body);
  }

  const intro = () => `${berry.count(berry.data.simulated.readers)} readers were simulated for each topic, the same for all runs ` +
    `(seed ${berry.data.simulated.seed}). A bar is the share of readers who get so much; the exact value is computed under the ` +
    'hypotheses of the measure, so it can differ from that of the readers.';

  async function show(element, state, changed) {
    if (!page || changed.has('first')) build(element);
    page.bar.update(state);
    const count = berry.data.simulated.measures.length;
    const chosen = Number.isInteger(state.simulated) && state.simulated >= 0 && state.simulated < count ? state.simulated : 0;
    page.measure.value = String(chosen);
    const topic = parts.topicOf(state);
    const mine = ++token;
    const block = await parts.load(page.notice, topic);
    if (mine !== token) return;
    page.body.hidden = !block;
    if (!block) return;
    berry.fill(page.notice);
    berry.fill(page.title, parts.heading(block));
    const assumed = berry.data.simulated.assumed[chosen];
    page.assumed.hidden = !assumed;
    berry.fill(page.assumed, `Note: ${assumed}.`);
    const shown = parts.shownRuns(state).map((run) => [run, block.simulated[chosen][run]]);
    const [low, high, most] = scale(shown.map(([, twin]) => twin));
    berry.fill(page.runs, shown.map(([run, twin]) => el('section', { class: 'simulated-run', 'data-run': run },
      el('h3', {}, berry.run(run)), twin ? [picture(twin, run, low, high, most), table(twin, run, chosen)] :
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
        height: tall(share), style: { fill: berry.colour(run) } });
      return share ? berry.tip(bar, () => [`${berry.number(left)} to ${berry.number(left + step)}`, `${percent(share)} of the readers`]) : null;
    });
    const ticks = berry.ticks(low, high).map((tick) => svg('text', { x: at(tick), y: HEIGHT + 15,
      'text-anchor': tick <= low ? 'start' : at(tick) > .97 * WIDTH ? 'end' : 'middle' }, String(tick)));
    return svg('svg', { class: 'simulated-picture', viewBox: `0 0 ${WIDTH} ${HEIGHT + 20}`, role: 'img', 'aria-label': words(twin) },
      bars, svg('line', { class: 'simulated-base', x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }), line(twin.simulated, 'mean'),
      line(twin.value, 'exact'), ticks);
  }

  const words = (twin) => `Distribution over readers: together they get ${berry.number(twin.simulated)}, half of them get at most ` +
    `${berry.number(twin.quantiles[2])}, ${percent(twin.nothing)} get nothing; exact value ${berry.number(twin.value)}.`;

  function table(twin, run, chosen) {
    const { shares, pools } = berry.data.simulated;
    const row = (name, value, key) => el('tr', {}, el('th', { scope: 'row' }, name), el('td', { class: 'numeric', 'data-fact': key }, value));
    const sample = (kind) => svg('svg', { class: 'simulated-key', viewBox: '0 0 14 12', width: 14, height: 12, 'aria-hidden': 'true' },
      svg('line', { class: 'simulated-' + kind, x1: 7, x2: 7, y1: 0, y2: 12 }));
    return el('table', { class: 'simulated-table', 'data-measure': chosen, 'data-run': run }, el('tbody', {},
      row([sample('mean'), pools[chosen] ? 'all readers together' : 'mean over readers'], `${berry.number(twin.simulated)} \u00b1 ${berry.number(twin.error)}`, 'mean'),
      row([sample('exact'), 'exact value'], berry.number(twin.value), 'exact'),
      row('readers who get nothing', percent(twin.nothing), 'nothing'),
      shares.map((share, i) => row(`${100 * share}% get at most`, berry.number(twin.quantiles[i]), 'p' + 100 * share))));
  }

  if (berry.data.simulated) {
    berry.view('simulated', { title: 'Simulated readers', show });
    [['j', 1], ['ArrowRight', 1], ['k', -1], ['ArrowLeft', -1]].forEach(([key, change]) =>
      berry.key('simulated', key, change > 0 ? 'Next topic' : 'Previous topic', () => parts.step(change)));
  }
})(window.berry = window.berry || {});
