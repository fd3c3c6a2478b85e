/* Element trees. */

import * as dom from './dom.js';
import { el } from './dom.js';
import * as widgets from './widgets.js';
import * as spans from './spans.js';
import * as model from './model.js';

const CHUNK = 200; // children shown at once

// Nodes {label, path, start, end, kids, ranks, target} from the columns of a document block.
export function treeOf(tree) {
  const nodes = tree.name.map((name, i) => ({ name: tree.names[name], start: tree.start[i], end: tree.end[i],
    kids: [], ranks: [], target: false }));
  const counters = nodes.map(() => null); // same-named siblings so far, per parent
  let root = null;
  const top = new Map();
  nodes.forEach((node, i) => {
    const parent = tree.parent[i];
    const names = parent < 0 ? top : counters[parent] || (counters[parent] = new Map());
    const number = (names.get(node.name) || 0) + 1;
    names.set(node.name, number);
    node.label = `${node.name}[${number}]`;
    node.parent = parent < 0 ? null : nodes[parent];
    if (parent >= 0) nodes[parent].kids.push(node);
    else root = root || node;
  });
  return root;
}

// From paths alone, where nobody knows more than the elements that were judged or retrieved.
export function treeFromPaths(paths) {
  const make = (label, parent) => ({ label, parent, kids: [], ranks: [], target: false, start: null, end: null,
    byLabel: new Map() });
  const root = make('', null);
  for (const path of paths) {
    let node = root;
    for (const label of path.split('/').filter(Boolean)) {
      if (!node.byLabel.has(label)) {
        const kid = make(label, node === root ? null : node);
        node.byLabel.set(label, kid);
        node.kids.push(kid);
      }
      node = node.byLabel.get(label);
    }
  }
  const order = (a, b) => a.label.localeCompare(b.label, 'en', { numeric: true });
  const sort = (node) => { node.kids.sort(order).forEach(sort); };
  sort(root);
  if (root.kids.length === 1) return root.kids[0];
  root.label = '/';
  root.kids.forEach((kid) => { kid.parent = root; });
  return root;
}

export function pathOf(node) {
  const labels = [];
  for (let at = node; at; at = at.parent) if (at.label !== '/') labels.unshift(at.label);
  return `/${labels.join('/')}`;
}

export function byPath(root, path) {
  const steps = path.split('/').filter(Boolean);
  let kids = root.label === '/' ? root.kids : [root];
  let node = null;
  for (const step of steps) {
    const label = step.endsWith(']') ? step : `${step}[1]`;
    node = kids.find((kid) => kid.label === label || kid.label === step);
    if (!node) return null;
    kids = node.kids;
  }
  return node;
}

// The smallest element around a span.
export function around(root, start, end) {
  let node = root;
  for (;;) {
    const kid = node.kids.find((each) => each.start <= start && each.end >= end && each.end > each.start);
    if (!kid) return node;
    node = kid;
  }
}

// {root, mark(node) -> {found, missed, noise, size} or {kind, again}, pick(node), label}
export function treePane({ root, mark, pick, label }) {
  const element = el('div', { class: 'tree-pane' });
  const open = new Set([root]);
  let focused = root;
  const rows = new Map(); // node -> li
  const shown = new Map(); // node -> how many of its children
  const wanted = new Set(); // nodes to be in the page even where their siblings are not

  const opened = (node) => node.kids.length > 0 && open.has(node);

  function bar(node) {
    const facts = mark(node);
    if (facts.kind) return el('span', { class: `tree-kind tree-${facts.kind}${facts.again ? ' tree-again' : ''}`,
      'data-kind': facts.kind }, model.SHORT[facts.kind]);
    if (!facts.size || !(facts.found + facts.missed + facts.noise)) return el('span', { class: 'tree-bar' });
    return el('span', { class: 'tree-bar', 'data-found': facts.found, 'data-missed': facts.missed, 'data-noise': facts.noise },
      ['found', 'missed', 'noise'].filter((kind) => facts[kind] > 0)
        .map((kind) => el('span', { class: `tree-${kind}`,
          style: { width: `${Math.max(4, (100 * facts[kind]) / facts.size)}%` } })));
  }

  function facts(node) {
    const lines = [pathOf(node)];
    const of = mark(node);
    if (node.start !== null) lines.push(`${model.stretch(node.start, node.end)}, ${model.size(node.end - node.start, 'characters')}`);
    if (of.kind) lines.push(model.MEANING[of.kind]);
    else ['found', 'missed',
      'noise'].forEach((kind) => { if (of[kind]) lines.push(`${model.count(of[kind])} ${model.MEANING[kind]}`); });
    if (node.ranks.length) lines.push(`retrieved at rank ${spans.rankText(node.ranks, 4)}`);
    if (node.target) lines.push('judged relevant');
    return lines.map((line) => dom.clean(line).slice(0, 300));
  }

  function item(node, level) {
    const of = mark(node);
    const row = el('div', { class: 'tree-row', onclick: () => { focus(node); pick(node); } },
      el('span', { class: 'tree-toggle', 'aria-hidden': 'true',
        onclick: (event) => { event.stopPropagation(); toggle(node); } },
        node.kids.length ? (opened(node) ? '\u25be' : '\u25b8') : ''),
      el('span', { class: `tree-label${node.target ? ' tree-target' : ''}` }, dom.clean(node.label)),
      node.ranks.length ? el('span', { class: 'text-badge', 'data-ranks': node.ranks.join(' ') },
        spans.rankText(node.ranks, 1)) : null,
      bar(node));
    widgets.tip(row, () => facts(node));
    const li = el('li', { role: 'treeitem', 'aria-level': level, tabindex: node === focused ? 0 : -1,
      'aria-expanded': node.kids.length ? String(opened(node)) : null, 'data-path': pathOf(node).slice(0, 500),
      'aria-label': `${dom.clean(node.label)}${node.target ? ', relevant' : ''}${node.ranks.length ? `, rank ${spans.rankText(node.ranks, 2)}` : ''}${of.kind ? `, ${model.MEANING[of.kind]}` : ''}` }, row);
    rows.set(node, li);
    if (opened(node)) li.append(children(node, level + 1));
    return li;
  }

  // The first children, and of the others those on the way to something marked; buttons stand for the rest.
  function children(node, level) {
    const most = shown.get(node) || CHUNK;
    const list = el('ul', { role: 'group' });
    let left = 0;
    const gap = () => {
      if (left) list.append(el('li', { role: 'none' }, el('button',
        { type: 'button', class: 'more',
        onclick: () => { shown.set(node, most + CHUNK * 5); refresh(node); } }, `${model.count(left)} more`)));
      left = 0;
    };
    node.kids.forEach((kid, i) => {
      if (i >= most && !wanted.has(kid)) {
        left += 1;
        return;
      }
      gap();
      list.append(item(kid, level));
    });
    gap();
    return list;
  }

  function refresh(node) {
    const old = rows.get(node);
    const kept = element.scrollTop;
    old.replaceWith(item(node, Number(old.getAttribute('aria-level'))));
    element.scrollTop = kept;
  }

  function toggle(node) {
    if (!node.kids.length) return;
    if (open.has(node)) open.delete(node);
    else open.add(node);
    refresh(node);
  }

  function focus(node, take = true) {
    if (rows.has(focused)) rows.get(focused).tabIndex = -1;
    focused = node;
    const li = rows.get(node);
    if (!li) return;
    li.tabIndex = 0;
    element.querySelectorAll('[aria-selected]').forEach((each) => each.removeAttribute('aria-selected'));
    li.setAttribute('aria-selected', 'true');
    if (take) li.focus({ preventScroll: true });
    const row = li.firstElementChild;
    const { offsetTop } = row;
    if (offsetTop < element.scrollTop || offsetTop > element.scrollTop + element.clientHeight - 30) element.scrollTop = offsetTop - element.clientHeight / 3;
  }

  element.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const visible = () => Array.from(rows).filter(([, li]) => li.isConnected && li.offsetParent).sort((a, b) =>
      (a[1].compareDocumentPosition(b[1]) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1)).map(([node]) => node);
    const move = (change) => {
      const all = visible();
      const to = all[all.indexOf(focused) + change];
      if (to) focus(to);
    };
    const turn = (node) => {
      toggle(node);
      focus(node);
    };
    const acts = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      ArrowRight: () => {
        if (opened(focused)) focus(focused.kids[0]);
        else turn(focused);
      },
      ArrowLeft: () => {
        if (opened(focused)) turn(focused);
        else if (focused.parent) focus(focused.parent);
      },
      Home: () => focus(root),
      End: () => focus(visible().pop()),
      Enter: () => pick(focused),
      ' ': () => pick(focused),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    event.stopPropagation(); // the arrow keys mean something else outside the tree
    acts[event.key]();
  });

  // Opens the way to a node.
  function reveal(node) {
    for (let at = node; at; at = at.parent) {
      wanted.add(at);
      if (at !== node) open.add(at);
    }
  }

  return {
    element,
    reveal,
    focus,
    draw() {
      rows.clear();
      const kept = element.scrollTop;
      dom.fill(element, el('ul', { role: 'tree', 'aria-label': label }, item(root, 1)));
      element.scrollTop = kept;
    },
  };
}
