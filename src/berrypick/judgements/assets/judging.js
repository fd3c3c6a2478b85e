// What every page to judge on shares: tasks are in the page, work is kept in the browser, a truth (JSON Lines) is saved
// as a file. No network. ``nothing`` is the state of a page on which nothing is judged yet.
window.judging = function (nothing) {
  'use strict';

  const data = JSON.parse(document.getElementById('tasks').textContent);
  const $ = (id) => document.getElementById(id);
  const KEY = `berrypick-judgements-${data.name}`;
  const empty = { ...nothing, history: [], annotator: data.annotator };
  const page = { data, $, state: { ...empty } };
  const LOST = 'This browser cannot keep your work: save the file before you leave.';

  page.say = function (text, bad = false) {
    $('said').textContent = text;
    $('said').className = bad ? 'bad' : '';
  };

  // Every change is written at once, so that a crash of the tab loses nothing.
  page.keep = function () {
    try {
      localStorage.setItem(KEY, JSON.stringify(page.state));
      return true;
    } catch (error) {
      page.say(LOST, true);
      return false;
    }
  };

  function recall() {
    try {
      const kept = localStorage.getItem(KEY);
      if (kept) page.state = { ...empty, ...JSON.parse(kept) };
    } catch (error) {
      page.say(LOST, true);
    }
    $('annotator').value = page.state.annotator;
  }

  // What was there before goes into the history.
  page.remember = function (entry) {
    page.state.history.push(entry);
    if (page.state.history.length > 500) page.state.history.shift();
  };

  page.save = function (lines) {
    if (!lines.length) return page.say('Nothing is judged yet.');
    const { annotator } = page.state;
    const found = annotator ? lines.map((line) => ({ ...line, annotator })) : lines;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([found.map((line) => `${JSON.stringify(line)}\n`).join('')], { type: 'application/jsonl' }));
    link.download = 'truth.jsonl';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    return page.say(`Saved ${found.length} judgements.`);
  };

  page.count = function (done, all, what, whole) {
    $('bar').max = Math.max(1, all);
    $('bar').value = done;
    $('progress').textContent = `${done} of ${all} ${what} judged`;
    $('whole').setAttribute('aria-pressed', String(whole));
    document.body.dataset.done = done;
  };

  // Where to go after a judgement: to the next region that has no mark, also on a page that is judged as a whole, where
  // those without a mark would be skipped; after a correction to the next one in order.
  page.onwards = function (regions, at, marked, again, go, count) {
    const after = regions.map((_, i) => (at + 1 + i) % regions.length);
    const next = again ? Math.min(at + 1, regions.length - 1) : after.find((i) => !marked(regions[i]));
    if (next !== undefined && next !== at) return go(next);
    count();
    return regions.every(marked) ? page.say('Everything is judged. Save the file.') : undefined;
  };

  // Buttons by their ids, and keys; ``drawn`` is called where another tab with the same tasks has changed something:
  // what is kept last counts. ``held`` says whether a key with a modifier is one of ours.
  page.begin = function (acts, keys, main, drawn, held = () => false) {
    for (const [id, act] of Object.entries(acts)) {
      if (!$(id)) continue;
      $(id).addEventListener('pointerdown', (event) => event.preventDefault()); // the selection stays
      $(id).addEventListener('click', act);
    }
    if (data.sample) $('sample').textContent = `\u00b7 ${data.sample}: please judge every task`;
    $('annotator').addEventListener('input', () => {
      page.state.annotator = $('annotator').value.trim();
      page.keep();
    });
    document.addEventListener('keydown', (event) => {
      if (event.target === $('annotator')) { // letters are the name
        if (event.key === 'Enter' || event.key === 'Escape') main.focus();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (held(event)) {
        event.preventDefault();
        return;
      }
      if (event.shiftKey && event.key.startsWith('Arrow')) return;
      const act = acts[keys[event.key]];
      if (!act) return;
      event.preventDefault();
      act();
    });
    window.addEventListener('storage', (event) => {
      if (event.key !== KEY) return;
      recall();
      drawn();
    });
  };

  recall();
  return page;
};
