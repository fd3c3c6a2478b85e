/* Choosing a topic and runs; the same bar in both views. */

import * as dom from './dom.js';
import { el } from './dom.js';
import * as widgets from './widgets.js';
import * as app from './app.js';

let wanted = ''; // the filter, shared by the views
const bars = [];

const titleOf = (topic) => (dom.data.titles && dom.data.titles[topic]) || '';

// The topics whose name or title contains the filter.
function listed() {
  const text = wanted.toLowerCase();
  return dom.data.topics.map((_, topic) => topic)
    .filter((topic) => !text || `${dom.data.topics[topic]} ${titleOf(topic)}`.toLowerCase().includes(text));
}

// The topic to show: the chosen one, else the first that has details.
export function topicOf(state) {
  if (Number.isInteger(state.topic)) return state.topic;
  const first = dom.data.details.findIndex((block) => block !== null);
  return first < 0 ? 0 : first;
}

export function step(change) {
  const topics = listed();
  const at = topics.indexOf(topicOf(app.state));
  const next = at < 0 ? topics[0] : topics[at + change];
  if (next === undefined) return;
  app.go({ topic: next });
  widgets.say(`Topic ${dom.clean(dom.data.topics[next])}`);
}

const labelled = (text, control, extra) => el('label', { class: 'pick' }, el('span', { class: 'pick-name' }, text),
  control, extra);
export {labelled};

export function select(name, options, onchange) {
  return el('select', { 'data-control': name, onchange: (event) => onchange(Number(event.target.value)) },
    options.map(([value, text]) => el('option', { value }, text)));
}

export const runName = (run) => `${dom.data.runs[run].label}  ${dom.shortRun(run, 26)}`;
// Two runs, where there are two and the reader of the page has not asked for one.
export const both = (state) => dom.data.runs.length > 1 && state.both !== 0 && state.versus !== state.run;
// The baseline is on the left, as in most comparisons.
export const shownRuns = (state) => {
  if (!both(state)) return [state.run];
  return state.versus === dom.data.baseline ? [state.versus, state.run] : [state.run, state.versus];
};

export function bar() {
  const {data} = dom;
  const topic = el('select', { 'data-control': 'topic', class: 'topic-select',
    onchange: (event) => app.go({ topic: Number(event.target.value) }) });
  const filter = el('input', { type: 'search', 'data-control': 'filter', placeholder: 'filter',
    'aria-label': 'Filter topics', spellcheck: 'false',
    oninput: (event) => {
      wanted = event.target.value;
      bars.forEach((each) => each.refill());
    },
    onkeydown: (event) => {
      if (event.key === 'Enter' && listed().length) app.go({ topic: listed()[0] });
    } });
  const arrow = (change, sign, text) => el('button', { type: 'button', class: 'step',
    'data-control': change < 0 ? 'previous' : 'next',
    'aria-label': text, title: `${text} (${change < 0 ? 'k' : 'j'})`, onclick: () => step(change) }, sign);
  const many = data.runs.length > 1;
  const names = data.runs.map((_, run) => [run, runName(run)]);
  const run = select('run', names, (value) => app.go({ run: value }));
  const versus = select('versus', names, (value) => app.go({ versus: value, both: null }));
  const beside = el('input', { type: 'checkbox', 'data-control': 'both',
    onchange: (event) => app.go({ both: event.target.checked ? null : 0 }) });
  const element = el('div', { class: 'controls choose' },
    el('div', { class: 'choose-topic' },
      labelled('Topic', el('span', { class: 'joined' }, arrow(-1, '\u2039', 'Previous topic'), topic,
        arrow(1, '\u203a', 'Next topic'))),
      data.topics.length > 8 ? filter : null),
    labelled('Run', run),
    many ? el('label', { class: 'check' }, beside, el('span', { class: 'pick-name' }, 'beside'), versus) : null);
  let filled = null; // the filter that the options stand for
  const made = {
    element,
    refill() {
      const current = topicOf(app.state);
      if (filled === wanted && Array.from(topic.options).some((option) => option.value === String(current))) {
        topic.value = String(current);
        return;
      }
      filled = wanted;
      const topics = listed();
      if (!topics.includes(current)) topics.unshift(current);
      dom.fill(topic, topics.map((number) => el('option', { value: number },
        dom.clean(data.topics[number]) + (titleOf(number) ? `: ${dom.start(titleOf(number), 80)}` : '') + (data.details[number] === null ? ' (left out)' : ''))));
      topic.value = String(current);
      if (filter.value !== wanted) filter.value = wanted;
    },
    update(state) {
      made.refill();
      run.value = String(state.run);
      versus.value = String(state.versus);
      beside.checked = both(state);
      beside.disabled = state.versus === state.run;
    },
  };
  bars.push(made);
  return made;
}

// The block of the topic, or null with a notice in `host` that says why there is none.
export async function load(host, topic) {
  const number = dom.data.details[topic];
  if (number !== null && number !== undefined) return dom.block(number);
  dom.fill(host, el('div', { class: 'notice', 'data-left-out': '' }, 'The details of this topic are not in this page. ',
    dom.data.left_out.map((text) => el('p', {}, text))));
  return null;
}

export const heading = (block) => el('h2', { class: 'topic-title' }, el('span', { class: 'quiet' }, 'Topic '), dom.name(block.topic),
  // A question is read as a whole: only an absurdly long one is cut, at its end.
  block.title ? [' ', el('bdi', { class: 'topic-words' }, dom.start(block.title, 3000))] : null);
