/* The page as a whole: its state in the address, its views, the button for the theme, the keyboard. */

import * as dom from './dom.js';
import { el } from './dom.js';
import * as widgets from './widgets.js';

const byId = (id) => document.getElementById(id);

/* ---- state, kept in the part of the address after # ---- */

const views = [];              // {name, title, key, show, panel, tab, last, scroll}
const ofTopic = ['document', 'rank'];   // mean nothing in another topic

const runs = () => dom.data.runs.length;

function defaults() {
  const baseline = dom.data.baseline || 0;
  return {
    view: views.length ? views[0].name : '', topic: null,
    run: runs() > 1 ? (baseline === 0 ? 1 : 0) : 0, versus: baseline, measure: 0,
  };
}

/* Only what can be meant: numbers of things that exist, views that are there. Other names are the views' own affair. */
function tidy(state) {
  const usual = defaults();
  const limits = {run: runs(), versus: runs(), measure: dom.data.measures.length, topic: dom.data.topics.length};
  const result = Object.create(null);
  for (const [name, value] of Object.entries(state)) {
    if (value !== null && value !== undefined && value !== '') result[name] = value;
  }
  for (const [name, limit] of Object.entries(limits)) {
    if (!(Number.isInteger(result[name]) && result[name] >= 0 && result[name] < limit)) result[name] = usual[name];
  }
  if (!views.some((view) => view.name === result.view)) result.view = usual.view;
  return result;
}

function read(hash) {
  const state = {};
  for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ''))) {
    if (!/^[a-z]{1,20}$/.test(name) || value.length > 1000) continue;
    state[name] = /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
  }
  return tidy(state);
}

/* The address of a state, for links that can be opened in another tab. */
export function address(changes) {
  const usual = defaults();
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(merged(changes))) {
    if (name === 'view' || (value !== usual[name] && value !== null)) parts.set(name, value);
  }
  return '#' + parts;
}

function merged(changes) {
  const next = Object.assign({}, state, changes);
  if ('topic' in changes && changes.topic !== state.topic) {
    for (const name of ofTopic) if (!(name in changes)) delete next[name];
  }
  return tidy(next);
}

export let state = Object.create(null);

let writing = 0, changed = 0;

function write(step) {
  clearTimeout(writing);
  // Browsers complain about pages that rewrite their address all the time, as a slider being dragged would: the first of
  // many changes is written at once, the last one after a pause.
  const pause = Math.max(0, changed + 250 - Date.now());
  changed = Date.now();
  try {
    if (step) history.pushState(null, '', address({}));
    else if (!pause) history.replaceState(null, '', address({}));
    else writing = setTimeout(() => history.replaceState(null, '', address({})), 250);
  } catch (problem) {
    // Pages inside other documents may have no history; the views work without.
  }
}

const differing = (one, other) => new Set(
  Object.keys(Object.assign({}, one, other)).filter((name) => one[name] !== other[name]));

export function go(changes) {
  const next = merged(changes || {});
  const changed = differing(state, next);
  if (!changed.size) return;
  const step = changed.has('view') || changed.has('topic');
  if (step) leave();
  state = next;
  write(step);
  render();
}

function leave() {
  const view = views.find((each) => each.name === state.view);
  if (view) view.scroll = window.scrollY;
  clearTimeout(writing);
}

window.addEventListener('popstate', () => follow());
window.addEventListener('hashchange', () => follow());

function follow() {
  if (location.hash === '#main') return;
  const next = read(location.hash);
  if (!differing(state, next).size) return;
  leave();
  state = next;
  render();
}

/* ---- views ---- */

/* Register a view. show(element, state, changed) is called whenever the view is to be seen; `changed` is the set of
   the state's names that differ since this view was last shown ('first' is in it the first time). */
export function view(name, {title, key, show}) {
  views.push({name, title, key: key || String(views.length + 1), show, last: null, scroll: 0});
}

function makeTabs() {
  const tabs = byId('tabs'), main = byId('main');
  for (const view of views) {
    view.tab = el('button', {type: 'button', role: 'tab', id: 'tab-' + view.name, 'data-view': view.name,
      'aria-controls': 'view-' + view.name, title: view.title + ' (' + view.key + ')',
      onclick: () => go({view: view.name})}, view.title);
    view.panel = el('section', {role: 'tabpanel', id: 'view-' + view.name, 'data-view': view.name,
      'aria-labelledby': 'tab-' + view.name, tabindex: -1, hidden: true});
    tabs.append(view.tab);
    main.append(view.panel);
  }
  tabs.addEventListener('keydown', (event) => {
    const at = views.findIndex((view) => view.name === state.view);
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: views.length - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const view = views[(to + views.length) % views.length];
    view.tab.focus();
    go({view: view.name});
  });
}

function render() {
  widgets.tipHide();
  const view = views.find((each) => each.name === state.view);
  const turned = view.panel.hidden;
  const focused = document.activeElement;
  for (const each of views) {
    const on = each === view;
    each.tab.setAttribute('aria-selected', String(on));
    each.tab.tabIndex = on ? 0 : -1;
    each.panel.hidden = !on;
  }
  const changed = view.last ? differing(view.last, state) : new Set(Object.keys(state)).add('first');
  view.last = Object.assign(Object.create(null), state);
  document.title = view.title + ' \u00b7 ' + dom.clean(dom.data.title || 'berrypick report');
  if (turned) {
    // scrollIntoView would let the Tab key go on from here, past the link that skips what is above.
    const bar = byId('tabs'), ends = bar.getBoundingClientRect(), tab = view.tab.getBoundingClientRect();
    bar.scrollLeft += Math.min(0, tab.left - ends.left) || Math.max(0, tab.right - ends.right);
    // Whoever opened this view from inside another one goes on reading here, not at the top of the page.
    if (focused && focused.closest('[role=tabpanel]')) view.panel.focus({preventScroll: true});
  }
  try {
    Promise.resolve(view.show(view.panel, state, changed)).catch((problem) => failed(view, problem));
  } catch (problem) {
    failed(view, problem);
  }
  if (turned) window.scrollTo(0, changed.has('topic') || changed.has('first') ? 0 : view.scroll);
}

function failed(view, problem) {
  console.error(problem);
  view.last = null;
  dom.fill(view.panel, el('div', {class: 'notice', role: 'alert'}, 'This view could not be shown. ',
    String(problem && problem.message || problem)));
}

/* ---- keyboard ---- */

const shortcuts = [];          // {view|null, key (or a list of keys, told only in the help), what, act}

/* A key (as KeyboardEvent.key names it) that does something: everywhere, or in one view. Listed in the help. */
export function key(view, key, what, act) { shortcuts.push({view, key, what, act}); }

function startKeys() {
  views.forEach((view) => key(null, view.key, view.title, () => {
    go({view: view.name});
    view.tab.focus();
  }));
  key(null, 't', 'Dark or light colours', () => byId('theme').click());
  key(null, '?', 'This help', openHelp);
  byId('help-button').addEventListener('click', openHelp);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') widgets.tipHide();
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || byId('help').open) return;
    if (event.target.closest('input:not([type=range]):not([type=checkbox]), select, textarea')) return;
    const found = shortcuts.find((each) => each.key === event.key && each.view === state.view) ||
      shortcuts.find((each) => each.key === event.key && each.view === null);
    if (!found) return;
    event.preventDefault();
    found.act(event);
  });
}

const keyNames = {ArrowLeft: '\u2190', ArrowRight: '\u2192', ArrowUp: '\u2191', ArrowDown: '\u2193', ' ': 'Space'};

function openHelp() {
  widgets.tipHide();
  const list = (keys) => {
    const doing = new Map();   // keys that do the same stand together
    for (const {key, what} of keys) doing.set(what, (doing.get(what) || []).concat(key));
    return el('dl', {class: 'keys'}, Array.from(doing, ([what, names]) =>
      [el('dt', {}, names.map((name) => el('kbd', {}, keyNames[name] || name))), el('dd', {}, what)]));
  };
  const groups = [[list(shortcuts.filter((each) => each.view === null).concat([
    {key: ['ArrowLeft', 'ArrowRight'], what: 'In the row of views: the previous, the next'},
    {key: ['ArrowUp', 'ArrowDown'], what: 'In lists and tables: the previous, the next row'},
    {key: 'Enter', what: 'Open what is selected'},
    {key: 'Escape', what: 'Close what has popped up'}]))]];
  for (const view of views) {
    const own = shortcuts.filter((each) => each.view === view.name);
    if (own.length) groups.push([el('h3', {}, view.title), list(own)]);
  }
  dom.fill(byId('help-list'), groups.map((group) => el('div', {class: 'key-group'}, group)));
  if (!byId('help').open) byId('help').showModal();
}

byId('help').addEventListener('click', (event) => { if (event.target === byId('help')) byId('help').close(); });

byId('skip').addEventListener('click', (event) => {
  event.preventDefault();      // the address holds the state, not a place in the page
  byId('main').focus();
});

/* ---- beginning ---- */

export function begin() {
  const {title, version} = dom.data;
  dom.fill(byId('title'), dom.name(title || 'berrypick report'));
  dom.fill(byId('subtitle'), dom.plural(runs(), 'run') + ' \u00b7 ' + dom.plural(dom.data.topics.length, 'topic') +
    ' \u00b7 ' + dom.plural(dom.data.measures.length, 'measure'));
  dom.fill(byId('foot'), 'Made by berrypick ' + version + '. Self-contained; works offline.');
  makeTabs();
  state = read(location.hash);
  startKeys();
  render();
  document.documentElement.dataset.ready = 'yes';
}
