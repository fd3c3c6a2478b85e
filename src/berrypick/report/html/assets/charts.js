/* Charts by Vega-Lite in the page's own clothes. Colours are CSS variables in the SVG, so that a change of theme, and
   printing, need no new drawing. */

import * as dom from './dom.js';
import * as widgets from './widgets.js';

const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif';

const config = {
  background: null,
  font,
  aria: false,                 // the element around the chart says what it is; hundreds of labelled marks say nothing
  view: {stroke: null},
  axis: {
    labelColor: 'var(--quiet)', titleColor: 'var(--quiet)', labelFontSize: 12, titleFontSize: 12.5, titleFontWeight: 'normal', titlePadding: 10,
    gridColor: 'var(--line)', gridOpacity: .75, domain: false, tickColor: 'var(--line)', labelPadding: 5, labelFlush: false,
  },
  axisX: {grid: false, domain: true, domainColor: 'var(--strong-line)', tickColor: 'var(--strong-line)'},
  line: {strokeWidth: 2.2, strokeCap: 'butt', strokeJoin: 'round'},
  rule: {color: 'var(--strong-line)'},
};

// No data of ours has an address; should a specification ever name one, it is not asked for.
const loader = {
  load: () => Promise.reject(new Error('This report loads nothing from the network.')),
  sanitize: () => Promise.reject(new Error('This report loads nothing from the network.')),
};

let library = null;
let made = null;

/* The charting library, a megabyte of code that is run when the first chart is drawn. */
export function use(given) { library = given; }

function embed(...given) {
  made = made || library();
  return made(...given);
}

const drawn = new WeakMap();   // element -> {result, watcher}

/* Draw a specification into an element, as wide as the element is, now and later. Gives Vega's view.
   options: tip(datum) -> lines for what is under the pointer. */
export async function chart(element, spec, options = {}) {
  const before = drawn.get(element);
  if (before) {
    before.watcher.disconnect();
    before.result.finalize();
  }
  const box = element.querySelector('.plot') || element.appendChild(dom.el('div', {class: 'plot'}));
  const width = () => Math.max(120, Math.floor(box.clientWidth));
  const whole = Object.assign({width: width(), autosize: {type: 'fit-x', contains: 'padding'}, padding: 2}, spec);
  const result = await embed(box, whole, {
    mode: 'vega-lite', ast: true, actions: false, defaultStyle: false, renderer: 'svg', config, loader,
    tooltip: (handler, event, item, value) => {          // no value: the pointer has left
      const lines = options.tip && value && item && item.datum ? options.tip(item.datum) : null;
      if (lines) widgets.tipAt(event.clientX, event.clientY, lines);
      else if (options.tip) widgets.tipHide();
    },
  });
  // The element around it says what it is; hundreds of marks without names would be read out.
  box.querySelector('svg').setAttribute('aria-hidden', 'true');
  const view = result.view;
  let last = width();
  const watcher = new ResizeObserver(() => {
    if (!box.clientWidth || width() === last) return;    // a hidden chart keeps its size
    last = width();
    view.width(last).runAsync();
  });
  watcher.observe(box);
  drawn.set(element, {result, watcher});
  return view;
}

/* Where a pointer is along the x axis, in the chart's own units; null outside the plot. */
export function across(view, event) {
  const svg = view.container().querySelector('svg');
  const box = svg.getBoundingClientRect();
  const stretch = svg.width.baseVal.value / box.width;   // printed and zoomed charts are scaled
  const x = (event.clientX - box.left) * stretch - view.origin()[0] - view.padding().left;
  return x < -8 || x > view.width() + 8 ? null : x;
}

/* Least and largest of numbers, leaving out null; Math.max(...numbers) fails for long lists. */
export function extent(numbers) {
  let low = Infinity, high = -Infinity;
  for (const number of numbers) {
    if (number === null || number === undefined) continue;
    if (number < low) low = number;
    if (number > high) high = number;
  }
  return [low, high];
}

/* Ticks at round numbers. */
export function ticks(low, high, count = 4) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough * .999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(Number((i * step).toPrecision(12)));
  return found;
}
