// A page on which a person judges regions of text. Places count code points of the document, as everywhere in berrypick.
(function () {
  'use strict';

  const BLOCK = 4000; // characters of a block that is laid out by itself
  // By topic and document: disjoint spans [start, end, grade] in order. ``whole``: numbers of tasks judged as a whole.
  const page = window.judging({ marks: {}, whole: {} });
  const { $, say, keep, remember } = page;
  const { tasks } = page.data;

  // ---- code points and UTF-16 units ------------------------------------------------------------------------------

  // Where the astral characters of a text are, in code points: each takes one more unit than it counts.
  function units(text) {
    const astral = [];
    if (/[\ud800-\udbff]/.test(text)) {
      let point = 0;
      for (let i = 0; i < text.length; i += 1, point += 1) {
        const code = text.charCodeAt(i);
        if (code >= 0xd800 && code < 0xdc00) {
          astral.push(point);
          i += 1;
        }
      }
    }
    const before = (point) => { // astral characters before a code point
      let low = 0;
      let high = astral.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (astral[middle] < point) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    return {
      length: text.length - astral.length,
      toUnits: (point) => point + before(point),
      toPoints(unit) {
        let low = 0;
        let high = astral.length;
        while (low < high) { // the astral character number m begins at unit astral[m] + m
          const middle = (low + high) >> 1;
          if (astral[middle] + middle < unit) low = middle + 1;
          else high = middle;
        }
        return unit - low;
      },
    };
  }

  // ---- judgements --------------------------------------------------------------------------------------------------

  const keyOf = (task) => JSON.stringify([task.topic, task.doc]);
  const marksOf = (task) => page.state.marks[keyOf(task)] || [];

  // The spans with a stretch set to a grade; null clears it.
  function painted(marks, start, end, grade) {
    const kept = [];
    for (const [a, b, old] of marks) {
      if (b <= start || a >= end) kept.push([a, b, old]);
      else {
        if (a < start) kept.push([a, start, old]);
        if (b > end) kept.push([end, b, old]);
      }
    }
    if (grade !== null) kept.push([start, end, grade]);
    return kept.sort((x, y) => x[0] - y[0]);
  }

  const covered = (marks, start, end) => marks.reduce((sum, [a, b]) => sum + Math.max(0, Math.min(b, end) - Math.max(a, start)), 0) >= end - start;

  // Into the history: [key, start, end, spans] or ['', number of task, whether judged].
  function change(task, start, end, grade) {
    const key = keyOf(task);
    const before = marksOf(task).filter(([a, b]) => b > start && a < end);
    remember([key, Math.min(start, ...before.map((span) => span[0])), Math.max(end, ...before.map((span) => span[1])), before]);
    page.state.marks[key] = painted(marksOf(task), start, end, grade);
    keep();
  }

  // ---- the list of regions -----------------------------------------------------------------------------------------

  const regions = tasks.flatMap((task, i) => task.regions.map((region) => [i, region[0], region[1]]));
  let at = 0; // the present region
  let number = -1; // the present task
  let text = null; // {task, units, blocks: [[start, end, element]], in UTF-16 units}

  const marked = (region) => covered(marksOf(tasks[region[0]]), region[1], region[2]);
  const judged = (region) => marked(region) || !!page.state.whole[region[0]];

  function blocksOf(content) {
    const found = [];
    let start = 0;
    while (start < content.length) {
      let end = Math.min(content.length, start + BLOCK);
      if (end < content.length) {
        const line = content.lastIndexOf('\n', end);
        const space = content.lastIndexOf(' ', end);
        end = line > start ? line + 1 : space > start ? space + 1 : end;
        const code = content.charCodeAt(end - 1);
        if (code >= 0xd800 && code < 0xdc00) end += 1;
      }
      found.push([start, end]);
      start = end;
    }
    return found;
  }

  function show(i) {
    number = i;
    const task = tasks[i];
    $('question').textContent = task.question || task.topic;
    document.title = `${task.question || task.topic} - Judge`;
    $('where').textContent = `${task.question ? `${task.topic}: ` : ''}${task.doc}`;
    const blocks = blocksOf(task.text).map(([start, end]) => {
      const element = document.createElement('div');
      element.className = 'block';
      element.dir = 'auto';
      return [start, end, element];
    });
    text = { task, units: units(task.text), blocks };
    $('text').replaceChildren(...blocks.map((block) => block[2]));
    blocks.forEach(draw);
  }

  // A block as pieces, each with its place, its mark, and whether it is in a region.
  function draw(block) {
    const [low, high, element] = block;
    const { task } = text;
    const place = (point) => text.units.toUnits(point - task.offset);
    const spans = marksOf(task).map(([a, b, grade]) => [place(a), place(b), grade > 0 ? 'relevant' : 'irrelevant']);
    const wanted = task.regions.map(([a, b], i) => [place(a), place(b), i]);
    const cuts = new Set([low, high]);
    for (const [a, b] of [...spans, ...wanted]) for (const x of [a, b]) if (x > low && x < high) cuts.add(x);
    const sorted = [...cuts].sort((a, b) => a - b);
    const current = regions[at];
    const pieces = [];
    for (let i = 0; i + 1 < sorted.length; i += 1) {
      const [a, b] = [sorted[i], sorted[i + 1]];
      const piece = document.createElement('span');
      piece.dataset.start = a;
      piece.textContent = task.text.slice(a, b);
      const mark = spans.find((span) => span[0] <= a && span[1] >= b);
      const region = wanted.find((span) => span[0] <= a && span[1] >= b);
      if (mark) piece.classList.add(mark[2]);
      else if (region) piece.classList.add('region');
      if (region && current && current[0] === number && current[1] === task.regions[region[2]][0]) piece.classList.add('current');
      pieces.push(piece);
    }
    element.replaceChildren(...pieces);
  }

  function redraw(from, to) { // code points of the document
    const [low, high] = [from, to].map((point) => text.units.toUnits(point - text.task.offset));
    for (const block of text.blocks) if (block[1] >= low && block[0] <= high) draw(block);
  }

  function count() {
    page.count(regions.filter(judged).length, regions.length, 'regions', !!page.state.whole[number]);
  }

  function go(i) {
    if (!regions.length) return;
    const before = regions[at];
    at = Math.max(0, Math.min(regions.length - 1, i));
    const region = regions[at];
    if (region[0] !== number) show(region[0]);
    else {
      if (before) redraw(before[1], before[2]);
      redraw(region[1], region[2]);
    }
    const mark = document.querySelector('.current');
    if (mark) mark.scrollIntoView({ block: 'center' });
    document.body.dataset.at = at;
    count();
  }

  function nextOpen() {
    for (let step = 1; step <= regions.length; step += 1) {
      const i = (at + step) % regions.length;
      if (!judged(regions[i])) return go(i);
    }
    return say('Every region is judged. Save the file.');
  }

  // ---- judging -----------------------------------------------------------------------------------------------------

  // The selected text in code points of the document; null if nothing is selected.
  function selected() {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    if (!$('text').contains(range.commonAncestorContainer)) return null;
    const probe = (node, offset) => {
      const inside = document.createRange();
      const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
      const piece = element.closest('[data-start]');
      if (piece && node.nodeType === Node.TEXT_NODE) return Number(piece.dataset.start) + offset;
      inside.setStart($('text'), 0);
      inside.setEnd(node, offset);
      return inside.toString().length;
    };
    const low = text.units.toPoints(probe(range.startContainer, range.startOffset));
    const high = text.units.toPoints(probe(range.endContainer, range.endOffset));
    return low < high ? [text.task.offset + low, text.task.offset + high] : null;
  }

  function judge(grade) {
    const chosen = selected();
    const { task } = text;
    const [start, end] = chosen || regions[at].slice(1);
    const again = !chosen && marked(regions[at]);
    change(task, start, end, grade);
    document.getSelection().removeAllRanges();
    redraw(start, end);
    say(`${grade === null ? 'Cleared' : grade > 0 ? 'Relevant' : 'Irrelevant'}: ${start} to ${end}`);
    if (chosen || grade === null) count();
    else page.onwards(regions, at, marked, again, go, count);
  }

  function whole() {
    remember(['', number, !!page.state.whole[number]]);
    page.state.whole[number] = !page.state.whole[number];
    keep();
    say(page.state.whole[number] ? 'All of this text is judged: what is not marked is not relevant.' : 'Only what is marked is judged.');
    count();
  }

  function undo() {
    const last = page.state.history.pop();
    if (!last) return say('Nothing to undo.');
    const [key, start, end, before] = last;
    if (key === '') page.state.whole[start] = end;
    else page.state.marks[key] = before.reduce((marks, [a, b, grade]) => painted(marks, a, b, grade), painted(page.state.marks[key] || [], start, end, null));
    keep();
    text.blocks.forEach(draw);
    count();
    return say('Undone.');
  }

  function lines() {
    const found = [];
    for (const [key, marks] of Object.entries(page.state.marks)) {
      const [topic, doc] = JSON.parse(key);
      for (const [start, end, grade] of marks) found.push({ topic, doc, start, end, grade, offsets: 'chars' });
    }
    tasks.forEach((task, i) => {
      if (!page.state.whole[i]) return;
      const end = task.offset + units(task.text).length;
      if (!marksOf(task).some(([a, b]) => a === task.offset && b === end)) {
        found.push({ topic: task.topic, doc: task.doc, start: task.offset, end, grade: 0, offsets: 'chars' });
      }
    });
    return found;
  }

  // ---- keys and buttons --------------------------------------------------------------------------------------------

  const acts = {
    relevant: () => judge(1),
    irrelevant: () => judge(0),
    clear: () => judge(null),
    whole,
    undo,
    previous: () => go(at - 1),
    next: () => go(at + 1),
    open: nextOpen,
    save: () => page.save(lines()),
  };
  const keys = { r: 'relevant', i: 'irrelevant', c: 'clear', w: 'whole', z: 'undo', p: 'previous', n: 'next', u: 'open', s: 'save', ArrowLeft: 'previous', ArrowRight: 'next' };
  page.begin(acts, keys, $('text'), () => {
    if (text) text.blocks.forEach(draw);
    count();
  });

  const first = regions.findIndex((region) => !judged(region));
  go(first < 0 ? 0 : first);
  $('text').focus();
  document.body.dataset.ready = 'yes';
})();
