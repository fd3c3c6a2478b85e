/* The overview: the comparison, what was evaluated, and what each measure is. */

import * as dom from './dom.js';
import { el, svg } from './dom.js';
import * as widgets from './widgets.js';
import * as app from './app.js';

/* Prose as docstrings hold it: paragraphs, indented formulas, `code`. */
function prose(text) {
  return text.split(/\n\s*\n/).filter((part) => part.trim()).map((part) => {
    const lines = part.replace(/^\n+|\s+$/g, '').split('\n');
    if (lines.every((line) => /^\s{2,}/.test(line))) {
      const indent = Math.min(...lines.map((line) => line.match(/^\s*/)[0].length));
      return el('pre', {}, lines.map((line) => line.slice(indent)).join('\n'));
    }
    const pieces = lines.map((line) => line.trim()).join(' ').replace(/::$/, ':').split(/(``[^`]+``|`[^`]+`)/);
    return el('p', {}, pieces.map((piece) => /^`.+`$/.test(piece) ? el('code', {}, piece.replace(/^`+|`+$/g, '')) : piece));
  });
}

const pairsOf = (rows) => el('dl', {class: 'pairs'}, rows.map(([name, value]) =>
  [el('dt', {}, dom.name(name)), el('dd', {}, typeof value === 'number' ? dom.count(value) : visibleText(value))]));

// Configurations and messages are shown whole; only single endless words are cut. Words are not broken, but that long
// ones, such as paths, may go on in the next line after a mark.
function visibleText(text, longest = 1200) {
  return el('bdi', {class: 'words'}, String(text).split(/(\s+)/).map((word) => {
    if (/\s/.test(word)) return word;
    const shown = dom.clean(word, longest);
    if (shown.length < 16) return shown;
    // "a/b.py:11-39" goes on after the bar, and nowhere within "b.py:11-39"
    const whole = (part) => part.length > 40 ? el('span', {class: 'endless'}, part) : el('span', {class: 'unbroken'}, part);
    return shown.split(/(?<=[/_,])(?=\w)/).map((part, i) => i ? [el('wbr'), whole(part)] : whole(part));
  }));
}

const most = 5;                // messages shown at once

function messages(list, title, attributes) {
  if (!list || !list.length) return null;
  const item = (one) => typeof one === 'string' ? el('li', {}, visibleText(one, 160)) : el('li', {}, visibleText(one.text, 160),
    one.remedy ? [' ', el('span', {class: 'remedy'}, visibleText(one.remedy, 160))] : null,
    one.more.length ? el('details', {}, el('summary', {}, 'and ' + dom.plural(one.more.length, 'note') + ' like this' +
      (one.runs > 1 ? ', on ' + dom.plural(one.runs, 'run') + ' in all' : '')), el('ul', {}, one.more.map(item))) : null);
  return el('div', attributes, el('h2', {}, title), el('ul', {}, list.slice(0, most).map(item)),
    list.length > most ? el('details', {}, el('summary', {}, 'and ' + (list.length - most) + ' more'), el('ul', {}, list.slice(most).map(item))) : null);
}

/* ---- the comparison ---- */

function bestOf(measure) {
  const {data} = dom;
  const values = data.table.map((row) => row[measure].value).filter((value) => value !== null);
  if (!values.length || data.runs.length < 2) return null;
  return data.measures[measure].increasing ? Math.max(...values) : Math.min(...values);
}

/* A bar from zero to the mean with the interval as a whisker, on a scale that all runs share. */
function whisker(run, cell, low, high) {
  const at = (value) => (100 * (value - low) / (high - low || 1)).toFixed(2) + '%';
  const zero = Math.max(low, Math.min(0, high));
  const left = Math.min(zero, cell.value), right = Math.max(zero, cell.value);
  const colour = {stroke: dom.colour(run)};
  return svg('svg', {class: 'whisker', height: 12, 'aria-hidden': 'true'},
    svg('rect', {x: at(left), y: 3, width: (100 * (right - left) / (high - low || 1)).toFixed(2) + '%', height: 6, rx: 1,
      style: {fill: dom.colour(run), opacity: '.3'}}),
    cell.low === null ? null : [
      svg('line', {x1: at(cell.low), x2: at(cell.high), y1: 6, y2: 6, 'stroke-width': 1.6, style: colour}),
      [cell.low, cell.high].map((end) => svg('line', {x1: at(end), x2: at(end), y1: 2.5, y2: 9.5, 'stroke-width': 1.6, style: colour}))],
    svg('circle', {cx: at(cell.value), cy: 6, r: 3, style: {fill: dom.colour(run)}}));
}

const letters = 6;             // raised at once; more are counted

function comparison() {
  const {data} = dom;
  const columns = [{
    title: 'Run', key: 'run', rowHeader: true, value: (run) => data.runs[run].name,
    cell: (run) => el('th', {scope: 'row', 'data-run': run}, dom.run(run),
      run === data.baseline && data.runs.length > 1 ? el('span', {class: 'badge'}, 'baseline') : null),
  }];
  data.measures.forEach((measure, m) => {
    const cells = data.table.map((row) => row[m]);
    const ends = cells.flatMap((cell) => [cell.value, cell.low, cell.high]).filter((value) => value !== null);
    const low = Math.min(0, ...ends), high = Math.max(0, ...ends), best = bestOf(m);
    const lengths = cells.map((cell) => dom.number(cell.value).length);
    const digits = Math.max(...lengths), uneven = lengths.some((length) => length !== digits);
    columns.push({
      title: heading(measure.text), key: 'measure-' + m, falling: measure.increasing, head: {'data-measure': m},
      under: el('span', {class: 'direction'}, measure.increasing ? 'larger is better' : '\u2193 smaller is better'),
      value: (run) => cells[run].value,
      cell: (run) => {
        const cell = cells[run];
        const top = best !== null && cell.value === best;
        const td = el('td', {class: 'estimate' + (top ? ' best' : ''), 'data-run': run, 'data-measure': m,
          'data-value': cell.value === null ? '' : cell.value, 'data-low': cell.low, 'data-high': cell.high},
        el('span', {class: 'mean', style: uneven ? {minWidth: digits + 'ch'} : null}, dom.number(cell.value)),
        cell.letters.length ? el('sup', {class: 'letters'}, el('span', {class: 'unseen'}, 'better than '),
          cell.letters.length > letters ? '(' + cell.letters.length + ')' : cell.letters.join('')) : null,
        cell.low === null ? null : el('span', {class: 'interval'}, '[' + dom.number(cell.low) + ', ' + dom.number(cell.high) + ']'),
        cell.value === null ? null : whisker(run, cell, low, high));
        return widgets.tip(td, () => [
          el('strong', {}, dom.clean(data.runs[run].name)),
          dom.clean(measure.text) + ' ' + dom.number(cell.value, 6) + (top ? ', the best here' : ''),
          cell.low === null ? null : dom.confidence() + ' interval ' + dom.number(cell.low, 6) + ' to ' + dom.number(cell.high, 6),
          cell.letters.length ? 'significantly better than ' + cell.letters.join(', ') : null,
          dom.plural(cell.topics, 'topic') + (cell.undefined ? ', undefined for ' + cell.undefined + ' more' : ''),
        ].filter(Boolean));
      },
    });
  });
  const table = widgets.table(columns, {id: 'comparison', class: 'comparison', rows: data.runs.map((run, number) => number),
    row: (run) => ({'data-run': run})});
  table.style.maxWidth = 18 + 20 * data.measures.length + 'rem';    // few measures: bars of a sensible length
  return [widgets.wide('Comparison of runs', table), el('p', {class: 'quiet small'}, legend())];
}

/* The name of a measure, which may go on in the next line before its parameters. */
function heading(text) {
  const element = dom.name(text);
  const parts = element.textContent.split(/(?<=[(,])/);
  return dom.fill(element, parts.map((part, i) => i ? [el('wbr'), part] : part));
}

function legend() {
  const {data} = dom;
  const parts = ['Mean over topics, with its ' + dom.confidence() + ' interval.'];
  if (data.runs.length > 1) {
    parts.push('The best mean of a column is bold.');
    if (data.pairs.length) parts.push('A raised letter: significantly better than the run with that letter.');
    if (data.table.some((row) => row.some((cell) => cell.letters.length > letters))) {
      parts.push('A number in brackets: significantly better than so many runs.');
    }
    parts.push('Press a heading to sort.');
  }
  return parts.join(' ');
}

/* ---- groups of topics ---- */

function groups() {
  const {data} = dom;
  if (!data.groups) return null;
  const {field, names, of, table} = data.groups;
  const holder = el('div');
  const draw = (m) => {
    const {increasing} = data.measures[m];
    const columns = [{title: 'Run', key: 'run', rowHeader: true, value: (run) => data.runs[run].name,
      cell: (run) => el('th', {scope: 'row', 'data-run': run}, dom.run(run, true))}];
    names.concat(null).forEach((name, g) => {
      const cells = name === null ? data.table.map((row) => row[m]) : table[g].map((row) => row[m]);
      const known = cells.map((cell) => cell.value).filter((value) => value !== null);
      const best = known.length > 1 ? (increasing ? Math.max(...known) : Math.min(...known)) : null;
      const count = name === null ? data.topics.length : of.filter((own) => own === g).length;
      columns.push({title: name === null ? 'all' : dom.name(name), key: 'group-' + g, numeric: true, falling: increasing, value: (run) => cells[run].value,
        under: el('span', {class: 'direction'}, dom.plural(count, 'topic')),
        cell: (run) => el('td', {class: 'numeric' + (best !== null && cells[run].value === best ? ' best' : ''), 'data-run': run,
          'data-group': name === null ? 'all' : g, 'data-value': cells[run].value === null ? '' : cells[run].value},
        el('span', {class: 'mean'}, dom.number(cells[run].value)),
        cells[run].low === null ? null : el('span', {class: 'interval'}, '[' + dom.number(cells[run].low) + ', ' + dom.number(cells[run].high) + ']'))});
    });
    dom.fill(holder, widgets.wide('Means by group', widgets.table(columns, {id: 'groups-table', rows: data.runs.map((run, number) => number)})));
  };
  const choose = data.measures.length < 2 ? null : el('div', {class: 'controls'}, el('label', {class: 'field'}, 'Measure',
    el('select', {id: 'groups-measure', onchange: (event) => draw(Number(event.target.value))},
      data.measures.map((measure, m) => el('option', {value: m}, dom.clean(measure.text))))));
  draw(0);
  const ungrouped = of.filter((own) => own === null).length;
  return el('section', {id: 'groups'}, el('h2', {}, 'By ', dom.name(field)), choose, holder,
    ungrouped ? el('p', {class: 'quiet small'}, dom.plural(ungrouped, 'topic') + ' in no group.') : null);
}

/* ---- pairs ---- */

function pairs() {
  const {data} = dom;
  if (!data.pairs.length) return null;
  const number = (key, title, show = dom.number) => ({title, key, numeric: true, falling: true, value: (pair) => pair[key],
    cell: (pair) => el('td', {class: 'numeric', 'data-value': pair[key] === null ? '' : pair[key]}, show(pair[key]))});
  const columns = [
    {title: 'Measure', key: 'measure', value: (pair) => pair.measure, cell: (pair) => dom.name(data.measures[pair.measure].text)},
    {title: 'Run', key: 'run', value: (pair) => pair.run, rowHeader: true, cell: (pair) => dom.run(pair.run, true)},
    {title: 'against', key: 'versus', value: (pair) => pair.versus, cell: (pair) => dom.run(pair.versus, true)},
    Object.assign(number('difference', 'Difference'), {cell: (pair) => el('td', {class: 'numeric', 'data-value': pair.difference},
      dom.signed(pair.difference),
      pair.low === null ? null : el('span', {class: 'interval'}, '[' + dom.number(pair.low) + ', ' + dom.number(pair.high) + ']'))}),
    {title: 'Verdict', key: 'significant', falling: true, value: (pair) => Number(pair.significant), cell: (pair) => verdict(pair)},
    Object.assign(number('p', 'p', dom.pvalue), {falling: false}),
    Object.assign(number('corrected', 'p corrected', dom.pvalue), {falling: false}),
    number('effect', 'Effect (d)', (value) => dom.number(value, 2)),
    {title: 'Won / tied / lost', key: 'wins', numeric: true, falling: true, value: (pair) => pair.wins,
      cell: (pair) => pair.wins + ' / ' + pair.ties + ' / ' + pair.losses},
    number('topics', 'Topics', dom.count),
  ];
  const table = widgets.table(columns, {id: 'pairs', rows: data.pairs, row: (pair) =>
    ({'data-measure': pair.measure, 'data-run': pair.run, 'data-versus': pair.versus})});
  const choose = data.measures.length < 2 ? null : el('label', {class: 'field'}, 'Measure',
    el('select', {id: 'pairs-measure', onchange: (event) => {
      const wanted = event.target.value;
      table.refill(data.pairs.filter((pair) => wanted === '' || pair.measure === Number(wanted)));
    }}, el('option', {value: ''}, 'all'), data.measures.map((measure, m) => el('option', {value: m}, dom.clean(measure.text)))));
  return el('details', {class: 'fold', id: 'pairs-fold'},
    el('summary', {}, 'Each pair of runs ', el('span', {class: 'quiet'}, '(' + dom.plural(data.pairs.length, 'comparison') + ')')),
    choose ? el('div', {class: 'controls'}, choose) : null, widgets.wide('Pairs of runs', table));
}

function verdict(pair) {
  if (!pair.significant) return el('span', {class: 'quiet'}, 'not significant');
  const better = (pair.difference > 0) === dom.data.measures[pair.measure].increasing;
  return el('span', {class: better ? 'better' : 'worse'}, better ? '\u25b2 better' : '\u25bc worse');
}

/* ---- what, how, whence ---- */

function evaluated() {
  const {data} = dom;
  const part = (title, rows) => rows && rows.length ? el('div', {}, el('h3', {}, title), pairsOf(rows)) : null;
  const costly = data.runs.some((run) => Object.keys(run.costs).length);     // a table that needs the whole width
  return el('section', {id: 'evaluated'}, el('h2', {}, 'What was evaluated'),
    el('div', {class: 'columns'}, el('div', {}, part('Counts', data.counts), costly ? null : counts()), part('Configuration', data.configuration), part('Comparison', data.method)),
    costly ? [el('h3', {}, 'Results and costs'), counts()] : null);
}

const few = 12;                // runs whose counts are shown at once

/* Of each run how much it retrieved, and how much of that again. */
function counts() {
  const {data} = dom;
  const overlapping = data.runs.some((run) => run.overlap > 0);
  const columns = [
    {title: 'Run', key: 'run', rowHeader: true, value: (run) => data.runs[run].name, cell: (run) => dom.run(run, true)},
    {title: 'Results', key: 'results', numeric: true, falling: true, value: (run) => data.runs[run].results, cell: (run) => dom.count(data.runs[run].results)},
  ];
  if (overlapping) columns.push({title: 'Overlap', key: 'overlap', numeric: true, falling: true, value: (run) => data.runs[run].overlap,
    cell: (run) => dom.number(data.runs[run].overlap)});
  const spent = ['latency', 'cost', 'tokens'].filter((name) => data.runs.some((run) => run.costs[name]));
  for (const name of spent) for (const part of ['mean', 'median', 'p95']) {
    const value = (run) => (data.runs[run].costs[name] ? data.runs[run].costs[name][part] : null);
    columns.push({title: `${name} ${part}${name === 'latency' ? ' (s)' : ''}`, key: `${name}-${part}`, numeric: true, falling: false, value,
      cell: (run) => (value(run) === null ? '-' : String(Number(value(run).toPrecision(4))))});
  }
  const table = widgets.table(columns, {id: 'run-counts', class: 'compact', rows: data.runs.map((run, number) => number)});
  const content = [widgets.wide('Counts of runs', table),
    overlapping ? el('p', {class: 'quiet small'}, 'Overlap: the share of what is retrieved that repeats earlier results, mean over topics.') : null];
  return data.runs.length > few ? el('details', {class: 'fold'}, el('summary', {}, 'Each of ' + dom.plural(data.runs.length, 'run')), content) : content;
}

function measures() {
  return el('section', {id: 'measures'}, el('h2', {}, 'The measures'), dom.data.measures.map((measure, m) =>
    el('details', {class: 'measure fold', 'data-measure': m},
      el('summary', {}, el('strong', {}, dom.name(measure.text)), ' ', el('span', {class: 'quiet'}, measure.what)),
      el('div', {class: 'inside'},
        measure.increasing ? null : el('p', {}, 'Smaller is better.'),
        measure.meaning ? [el('h3', {}, 'Meaning'), prose(measure.meaning)] : null,
        measure.formula ? [el('h3', {}, 'Formula'), prose(measure.formula)] : null,
        measure.use ? [el('h3', {}, 'When to use it'), prose(measure.use)] : null,
        measure.references.length ? [el('h3', {}, 'How to cite it'), measure.references.map((reference) => el('div', {class: 'reference'},
          el('p', {}, reference.cite),
          reference.bibtex ? [el('pre', {class: 'bibtex'}, reference.bibtex.trim()), widgets.copyButton(reference.bibtex.trim() + '\n', 'Copy BibTeX')] : null))] : null,
        signatures(measure)))));
}

function signatures(measure) {
  const groups = new Map();
  measure.signatures.forEach((signature, run) => groups.set(signature, (groups.get(signature) || []).concat(run)));
  return [el('h3', {}, 'Signature'),
    el('p', {class: 'quiet small'}, 'Two numbers with the same signature mean the same and can be compared.'),
    Array.from(groups, ([signature, runs]) => el('div', {class: 'signature'},
      groups.size > 1 ? el('p', {}, runs.map((run) => [dom.run(run, true), ' '])) : null,
      el('pre', {}, visibleText(signature)), widgets.copyButton(signature)))];
}

function again() {
  if (!dom.data.command) return null;
  const command = el('pre', {}, visibleText(dom.data.command));
  return el('section', {id: 'again'}, el('h2', {}, 'Make this report again'),
    dom.data.command.length > 600 ? el('details', {class: 'fold'}, el('summary', {}, 'The command'), command) : command,
    widgets.copyButton(dom.data.command));
}

/* Panels, ours and those of other packages: their own drawing, or tables and sentences. */
let drawings = {};

/* What panels draw by themselves, by their names. */
export function use(found) { drawings = found; }

function panel(found) {
  const draw = drawings[found.name];
  return el('section', {id: 'panel-' + found.name}, el('h2', {}, visibleText(found.title)),
    draw && found.data !== null ? draw(found.data) : null, partsOf(found));
}

const open = 3;                // tables of a panel that are not folded
const spoken = 4;              // sentences in a row that are not folded
const rowsAtFirst = 20;        // of a table

/* Tables and sentences; of many tables only the first are open, and of many sentences only the first are shown. */
function partsOf(found) {
  const tables = found.parts.filter((part) => typeof part !== 'string').length;
  const said = found.parts.filter((part) => typeof part === 'string');
  const folded = new Set(said.length > spoken + 2 ? said.slice(spoken, -1) : []);   // the last one explains the table
  const sentence = (text) => el('p', {class: 'small'}, visibleText(text));
  let shown = 0;
  const parts = found.parts.filter((part) => !folded.has(part)).map((part) => {
    if (typeof part === 'string') return sentence(part);
    shown += 1;
    if (tables <= open || shown < open) return grid(part, found.title);
    return el('details', {class: 'fold'}, el('summary', {}, visibleText(part.title || found.title)), grid(part, found.title, true));
  });
  if (folded.size) parts.push(el('details', {class: 'fold'}, el('summary', {}, 'and ' + dom.plural(folded.size, 'more sentence')), Array.from(folded, sentence)));
  return parts;
}

/* A table as it is printed elsewhere; rows beyond the first are made when they are asked for. */
function grid(part, title, named = false) {
  const numeric = new Set(part.numeric);
  const row = (cells, tag) => el('tr', {}, cells.map((cell, column) =>
    el(tag, {scope: tag === 'th' ? 'col' : null, class: numeric.has(column) ? 'numeric' : null}, visibleText(cell, 240))));
  const rows = (from, to) => part.rows.slice(from, to).map((cells) => row(cells, 'td'));
  const first = part.rows.length > rowsAtFirst + 5 ? rowsAtFirst : part.rows.length;
  const body = el('tbody', {}, rows(0, first));
  const more = first === part.rows.length ? null : el('button', {type: 'button', class: 'more-rows', onclick: () => {
    body.append(...rows(first));
    more.remove();
  }}, 'Show all ' + dom.count(part.rows.length) + ' rows');
  // Its title is beside it, where it stays whole while the table is scrolled sideways.
  return [part.title && !named ? el('p', {class: 'table-title quiet'}, visibleText(part.title)) : null,
    widgets.wide(part.title || title, el('table', {class: 'data compact grid'}, el('thead', {}, row(part.header, 'th')), body)), more];
}

app.view('overview', {title: 'Overview', key: '1', show(element, state, changed) {
  if (!changed.has('first')) return;
  const {data} = dom;
  dom.fill(element,
    el('h2', {class: 'first'}, data.runs.length > 1 ? 'The runs compared' : 'The result'), comparison(),
    messages(data.warnings, data.warnings.length === 1 ? 'Note' : 'Notes', {class: 'notice', id: 'warnings', role: 'note'}), data.panels.map(panel), pairs(), groups(),
    evaluated(),
    messages(data.left_out, 'Not in this report', {class: 'notice calm', id: 'left-out', role: 'note'}),
    measures(), again());
}});
