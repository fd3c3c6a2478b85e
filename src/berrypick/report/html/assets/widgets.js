/* What views are made of: tooltips, buttons that copy, tables that sort, and what is unfolded for printing. */

import * as dom from './dom.js';
import { el } from './dom.js';

const byId = (id) => document.getElementById(id);

/* ---- tooltips: one element, moved about ---- */

const bubble = byId('tip');
let tipped = null;             // the element the tooltip is about, if any

/* Show lines of text (or elements) near a point of the window. */
export function tipAt(x, y, lines) {
  dom.fill(bubble, (Array.isArray(lines) ? lines : [lines]).map((line) => el('div', {}, line)));
  bubble.hidden = false;
  const {width, height} = bubble.getBoundingClientRect();
  const right = document.documentElement.clientWidth - width - 8;
  bubble.style.left = Math.max(8, Math.min(x + 14, right)) + 'px';
  // Above the pointer if there is no room below.
  bubble.style.top = (y + 18 + height < window.innerHeight ? y + 18 : Math.max(8, y - height - 12)) + 'px';
}

export function tipHide() {
  bubble.hidden = true;
  if (tipped) tipped.removeAttribute('aria-describedby');
  tipped = null;
}

export function tip(element, lines) {
  const show = (x, y) => {
    const content = lines();
    if (!content || !content.length) return tipHide();
    if (tipped && tipped !== element) tipped.removeAttribute('aria-describedby');
    tipped = element;
    element.setAttribute('aria-describedby', 'tip');
    tipAt(x, y, content);
  };
  element.addEventListener('pointerenter', (event) => show(event.clientX, event.clientY));
  element.addEventListener('pointermove', (event) => show(event.clientX, event.clientY));
  element.addEventListener('pointerleave', tipHide);
  element.addEventListener('focus', () => {
    if (!element.matches(':focus-visible')) return;
    const box = element.getBoundingClientRect();
    show(box.left, box.bottom - 14);
  });
  element.addEventListener('blur', tipHide);
  return element;
}

document.addEventListener('scroll', () => { if (!bubble.hidden) tipHide(); }, {capture: true, passive: true});

/* Tell screen readers what happened. */
export function say(text) { byId('said').textContent = text; }

/* ---- copying ---- */

export function copyButton(text, label = 'Copy') {
  const button = el('button', {type: 'button', class: 'copy', onclick: async () => {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch (problem) {        // no clipboard API for pages from files in some browsers
      const area = el('textarea', {class: 'unseen', 'aria-hidden': 'true'});
      area.value = text;
      document.body.append(area);
      area.select();
      done = document.execCommand('copy');
      area.remove();
      button.focus();
    }
    button.textContent = done ? 'Copied' : 'Not copied';
    say(button.textContent);
    setTimeout(() => { button.textContent = label; }, 1600);
  }}, label);
  return button;
}

/* ---- a table whose columns sort when their headers are pressed ---- */

/* columns: [{title, key, value(row), cell(row) -> td or content, numeric, falling, head: attributes, rowHeader}]
   options: {rows, id, class, sort: key, falling: bool, row(row) -> attributes of the tr, onsort(key, falling), after()}
   `value` decides the order; rows without a value come last either way. `falling`: the larger first on first press. */
export function table(columns, options) {
  let {sort = null, falling = false, rows} = options;
  const body = el('tbody');
  const heads = columns.map((column) => {
    const button = column.value
      ? el('button', {type: 'button', class: 'sort', onclick: () => press(column)}, column.title, el('span', {class: 'arrow', 'aria-hidden': 'true'}))
      : column.title;
    return el('th', Object.assign({scope: 'col', class: column.numeric ? 'numeric' : null, 'data-column': column.key}, column.head), button,
      column.under || null);
  });
  const table = el('table', {id: options.id, class: 'data ' + (options.class || '')},
    options.caption ? el('caption', {}, options.caption) : null, el('thead', {}, el('tr', {}, heads)), body);

  function press(column) {
    if (sort === column.key) falling = !falling;
    else [sort, falling] = [column.key, Boolean(column.falling)];
    fill();
    if (options.onsort) options.onsort(sort, falling);
    say('Sorted, ' + (falling ? 'falling' : 'rising'));
  }

  function fill() {
    const by = columns.find((column) => column.key === sort);
    columns.forEach((column, at) => {
      if (column.value) heads[at].setAttribute('aria-sort', column !== by ? 'none' : falling ? 'descending' : 'ascending');
    });
    const ordered = rows.slice();
    if (by) {
      const values = new Map(ordered.map((row) => [row, by.value(row)]));
      const compare = (a, b) => typeof a === 'string' ? compare(a, b) : a - b;
      ordered.sort((one, other) => {
        const [a, b] = [values.get(one), values.get(other)];
        if (a === null || b === null) return (a === null) - (b === null);
        return falling ? compare(b, a) : compare(a, b);
      });
    }
    body.replaceChildren(...ordered.map((row) => el('tr', options.row ? options.row(row) : {}, columns.map((column) => {
      const cell = column.cell(row);
      if (cell instanceof Element && /^T[DH]$/.test(cell.tagName)) return cell;
      return el(column.rowHeader ? 'th' : 'td', {scope: column.rowHeader ? 'row' : null, class: column.numeric ? 'numeric' : null}, cell);
    }))));
    table.ordered = ordered;
    if (options.after) options.after(table);
  }

  table.refill = (next, key = sort, down = falling) => { [rows, sort, falling] = [next, key, down]; fill(); };
  fill();
  return table;
}

const collator = new Intl.Collator('en', {numeric: true});
export const compare = (one, other) => collator.compare(one.slice(0, 200), other.slice(0, 200));

/* A box that scrolls sideways on its own, reachable by keyboard. */
export const wide = (label, ...children) => el('div', {class: 'wide', role: 'region', 'aria-label': label, tabindex: 0}, children);

/* ---- printing: what can be folded is unfolded ---- */

let folded = [];

window.addEventListener('beforeprint', () => {
  folded = Array.from(document.querySelectorAll('details:not([open])'));
  folded.forEach((each) => { each.open = true; });
});
window.addEventListener('afterprint', () => {
  folded.forEach((each) => { each.open = false; });
  folded = [];
});
