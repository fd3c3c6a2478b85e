/* The overview: the comparison, what was evaluated, and what each measure is. */
(function (berry) {
  'use strict';

  const {el, svg} = berry;

  /* Prose as docstrings hold it: paragraphs, indented formulas, `code`. */
  berry.prose = function (text) {
    return text.split(/\n\s*\n/).filter((part) => part.trim()).map((part) => {
      const lines = part.replace(/^\n+|\s+$/g, '').split('\n');
      if (lines.every((line) => /^\s{2,}/.test(line))) {
        const indent = Math.min(...lines.map((line) => line.match(/^\s*/)[0].length));
        return el('pre', {}, lines.map((line) => line.slice(indent)).join('\n'));
      }
      const pieces = lines.map((line) => line.trim()).join(' ').replace(/::$/, ':').split(/(``[^`]+``|`[^`]+`)/);
      return el('p', {}, pieces.map((piece) => /^`.+`$/.test(piece) ? el('code', {}, piece.replace(/^`+|`+$/g, '')) : piece));
    });
  };

  const pairsOf = (rows) => el('dl', {class: 'pairs'}, rows.map(([name, value]) =>
    [el('dt', {}, berry.name(name)), el('dd', {}, typeof value === 'number' ? berry.count(value) : visibleText(value))]));

  // Configurations and messages are shown whole; only single endless words are cut.
  function visibleText(text, longest = 1200) {
    return el('bdi', {}, String(text).split(/(\s+)/).map((word) => /\s/.test(word) ? word : berry.clean(word, longest)));
  }

  const most = 5;                // messages shown at once

  function messages(list, title, attributes) {
    if (!list || !list.length) return null;
    const item = (text) => el('li', {}, visibleText(text, 160));
    return el('div', attributes, el('h2', {}, title), el('ul', {}, list.slice(0, most).map(item)),
      list.length > most ? el('details', {}, el('summary', {}, 'and ' + (list.length - most) + ' more'), el('ul', {}, list.slice(most).map(item))) : null);
  }

  /* ---- the comparison ---- */

  function bestOf(measure) {
    const {data} = berry;
    const values = data.table.map((row) => row[measure].value).filter((value) => value !== null);
    if (!values.length || data.runs.length < 2) return null;
    return data.measures[measure].increasing ? Math.max(...values) : Math.min(...values);
  }

  /* A bar from zero to the mean with the interval as a whisker, on a scale that all runs share. */
  function whisker(run, cell, low, high) {
    const at = (value) => (100 * (value - low) / (high - low || 1)).toFixed(2) + '%';
    const zero = Math.max(low, Math.min(0, high));
    const left = Math.min(zero, cell.value), right = Math.max(zero, cell.value);
    const colour = {stroke: berry.colour(run)};
    return svg('svg', {class: 'whisker', height: 12, 'aria-hidden': 'true'},
      svg('rect', {x: at(left), y: 3, width: (100 * (right - left) / (high - low || 1)).toFixed(2) + '%', height: 6, rx: 1,
        style: {fill: berry.colour(run), opacity: '.3'}}),
      cell.low === null ? null : [
        svg('line', {x1: at(cell.low), x2: at(cell.high), y1: 6, y2: 6, 'stroke-width': 1.6, style: colour}),
        [cell.low, cell.high].map((end) => svg('line', {x1: at(end), x2: at(end), y1: 2.5, y2: 9.5, 'stroke-width': 1.6, style: colour}))],
      svg('circle', {cx: at(cell.value), cy: 6, r: 3, style: {fill: berry.colour(run)}}));
  }

  const letters = 6;             // raised at once; more are counted

  function comparison() {
    const {data} = berry;
    const columns = [{
      title: 'Run', key: 'run', rowHeader: true, value: (run) => data.runs[run].name,
      cell: (run) => el('th', {scope: 'row', 'data-run': run}, berry.run(run),
        run === data.baseline && data.runs.length > 1 ? el('span', {class: 'badge'}, 'baseline') : null),
    }];
    data.measures.forEach((measure, m) => {
      const cells = data.table.map((row) => row[m]);
      const ends = cells.flatMap((cell) => [cell.value, cell.low, cell.high]).filter((value) => value !== null);
      const low = Math.min(0, ...ends), high = Math.max(0, ...ends), best = bestOf(m);
      const lengths = cells.map((cell) => berry.number(cell.value).length);
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
          el('span', {class: 'mean', style: uneven ? {minWidth: digits + 'ch'} : null}, berry.number(cell.value)),
          cell.letters.length ? el('sup', {class: 'letters'}, el('span', {class: 'unseen'}, 'better than '),
            cell.letters.length > letters ? '(' + cell.letters.length + ')' : cell.letters.join('')) : null,
          cell.low === null ? null : el('span', {class: 'interval'}, '[' + berry.number(cell.low) + ', ' + berry.number(cell.high) + ']'),
          cell.value === null ? null : whisker(run, cell, low, high));
          return berry.tip(td, () => [
            el('strong', {}, berry.clean(data.runs[run].name)),
            berry.clean(measure.text) + ' ' + berry.number(cell.value, 6) + (top ? ', the best here' : ''),
            cell.low === null ? null : berry.confidence() + ' interval ' + berry.number(cell.low, 6) + ' to ' + berry.number(cell.high, 6),
            cell.letters.length ? 'significantly better than ' + cell.letters.join(', ') : null,
            berry.plural(cell.topics, 'topic') + (cell.undefined ? ', undefined for ' + cell.undefined + ' more' : ''),
          ].filter(Boolean));
        },
      });
    });
    const table = berry.table(columns, {id: 'comparison', class: 'comparison', rows: data.runs.map((run, number) => number),
      row: (run) => ({'data-run': run})});
    table.style.maxWidth = 18 + 20 * data.measures.length + 'rem';    // few measures: bars of a sensible length
    return [berry.wide('Comparison of runs', table), el('p', {class: 'quiet small'}, legend())];
  }

  /* The name of a measure, which may go on in the next line before its parameters. */
  function heading(text) {
    const element = berry.name(text);
    const parts = element.textContent.split(/(?<=[(,])/);
    return berry.fill(element, parts.map((part, i) => i ? [el('wbr'), part] : part));
  }

  berry.confidence = () => Number((100 * berry.data.confidence).toPrecision(6)) + '%';

  function legend() {
    const {data} = berry;
    const parts = ['Mean over topics, with its ' + berry.confidence() + ' interval.'];
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
    const {data} = berry;
    if (!data.groups) return null;
    const {field, names, of, table} = data.groups;
    const holder = el('div');
    const draw = (m) => {
      const {increasing} = data.measures[m];
      const columns = [{title: 'Run', key: 'run', rowHeader: true, value: (run) => data.runs[run].name,
        cell: (run) => el('th', {scope: 'row', 'data-run': run}, berry.run(run, true))}];
      names.concat(null).forEach((name, g) => {
        const cells = name === null ? data.table.map((row) => row[m]) : table[g].map((row) => row[m]);
        const known = cells.map((cell) => cell.value).filter((value) => value !== null);
        const best = known.length > 1 ? (increasing ? Math.max(...known) : Math.min(...known)) : null;
        const count = name === null ? data.topics.length : of.filter((own) => own === g).length;
        columns.push({title: name === null ? 'all' : berry.name(name), key: 'group-' + g, numeric: true, falling: increasing, value: (run) => cells[run].value,
          under: el('span', {class: 'direction'}, berry.plural(count, 'topic')),
          cell: (run) => el('td', {class: 'numeric' + (best !== null && cells[run].value === best ? ' best' : ''), 'data-run': run,
            'data-group': name === null ? 'all' : g, 'data-value': cells[run].value === null ? '' : cells[run].value},
          el('span', {class: 'mean'}, berry.number(cells[run].value)),
          cells[run].low === null ? null : el('span', {class: 'interval'}, '[' + berry.number(cells[run].low) + ', ' + berry.number(cells[run].high) + ']'))});
      });
      berry.fill(holder, berry.wide('Means by group', berry.table(columns, {id: 'groups-table', rows: data.runs.map((run, number) => number)})));
    };
    const choose = data.measures.length < 2 ? null : el('div', {class: 'controls'}, el('label', {class: 'field'}, 'Measure',
      el('select', {id: 'groups-measure', onchange: (event) => draw(Number(event.target.value))},
        data.measures.map((measure, m) => el('option', {value: m}, berry.clean(measure.text))))));
    draw(0);
    const ungrouped = of.filter((own) => own === null).length;
    return el('section', {id: 'groups'}, el('h2', {}, 'By ', berry.name(field)), choose, holder,
      ungrouped ? el('p', {class: 'quiet small'}, berry.plural(ungrouped, 'topic') + ' in no group.') : null);
  }

  /* ---- pairs ---- */

  berry.pvalue = (p) => p === null || p === undefined ? '-' : p < .0001 ? '<0.0001' : p.toFixed(4);

  function pairs() {
    const {data} = berry;
    if (!data.pairs.length) return null;
    const number = (key, title, show = berry.number) => ({title, key, numeric: true, falling: true, value: (pair) => pair[key],
      cell: (pair) => el('td', {class: 'numeric', 'data-value': pair[key] === null ? '' : pair[key]}, show(pair[key]))});
    const columns = [
      {title: 'Measure', key: 'measure', value: (pair) => pair.measure, cell: (pair) => berry.name(data.measures[pair.measure].text)},
      {title: 'Run', key: 'run', value: (pair) => pair.run, rowHeader: true, cell: (pair) => berry.run(pair.run, true)},
      {title: 'against', key: 'versus', value: (pair) => pair.versus, cell: (pair) => berry.run(pair.versus, true)},
      Object.assign(number('difference', 'Difference'), {cell: (pair) => el('td', {class: 'numeric', 'data-value': pair.difference},
        berry.signed(pair.difference),
        pair.low === null ? null : el('span', {class: 'interval'}, '[' + berry.number(pair.low) + ', ' + berry.number(pair.high) + ']'))}),
      {title: 'Verdict', key: 'significant', falling: true, value: (pair) => Number(pair.significant), cell: (pair) => verdict(pair)},
      Object.assign(number('p', 'p', berry.pvalue), {falling: false}),
      Object.assign(number('corrected', 'p corrected', berry.pvalue), {falling: false}),
      number('effect', 'Effect (d)', (value) => berry.number(value, 2)),
      {title: 'Won / tied / lost', key: 'wins', numeric: true, falling: true, value: (pair) => pair.wins,
        cell: (pair) => pair.wins + ' / ' + pair.ties + ' / ' + pair.losses},
      number('topics', 'Topics', berry.count),
    ];
    const table = berry.table(columns, {id: 'pairs', rows: data.pairs, row: (pair) =>
      ({'data-measure': pair.measure, 'data-run': pair.run, 'data-versus': pair.versus})});
    const choose = data.measures.length < 2 ? null : el('label', {class: 'field'}, 'Measure',
      el('select', {id: 'pairs-measure', onchange: (event) => {
        const wanted = event.target.value;
        table.refill(data.pairs.filter((pair) => wanted === '' || pair.measure === Number(wanted)));
      }}, el('option', {value: ''}, 'all'), data.measures.map((measure, m) => el('option', {value: m}, berry.clean(measure.text)))));
    return el('details', {class: 'fold', id: 'pairs-fold'},
      el('summary', {}, 'Each pair of runs ', el('span', {class: 'quiet'}, '(' + berry.plural(data.pairs.length, 'comparison') + ')')),
      choose ? el('div', {class: 'controls'}, choose) : null, berry.wide('Pairs of runs', table));
  }

  berry.signed = (value, places = 4) => value === null || value === undefined ? '-' : (value > 0 ? '+' : '') + berry.number(value, places);

  function verdict(pair) {
    if (!pair.significant) return el('span', {class: 'quiet'}, 'not significant');
    const better = (pair.difference > 0) === berry.data.measures[pair.measure].increasing;
    return el('span', {class: better ? 'better' : 'worse'}, better ? '\u25b2 better' : '\u25bc worse');
  }

  /* ---- what, how, whence ---- */

  function evaluated() {
    const {data} = berry;
    const part = (title, rows) => rows && rows.length ? el('div', {}, el('h3', {}, title), pairsOf(rows)) : null;
    return el('section', {id: 'evaluated'}, el('h2', {}, 'What was evaluated'),
      el('div', {class: 'columns'}, el('div', {}, part('Counts', data.counts), counts()), part('Configuration', data.configuration), part('Comparison', data.method)));
  }

  const few = 12;                // runs whose counts are shown at once

  /* Of each run how much it retrieved, and how much of that again. */
  function counts() {
    const {data} = berry;
    const overlapping = data.runs.some((run) => run.overlap > 0);
    const columns = [
      {title: 'Run', key: 'run', rowHeader: true, value: (run) => data.runs[run].name, cell: (run) => berry.run(run, true)},
      {title: 'Results', key: 'results', numeric: true, falling: true, value: (run) => data.runs[run].results, cell: (run) => berry.count(data.runs[run].results)},
    ];
    if (overlapping) columns.push({title: 'Overlap', key: 'overlap', numeric: true, falling: true, value: (run) => data.runs[run].overlap,
      cell: (run) => berry.number(data.runs[run].overlap)});
    const spent = ['latency', 'cost', 'tokens'].filter((name) => data.runs.some((run) => run.costs[name]));
    for (const name of spent) for (const part of ['mean', 'median', 'p95']) {
      const value = (run) => (data.runs[run].costs[name] ? data.runs[run].costs[name][part] : null);
      columns.push({title: `${name} ${part}`, key: `${name}-${part}`, numeric: true, falling: false, value,
        cell: (run) => (value(run) === null ? '-' : String(Number(value(run).toPrecision(4))))});
    }
    const table = berry.table(columns, {id: 'run-counts', class: 'compact', rows: data.runs.map((run, number) => number)});
    const content = [berry.wide('Counts of runs', table),
      overlapping ? el('p', {class: 'quiet small'}, 'Overlap: the share of what is retrieved that repeats earlier results, mean over topics.') : null];
    return data.runs.length > few ? el('details', {class: 'fold'}, el('summary', {}, 'Each of ' + berry.plural(data.runs.length, 'run')), content) : content;
  }

  function measures() {
    return el('section', {id: 'measures'}, el('h2', {}, 'The measures'), berry.data.measures.map((measure, m) =>
      el('details', {class: 'measure fold', 'data-measure': m},
        el('summary', {}, el('strong', {}, berry.name(measure.text)), ' ', el('span', {class: 'quiet'}, measure.what)),
        el('div', {class: 'inside'},
          measure.increasing ? null : el('p', {}, 'Smaller is better.'),
          measure.meaning ? [el('h3', {}, 'Meaning'), berry.prose(measure.meaning)] : null,
          measure.formula ? [el('h3', {}, 'Formula'), berry.prose(measure.formula)] : null,
          measure.use ? [el('h3', {}, 'When to use it'), berry.prose(measure.use)] : null,
          measure.references.length ? [el('h3', {}, 'How to cite it'), measure.references.map((reference) => el('div', {class: 'reference'},
            el('p', {}, reference.cite),
            reference.bibtex ? [el('pre', {class: 'bibtex'}, reference.bibtex.trim()), berry.copyButton(reference.bibtex.trim() + '\n', 'Copy BibTeX')] : null))] : null,
          signatures(measure)))));
  }

  function signatures(measure) {
    const groups = new Map();
    measure.signatures.forEach((signature, run) => groups.set(signature, (groups.get(signature) || []).concat(run)));
    return [el('h3', {}, 'Signature'),
      el('p', {class: 'quiet small'}, 'Two numbers with the same signature mean the same and can be compared.'),
      Array.from(groups, ([signature, runs]) => el('div', {class: 'signature'},
        groups.size > 1 ? el('p', {}, runs.map((run) => [berry.run(run, true), ' '])) : null,
        el('pre', {}, visibleText(signature)), berry.copyButton(signature)))];
  }

  function again() {
    if (!berry.data.command) return null;
    const command = el('pre', {}, visibleText(berry.data.command));
    return el('section', {id: 'again'}, el('h2', {}, 'Make this report again'),
      berry.data.command.length > 600 ? el('details', {class: 'fold'}, el('summary', {}, 'The command'), command) : command,
      berry.copyButton(berry.data.command));
  }

  /* Panels, ours and those of other packages: their own drawing, or tables and sentences. */
  berry.panels = berry.panels || {};

  function panel(found) {
    const draw = berry.panels[found.name];
    const parts = found.parts.map((part) => typeof part === 'string' ? el('p', {}, visibleText(part)) : grid(part, found.title));
    return el('section', {id: 'panel-' + found.name}, el('h2', {}, visibleText(found.title)),
      draw && found.data !== null ? draw(found.data) : null, parts);
  }

  function grid(part, title) {
    const numeric = new Set(part.numeric);
    const row = (cells, tag) => el('tr', {}, cells.map((cell, column) =>
      el(tag, {scope: tag === 'th' ? 'col' : null, class: numeric.has(column) ? 'numeric' : null}, visibleText(cell, 240))));
    return berry.wide(part.title || title, el('table', {class: 'data compact'}, part.title ? el('caption', {}, visibleText(part.title)) : null,
      el('thead', {}, row(part.header, 'th')), el('tbody', {}, part.rows.map((cells) => row(cells, 'td')))));
  }

  berry.view('overview', {title: 'Overview', key: '1', show(element, state, changed) {
    if (!changed.has('first')) return;
    const {data} = berry;
    berry.fill(element,
      el('h2', {class: 'first'}, data.runs.length > 1 ? 'The runs compared' : 'The result'), comparison(),
      messages(data.warnings, data.warnings.length === 1 ? 'Note' : 'Notes', {class: 'notice', id: 'warnings', role: 'note'}), data.panels.map(panel), pairs(), groups(),
      evaluated(),
      messages(data.left_out, 'Not in this report', {class: 'notice calm', id: 'left-out', role: 'note'}),
      measures(), again());
  }});
})(window.berry = window.berry || {});
