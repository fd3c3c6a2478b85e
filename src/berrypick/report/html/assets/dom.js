/* The ground the views stand on: data, DOM builder, names shown safely, colours. Nothing here or in the other files
   ever writes markup: text reaches the page as text nodes. */

const byId = (id) => document.getElementById(id);

/* ---- data ---- */

export const data = JSON.parse(byId('overview').textContent);

const kept = 12;               // decoded blocks to keep: enough for a topic and the documents being looked at
const blocks = new Map();      // number -> promise, the least recently used first

export function block(number) {
  let promise = blocks.get(number);
  if (promise) {
    blocks.delete(number);
  } else {
    promise = decode(number);
    promise.catch(() => blocks.delete(number));
  }
  blocks.set(number, promise);
  if (blocks.size > kept) blocks.delete(blocks.keys().next().value);
  return promise;
}

async function decode(number) {
  const script = document.querySelector('script[data-block="' + Number(number) + '"]');
  if (!script) throw new Error('This page has no block ' + number + '.');
  if (!window.DecompressionStream) {
    throw new Error('This browser cannot unpack the details (it needs DecompressionStream: ' +
      'Chrome or Edge 80, Firefox 113, Safari 16.4 or newer).');
  }
  const packed = atob(script.textContent.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}

/* ---- DOM builder ---- */

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'style') {
      // One by one through the CSSOM: the content security policy forbids style attributes.
      for (const [property, setting] of Object.entries(value)) {
        if (property.startsWith('--')) element.style.setProperty(property, setting);
        else element.style[property] = setting;
      }
    } else if (typeof value === 'function' && name.startsWith('on')) {
      element.addEventListener(name.slice(2).toLowerCase(), value);
    } else if (name.startsWith('on')) {
      throw new Error(name + ' must be a function');
    } else if (/^(xlink:)?href$/.test(name) && !/^(#|https?:)/.test(value)) {
      continue;                // whatever is in the data, only places in this page and web addresses become links
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

export const el = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);

export const svg = (tag, attributes, ...children) =>
  build(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

/* Replace what is in an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/* ---- text that others wrote ---- */

// Characters that change how the text around them is shown, or hide: written out, so that two names that differ
// look different and no name can reorder the page.
const marks = {
  0x061c: 'ALM', 0x180e: 'MVS', 0x200b: 'ZWSP', 0x200e: 'LRM', 0x200f: 'RLM', 0x2028: 'LS', 0x2029: 'PS',
  0x202a: 'LRE', 0x202b: 'RLE', 0x202c: 'PDF', 0x202d: 'LRO', 0x202e: 'RLO', 0x2060: 'WJ',
  0x2066: 'LRI', 0x2067: 'RLI', 0x2068: 'FSI', 0x2069: 'PDI', 0xfeff: 'BOM', 0xad: 'SHY', 0x7f: 'DEL',
};
const controls = ('NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ' +
  'ESC FS GS RS US').split(' ');
const hidden = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e' +
  '\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}\\ud800-\\udfff]', 'gu');

function visible(text) {
  return text.replace(hidden, (character) => {
    const code = character.codePointAt(0);
    if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
    return '\u2039' + (marks[code] || controls[code] || 'U+' + code.toString(16).toUpperCase().padStart(4, '0')) + '\u203a';
  });
}

function shortened(text, longest) {
  if (text.length <= longest) return text;
  const points = Array.from(text.length > 4 * longest ? text.slice(0, 2 * longest) + text.slice(-2 * longest) : text);
  if (points.length <= longest) return text;
  const tail = Math.floor(longest / 3);
  return points.slice(0, longest - tail - 1).join('') + '\u2026' + points.slice(-tail).join('');
}

export const clean = (text, longest = 60) => visible(shortened(String(text), longest));

/* Sentences are cut at the end, not in the middle as names are. */
export function start(text, longest) {
  const points = Array.from(String(text).slice(0, 2 * longest + 2));
  return visible(points.length > longest ? points.slice(0, longest).join('').trimEnd() + '\u2026' : points.join(''));
}

/* What tells the name of a run from the others, where all begin or end alike. */
let differing = null;

export function shortRun(run, longest = 60) {
  if (!differing) {
    const names = data.runs.map(({name}) => name);
    const [head, tail] = [alike(names), alike(names.map((name) => Array.from(name).reverse().join('')))];
    differing = names.map((name) => {
      const points = Array.from(name);
      if (head + tail >= points.length || head + tail < 8) return name;
      return (head ? '\u2026' : '') + points.slice(head, points.length - tail).join('') + (tail ? '\u2026' : '');
    });
  }
  return clean(differing[run], longest);
}

/* How many characters all names begin with, up to the end of a word. */
function alike(names) {
  if (names.length < 2) return 0;
  const points = names.map((name) => Array.from(name));
  let count = 0;
  while (points.every((one) => count < one.length && one[count] === points[0][count])) count += 1;
  while (count > 0 && !/[-_/. :+]/.test(points[0][count - 1])) count -= 1;
  return count;
}

// Whole texts of shortened names by number, so that a page with one very long name in 500 places keeps it once.
const wholes = [];
const numbers = new Map();

export function name(text) {
  text = String(text);
  const shown = clean(text);
  const element = el('bdi', {class: 'name'}, shown);
  if (shown !== text) {
    element.title = visible(text.slice(0, 1000)) + (text.length > 1000 ? '\u2026 (' + text.length + ' characters)' : '');
    if (!numbers.has(text)) numbers.set(text, wholes.push(text) - 1);
    element.dataset.whole = numbers.get(text);
  }
  return element;
}

// Copying a shortened name copies the whole one.
document.addEventListener('copy', (event) => {
  const selection = document.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  const around = range.commonAncestorContainer;
  const inside = (around.nodeType === 1 ? around : around.parentElement).closest('bdi[data-whole]');
  if (inside) {
    if (selection.toString() !== inside.textContent) return;
    event.clipboardData.setData('text/plain', wholes[inside.dataset.whole]);
    event.preventDefault();
    return;
  }
  const names = Array.from(around.querySelectorAll('bdi[data-whole]')).filter((name) => selection.containsNode(name));
  if (!names.length) return;
  // The selection's own text keeps tabs and line ends of tables; each shown name in it, in order, becomes the whole.
  const shown = selection.toString();
  let copied = '', at = 0;
  for (const name of names) {
    const found = shown.indexOf(name.textContent, at);
    if (found < 0) continue;
    copied += shown.slice(at, found) + wholes[name.dataset.whole];
    at = found + name.textContent.length;
  }
  event.clipboardData.setData('text/plain', copied + shown.slice(at));
  event.preventDefault();
});

export function number(value, places = 4) {
  return value === null || value === undefined || Number.isNaN(value) ? '-' : Number(value).toFixed(places);
}

/* Of a difference its sign; of a small p-value what it is below; the confidence of the intervals as a percentage. */
export const signed = (value, places = 4) => value === null || value === undefined ? '-' : (value > 0 ? '+' : '') + number(value, places);
export const pvalue = (p) => p === null || p === undefined ? '-' : p < .0001 ? '<0.0001' : p.toFixed(4);
export const confidence = () => Number((100 * data.confidence).toPrecision(6)) + '%';

export const count = (value) => Number(value).toLocaleString('en');

export const plural = (amount, one, many) => count(amount) + ' ' + (amount === 1 ? one : many || one + 's');

/* A run as it is named everywhere: its line sample, letter and name; with `longest`, what tells it from the others. */
export function run(number, plain, longest) {
  const {name: whole, label} = data.runs[number];
  const shown = longest ? el('bdi', {class: 'name', title: clean(whole, 1000)}, shortRun(number, longest)) : name(whole);
  return el('span', {class: 'run'}, plain ? null : sample(number), el('span', {class: 'letter'}, label), ' ', shown);
}

/* ---- colours ---- */

const dashes = [[], [7, 3], [2.5, 2], [9, 3, 2, 3], [5, 2, 5, 5], [1.5, 4], [12, 4], [9, 2, 2, 2, 2, 2]];
const shapes = ['circle', 'square', 'diamond', 'triangle-up', 'cross', 'triangle-down', 'triangle-right', 'triangle-left'];

export const colour = (run) => 'var(--run-' + run % 8 + ')';
// Beyond eight runs the colours come again, with the other patterns shifted, so that no pair of runs is alike.
export const dash = (run) => dashes[(run + Math.floor(run / 8)) % 8];
export const shape = (run) => shapes[(run + Math.floor(run / 8)) % 8];

export const sample = (run) => svg('svg', {class: 'sample', viewBox: '0 0 28 8', width: 28, height: 8, 'aria-hidden': 'true'},
  svg('line', {x1: 0, x2: 28, y1: 4, y2: 4, 'stroke-width': 2.5, 'stroke-dasharray': dash(run).join(' ') || null,
    style: {stroke: colour(run)}}));
