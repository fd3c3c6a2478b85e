/* The ground the views stand on: data, state in the address, router, DOM builder, names shown safely, tooltips,
   theme, keyboard. Nothing here or in the other files ever writes markup: text reaches the page as text nodes. */
(function (berry) {
  'use strict';

  const byId = (id) => document.getElementById(id);

  /* ---- data ---- */

  berry.data = JSON.parse(byId('overview').textContent);

  const kept = 12;               // decoded blocks to keep: enough for a topic and the documents being looked at
  const blocks = new Map();      // number -> promise, the least recently used first

  berry.block = function (number) {
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
  };

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

  berry.el = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);

  berry.svg = (tag, attributes, ...children) =>
    build(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

  /* Replace what is in an element. */
  berry.fill = function (element, ...children) {
    element.replaceChildren();
    append(element, children);
    return element;
  };

  const el = berry.el;

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

  berry.clean = (text, longest = 60) => visible(shortened(String(text), longest));

  // Whole texts of shortened names by number, so that a page with one very long name in 500 places keeps it once.
  const wholes = [];
  const numbers = new Map();

  berry.name = function (text) {
    text = String(text);
    const shown = berry.clean(text);
    const element = el('bdi', {class: 'name'}, shown);
    if (shown !== text) {
      element.title = visible(text.slice(0, 1000)) + (text.length > 1000 ? '\u2026 (' + text.length + ' characters)' : '');
      if (!numbers.has(text)) numbers.set(text, wholes.push(text) - 1);
      element.dataset.whole = numbers.get(text);
    }
    return element;
  };

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

  berry.number = function (value, places = 4) {
    return value === null || value === undefined || Number.isNaN(value) ? '-' : Number(value).toFixed(places);
  };

  berry.count = (value) => Number(value).toLocaleString('en');

  berry.plural = (count, one, many) => berry.count(count) + ' ' + (count === 1 ? one : many || one + 's');

  /* A run as it is named everywhere: its line sample, letter and name. */
  berry.run = function (run, plain) {
    const {name, label} = berry.data.runs[run];
    return el('span', {class: 'run'}, plain ? null : berry.sample(run), el('span', {class: 'letter'}, label), ' ', berry.name(name));
  };

  /* ---- colours ---- */

  const dashes = [[], [7, 3], [2.5, 2], [9, 3, 2, 3], [5, 2, 5, 5], [1.5, 4], [12, 4], [9, 2, 2, 2, 2, 2]];
  const shapes = ['circle', 'square', 'diamond', 'triangle-up', 'cross', 'triangle-down', 'triangle-right', 'triangle-left'];

  berry.colour = (run) => 'var(--run-' + run % 8 + ')';
  // Beyond eight systems the colours come again, with the other patterns shifted, so that no pair of systems is alike.
  berry.dash = (run) => dashes[(run + Math.floor(run / 8)) % 8];
  berry.shape = (run) => shapes[(run + Math.floor(run / 8)) % 8];

  berry.sample = (run) => berry.svg('svg', {class: 'sample', viewBox: '0 0 28 8', width: 28, height: 8, 'aria-hidden': 'true'},
    berry.svg('line', {x1: 0, x2: 28, y1: 4, y2: 4, 'stroke-width': 2.5, 'stroke-dasharray': berry.dash(run).join(' ') || null,
      style: {stroke: berry.colour(run)}}));

  /* ---- tooltips: one element, moved about ---- */

  const tip = byId('tip');
  let tipped = null;             // the element the tooltip is about, if any

  /* Show lines of text (or elements) near a point of the window. */
  berry.tipAt = function (x, y, lines) {
    berry.fill(tip, (Array.isArray(lines) ? lines : [lines]).map((line) => el('div', {}, line)));
    tip.hidden = false;
    const {width, height} = tip.getBoundingClientRect();
    const right = document.documentElement.clientWidth - width - 8;
    tip.style.left = Math.max(8, Math.min(x + 14, right)) + 'px';
    // Above the pointer if there is no room below.
    tip.style.top = (y + 18 + height < window.innerHeight ? y + 18 : Math.max(8, y - height - 12)) + 'px';
  };

  berry.tipHide = function () {
    tip.hidden = true;
    if (tipped) tipped.removeAttribute('aria-describedby');
    tipped = null;
  };

  berry.tip = function (element, lines) {
    const show = (x, y) => {
      const content = lines();
      if (!content || !content.length) return berry.tipHide();
      if (tipped && tipped !== element) tipped.removeAttribute('aria-describedby');
      tipped = element;
      element.setAttribute('aria-describedby', 'tip');
      berry.tipAt(x, y, content);
    };
    element.addEventListener('pointerenter', (event) => show(event.clientX, event.clientY));
    element.addEventListener('pointermove', (event) => show(event.clientX, event.clientY));
    element.addEventListener('pointerleave', berry.tipHide);
    element.addEventListener('focus', () => {
      if (!element.matches(':focus-visible')) return;
      const box = element.getBoundingClientRect();
      show(box.left, box.bottom - 14);
    });
    element.addEventListener('blur', berry.tipHide);
    return element;
  };

  document.addEventListener('scroll', () => { if (!tip.hidden) berry.tipHide(); }, {capture: true, passive: true});

  /* Tell screen readers what happened. */
  berry.say = function (text) { byId('said').textContent = text; };

  /* ---- copying ---- */

  berry.copyButton = function (text, label = 'Copy') {
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
      berry.say(button.textContent);
      setTimeout(() => { button.textContent = label; }, 1600);
    }}, label);
    return button;
  };

  /* ---- state, kept in the part of the address after # ---- */

  const views = [];              // {name, title, key, show, panel, tab, last, scroll}
  const ofTopic = ['document', 'rank'];   // mean nothing in another topic

  const runs = () => berry.data.runs.length;

  function defaults() {
    const baseline = berry.data.baseline || 0;
    return {
      view: views.length ? views[0].name : '', topic: null,
      run: runs() > 1 ? (baseline === 0 ? 1 : 0) : 0, versus: baseline, measure: 0,
    };
  }

  /* Only what can be meant: numbers of things that exist, views that are there. Other names are the views' own affair. */
  function tidy(state) {
    const usual = defaults();
    const limits = {run: runs(), versus: runs(), measure: berry.data.measures.length, topic: berry.data.topics.length};
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
  berry.address = function (changes) {
    const usual = defaults();
    const parts = new URLSearchParams();
    for (const [name, value] of Object.entries(merged(changes))) {
      if (name === 'view' || (value !== usual[name] && value !== null)) parts.set(name, value);
    }
    return '#' + parts;
  };

  function merged(changes) {
    const next = Object.assign({}, berry.state, changes);
    if ('topic' in changes && changes.topic !== berry.state.topic) {
      for (const name of ofTopic) if (!(name in changes)) delete next[name];
    }
    return tidy(next);
  }

  berry.state = Object.create(null);

  let writing = 0;

  function write(step) {
    clearTimeout(writing);
    try {
      if (step) history.pushState(null, '', berry.address({}));
      // Browsers complain about pages that rewrite their address all the time, as a slider being dragged would.
      else writing = setTimeout(() => history.replaceState(null, '', berry.address({})), 250);
    } catch (problem) {
      // Pages inside other documents may have no history; the views work without.
    }
  }

  const differing = (one, other) => new Set(
    Object.keys(Object.assign({}, one, other)).filter((name) => one[name] !== other[name]));

  berry.go = function (changes) {
    const next = merged(changes || {});
    const changed = differing(berry.state, next);
    if (!changed.size) return;
    const step = changed.has('view') || changed.has('topic');
    if (step) leave();
    berry.state = next;
    write(step);
    render();
  };

  function leave() {
    const view = views.find((each) => each.name === berry.state.view);
    if (view) view.scroll = window.scrollY;
    clearTimeout(writing);
  }

  window.addEventListener('popstate', () => follow());
  window.addEventListener('hashchange', () => follow());

  function follow() {
    if (location.hash === '#main') return;
    const next = read(location.hash);
    if (!differing(berry.state, next).size) return;
    leave();
    berry.state = next;
    render();
  }

  /* ---- views ---- */

  /* Register a view. show(element, state, changed) is called whenever the view is to be seen; `changed` is the set of
     the state's names that differ since this view was last shown ('first' is in it the first time). */
  berry.view = function (name, {title, key, show}) {
    views.push({name, title, key: key || String(views.length + 1), show, last: null, scroll: 0});
  };

  function makeTabs() {
    const tabs = byId('tabs'), main = byId('main');
    for (const view of views) {
      view.tab = el('button', {type: 'button', role: 'tab', id: 'tab-' + view.name, 'data-view': view.name,
        'aria-controls': 'view-' + view.name, title: view.title + ' (' + view.key + ')',
        onclick: () => berry.go({view: view.name})}, view.title);
      view.panel = el('section', {role: 'tabpanel', id: 'view-' + view.name, 'data-view': view.name,
        'aria-labelledby': 'tab-' + view.name, tabindex: -1, hidden: true});
      tabs.append(view.tab);
      main.append(view.panel);
    }
    tabs.addEventListener('keydown', (event) => {
      const at = views.findIndex((view) => view.name === berry.state.view);
      const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: views.length - 1}[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const view = views[(to + views.length) % views.length];
      view.tab.focus();
      berry.go({view: view.name});
    });
  }

  function render() {
    berry.tipHide();
    const view = views.find((each) => each.name === berry.state.view);
    const turned = view.panel.hidden;
    const focused = document.activeElement;
    for (const each of views) {
      const on = each === view;
      each.tab.setAttribute('aria-selected', String(on));
      each.tab.tabIndex = on ? 0 : -1;
      each.panel.hidden = !on;
    }
    const changed = view.last ? differing(view.last, berry.state) : new Set(Object.keys(berry.state)).add('first');
    view.last = Object.assign(Object.create(null), berry.state);
    document.title = view.title + ' \u00b7 ' + berry.clean(berry.data.title || 'berrypick report');
    if (turned) {
      view.tab.scrollIntoView({block: 'nearest', inline: 'nearest'});
      // Whoever opened this view from inside another one goes on reading here, not at the top of the page.
      if (focused && focused.closest('[role=tabpanel]')) view.panel.focus({preventScroll: true});
    }
    try {
      Promise.resolve(view.show(view.panel, berry.state, changed)).catch((problem) => failed(view, problem));
    } catch (problem) {
      failed(view, problem);
    }
    if (turned) window.scrollTo(0, changed.has('topic') || changed.has('first') ? 0 : view.scroll);
  }

  function failed(view, problem) {
    console.error(problem);
    view.last = null;
    berry.fill(view.panel, el('div', {class: 'notice', role: 'alert'}, 'This view could not be shown. ',
      String(problem && problem.message || problem)));
  }

  /* ---- theme ---- */

  const dark = window.matchMedia('(prefers-color-scheme: dark)');

  berry.theme = () => document.documentElement.dataset.theme || (dark.matches ? 'dark' : 'light');

  berry.setTheme = function (theme) {
    document.documentElement.dataset.theme = theme;
    try { localStorage.setItem('berrypick-theme', theme); } catch (problem) { /* not kept, then */ }
    themed();
  };

  function themed() {
    const other = berry.theme() === 'dark' ? 'Light' : 'Dark';
    byId('theme').textContent = other;
    byId('theme').title = other + ' colours (t)';
    document.dispatchEvent(new CustomEvent('berry-theme'));
  }

  function startTheme() {
    try {
      const theme = localStorage.getItem('berrypick-theme');
      if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
    } catch (problem) { /* a page without storage follows the system */ }
    dark.addEventListener('change', themed);
    byId('theme').addEventListener('click', () => berry.setTheme(berry.theme() === 'dark' ? 'light' : 'dark'));
    themed();
  }

  /* ---- keyboard ---- */

  const shortcuts = [];          // {view|null, key (or a list of keys, told only in the help), what, act}

  /* A key (as KeyboardEvent.key names it) that does something: everywhere, or in one view. Listed in the help. */
  berry.key = function (view, key, what, act) { shortcuts.push({view, key, what, act}); };

  function startKeys() {
    views.forEach((view) => berry.key(null, view.key, view.title, () => {
      berry.go({view: view.name});
      view.tab.focus();
    }));
    berry.key(null, 't', 'Dark or light colours', () => byId('theme').click());
    berry.key(null, '?', 'This help', openHelp);
    byId('help-button').addEventListener('click', openHelp);
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') berry.tipHide();
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || byId('help').open) return;
      if (event.target.closest('input:not([type=range]):not([type=checkbox]), select, textarea')) return;
      const found = shortcuts.find((each) => each.key === event.key && each.view === berry.state.view) ||
        shortcuts.find((each) => each.key === event.key && each.view === null);
      if (!found) return;
      event.preventDefault();
      found.act(event);
    });
  }

  const keyNames = {ArrowLeft: '\u2190', ArrowRight: '\u2192', ArrowUp: '\u2191', ArrowDown: '\u2193', ' ': 'Space'};

  function openHelp() {
    berry.tipHide();
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
    berry.fill(byId('help-list'), groups.map((group) => el('div', {class: 'key-group'}, group)));
    if (!byId('help').open) byId('help').showModal();
  }

  byId('help').addEventListener('click', (event) => { if (event.target === byId('help')) byId('help').close(); });

  byId('skip').addEventListener('click', (event) => {
    event.preventDefault();      // the address holds the state, not a place in the page
    byId('main').focus();
  });

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

  /* ---- a table whose columns sort when their headers are pressed ---- */

  /* columns: [{title, key, value(row), cell(row) -> td or content, numeric, falling, head: attributes, rowHeader}]
     options: {rows, id, class, sort: key, falling: bool, row(row) -> attributes of the tr, onsort(key, falling), after()}
     `value` decides the order; rows without a value come last either way. `falling`: the larger first on first press. */
  berry.table = function (columns, options) {
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
      berry.say('Sorted, ' + (falling ? 'falling' : 'rising'));
    }

    function fill() {
      const by = columns.find((column) => column.key === sort);
      columns.forEach((column, at) => {
        if (column.value) heads[at].setAttribute('aria-sort', column !== by ? 'none' : falling ? 'descending' : 'ascending');
      });
      const ordered = rows.slice();
      if (by) {
        const values = new Map(ordered.map((row) => [row, by.value(row)]));
        const compare = (a, b) => typeof a === 'string' ? berry.compare(a, b) : a - b;
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
  };

  const collator = new Intl.Collator('en', {numeric: true});
  berry.compare = (one, other) => collator.compare(one.slice(0, 200), other.slice(0, 200));

  /* A box that scrolls sideways on its own, reachable by keyboard. */
  berry.wide = (label, ...children) => el('div', {class: 'wide', role: 'region', 'aria-label': label, tabindex: 0}, children);

  /* ---- beginning ---- */

  berry.begin = function () {
    const {title, version} = berry.data;
    berry.fill(byId('title'), berry.name(title || 'berrypick report'));
    berry.fill(byId('subtitle'), berry.plural(runs(), 'system') + ' \u00b7 ' + berry.plural(berry.data.topics.length, 'topic') +
      ' \u00b7 ' + berry.plural(berry.data.measures.length, 'measure'));
    berry.fill(byId('foot'), 'Made by berrypick ' + version + '. This page is complete in itself and asks the network for nothing.');
    startTheme();
    makeTabs();
    berry.state = read(location.hash);
    startKeys();
    render();
    document.documentElement.dataset.ready = 'yes';
  };
})(window.berry = window.berry || {});
