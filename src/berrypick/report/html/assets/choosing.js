/* Choosing a topic and runs; the same bar in both views. */

(function (berry) {
  'use strict';

  const { el, parts } = berry;
  let wanted = ''; // the filter, shared by the views
  const bars = [];

  const titleOf = (topic) => (berry.data.titles && berry.data.titles[topic]) || '';

  // The topics whose name or title contains the filter.
  function listed() {
    const text = wanted.toLowerCase();
    return berry.data.topics.map((_, topic) => topic)
      .filter((topic) => !text || `${berry.data.topics[topic]} ${titleOf(topic)}`.toLowerCase().includes(text));
  }

  // The topic to show: the chosen one, else the first that has details.
  parts.topicOf = function (state) {
    if (Number.isInteger(state.topic)) return state.topic;
    const first = berry.data.details.findIndex((block) => block !== null);
    return first < 0 ? 0 : first;
  };

  parts.step = function (change) {
    const topics = listed();
    const at = topics.indexOf(parts.topicOf(berry.state));
    const next = at < 0 ? topics[0] : topics[at + change];
    if (next === undefined) return;
    berry.go({ topic: next });
    berry.say(`Topic ${berry.clean(berry.data.topics[next])}`);
  };

  const labelled = (text, control, extra) => el('label', { class: 'pick' }, el('span', { class: 'pick-name' }, text),
    control, extra);
  parts.labelled = labelled;

  parts.select = function (name, options, onchange) {
    return el('select', { 'data-control': name, onchange: (event) => onchange(Number(event.target.value)) },
      options.map(([value, text]) => el('option', { value }, text)));
  };

  parts.runName = (run) => `${berry.data.runs[run].label}  ${berry.shortRun(run, 26)}`;
  // Two runs, where there are two and the reader of the page has not asked for one.
  parts.both = (state) => berry.data.runs.length > 1 && state.both !== 0 && state.versus !== state.run;
  // The baseline is on the left, as in most comparisons.
  parts.shownRuns = (state) => {
    if (!parts.both(state)) return [state.run];
    return state.versus === berry.data.baseline ? [state.versus, state.run] : [state.run, state.versus];
  };

  parts.bar = function () {
    const { data } = berry;
    const topic = el('select', { 'data-control': 'topic', class: 'topic-select',
      onchange: (event) => berry.go({ topic: Number(event.target.value) }) });
    const filter = el('input', { type: 'search', 'data-control': 'filter', placeholder: 'filter',
      'aria-label': 'Filter topics', spellcheck: 'false',
      oninput: (event) => {
        wanted = event.target.value;
        bars.forEach((bar) => bar.refill());
      },
      onkeydown: (event) => {
        if (event.key === 'Enter' && listed().length) berry.go({ topic: listed()[0] });
      } });
    const step = (change, sign, text) => el('button', { type: 'button', class: 'step',
      'data-control': change < 0 ? 'previous' : 'next',
      'aria-label': text, title: `${text} (${change < 0 ? 'k' : 'j'})`, onclick: () => parts.step(change) }, sign);
    const many = data.runs.length > 1;
    const names = data.runs.map((_, run) => [run, parts.runName(run)]);
    const run = parts.select('run', names, (value) => berry.go({ run: value }));
    const versus = parts.select('versus', names, (value) => berry.go({ versus: value, both: null }));
    const beside = el('input', { type: 'checkbox', 'data-control': 'both',
      onchange: (event) => berry.go({ both: event.target.checked ? null : 0 }) });
    const element = el('div', { class: 'controls choose' },
      el('div', { class: 'choose-topic' },
        labelled('Topic', el('span', { class: 'joined' }, step(-1, '\u2039', 'Previous topic'), topic,
          step(1, '\u203a', 'Next topic'))),
        data.topics.length > 8 ? filter : null),
      labelled('Run', run),
      many ? el('label', { class: 'check' }, beside, el('span', { class: 'pick-name' }, 'beside'), versus) : null);
    let filled = null; // the filter that the options stand for
    const bar = {
      element,
      refill() {
        const current = parts.topicOf(berry.state);
        if (filled === wanted && Array.from(topic.options).some((option) => option.value === String(current))) {
          topic.value = String(current);
          return;
        }
        filled = wanted;
        const topics = listed();
        if (!topics.includes(current)) topics.unshift(current);
        berry.fill(topic, topics.map((number) => el('option', { value: number },
          berry.clean(data.topics[number]) + (titleOf(number) ? `: ${berry.start(titleOf(number), 80)}` : '') + (data.details[number] === null ? ' (left out)' : ''))));
        topic.value = String(current);
        if (filter.value !== wanted) filter.value = wanted;
      },
      update(state) {
        bar.refill();
        run.value = String(state.run);
        versus.value = String(state.versus);
        beside.checked = parts.both(state);
        beside.disabled = state.versus === state.run;
      },
    };
    bars.push(bar);
    return bar;
  };

  // The block of the topic, or null with a notice in `host` that says why there is none.
  parts.load = async function (host, topic) {
    const number = berry.data.details[topic];
    if (number !== null && number !== undefined) return berry.block(number);
    berry.fill(host, el('div', { class: 'notice', 'data-left-out': '' }, 'The details of this topic are not in this page. ',
      berry.data.left_out.map((text) => el('p', {}, text))));
    return null;
  };

  parts.heading = (block) => el('h2', { class: 'topic-title' }, el('span', { class: 'quiet' }, 'Topic '), berry.name(block.topic),
    // A question is read as a whole: only an absurdly long one is cut, at its end.
    block.title ? [' ', el('bdi', { class: 'topic-words' }, berry.start(block.title, 3000))] : null);
})(window.berry = window.berry || {});
