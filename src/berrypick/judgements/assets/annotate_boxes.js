// A page on which a person judges boxes on pages, and marks others with the mouse, a finger or the keyboard. Boxes are
// x0, y0, x1, y1 from the upper left corner, in the units of the tasks.
(function () {
  'use strict';

  const DRAG = 4; // pixels that a pointer moves before it draws
  const LEAST = 0.002; // of a page: a box is no smaller
  const CORNERS = [[0, 1], [2, 1], [0, 3], [2, 3]]; // edges that each corner moves
  // By topic, document and page: [x0, y0, x1, y1, grade]. ``whole``: pages judged as a whole.
  const page = window.judging({ marks: {}, whole: {} });
  const { $, say, keep, remember } = page;
  const { tasks, pictures } = page.data;

  const keyOf = (task) => JSON.stringify([task.topic, task.doc, task.page]);
  const marksOf = (task) => page.state.marks[keyOf(task)] || [];
  const same = (one, other) => one[0] === other[0] && one[1] === other[1] && one[2] === other[2] && one[3] === other[3];
  const areaOf = ([a, b, c, d]) => (c - a) * (d - b);
  const wholeOf = (task) => !!page.state.whole[keyOf(task)];

  // Whether some boxes hold all of a box: it is cut at their edges.
  function covered(box, boxes) {
    const near = boxes.filter(([a, b, c, d]) => a < box[2] && c > box[0] && b < box[3] && d > box[1]);
    const cuts = (low, high) => Array.from(new Set([box[low], box[high], ...near.flatMap((one) => [one[low], one[high]])]))
      .filter((edge) => edge >= box[low] && edge <= box[high]).sort((a, b) => a - b);
    const [across, down] = [cuts(0, 2), cuts(1, 3)];
    return across.slice(1).every((right, i) => down.slice(1).every((bottom, j) =>
      near.some(([a, b, c, d]) => a <= across[i] && c >= right && b <= down[j] && d >= bottom)));
  }

  // ---- the list of boxes to judge ----------------------------------------------------------------------------------

  const regions = tasks.flatMap((task, i) => task.regions.map((box) => [i, box]));
  let at = 0; // the present one
  let number = -1; // the present task
  let chosen = null; // the box that keys judge: one to judge, or a mark
  let drawn = null; // a box that is being made: {box, replaces}
  let step = 0.01; // of the page, for keys
  let sheet = null;
  const marked = ([i, box]) => covered(box, marksOf(tasks[i]));
  const judged = (region) => wholeOf(tasks[region[0]]) || marked(region);
  const here = () => tasks[number];

  // ---- drawing -----------------------------------------------------------------------------------------------------

  const percent = (value) => `${(100 * value).toFixed(4)}%`;

  function place(element, box) {
    const [width, height] = here().units;
    Object.assign(element.style, { left: percent(box[0] / width), top: percent(box[1] / height),
      width: percent((box[2] - box[0]) / width), height: percent((box[3] - box[1]) / height) });
    return element;
  }

  function boxElement(box, kind, label) {
    const element = document.createElement('div');
    element.className = `box ${kind}`;
    element.tabIndex = 0;
    element.setAttribute('role', 'button');
    const [width, height] = here().units;
    const where = [box[0] / width, box[1] / height].map((share) => `${Math.round(100 * share)}%`);
    element.setAttribute('aria-label', `${label}, ${where[0]} from the left, ${where[1]} from the top`);
    element.dataset.box = JSON.stringify(box.slice(0, 4));
    element.addEventListener('focus', () => choose(box.slice(0, 4), false));
    if (chosen && same(chosen, box)) element.classList.add('current');
    return place(element, box);
  }

  function draw() {
    const task = here();
    const held = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.box : undefined;
    const marks = marksOf(task);
    const gradeOf = (box) => marks.find((mark) => same(mark, box));
    const said = (mark) => (mark[4] > 0 ? 'relevant' : 'irrelevant');
    const parts = task.regions.map((box, i) => {
      const mark = gradeOf(box);
      return boxElement(box, mark ? said(mark) : 'region', `Box ${i + 1} of ${task.regions.length}, ${mark ? said(mark) : 'not judged'}`);
    });
    for (const mark of marks) if (!task.regions.some((box) => same(box, mark))) parts.push(boxElement(mark, `${said(mark)} own`, `Your box, ${said(mark)}`));
    // Small ones are on top; the Tab key takes them in order.
    const sizes = parts.map((part) => areaOf(JSON.parse(part.dataset.box))).sort((one, other) => other - one);
    parts.forEach((part) => { part.style.zIndex = 1 + sizes.indexOf(areaOf(JSON.parse(part.dataset.box))); });
    const picture = task.picture === null ? '' : pictures[task.picture];
    if (/^data:image\/(png|jpeg);base64,/.test(picture)) {
      const image = document.createElement('img');
      image.src = picture;
      image.alt = '';
      image.draggable = false;
      parts.unshift(image);
      sheet.classList.add('with-picture');
    }
    if (drawn) parts.push(drawnElement());
    sheet.replaceChildren(...parts);
    const again = held && parts.find((part) => part.dataset.box === held);
    if (again) again.focus({ preventScroll: true });
  }

  function drawnElement() {
    const element = place(document.createElement('div'), drawn.box);
    element.className = 'box drawn';
    CORNERS.forEach((corner, i) => {
      const handle = document.createElement('span');
      handle.className = 'corner';
      handle.dataset.corner = i;
      Object.assign(handle.style, { left: corner[0] ? '100%' : '0', top: corner[1] === 3 ? '100%' : '0' });
      element.append(handle);
    });
    return element;
  }

  function show(i) {
    number = i;
    drawn = null;
    const task = here();
    $('question').textContent = task.question || task.topic;
    document.title = `${task.question || task.topic} - Judge`;
    $('where').textContent = `${task.question ? `${task.topic}: ` : ''}${task.doc}, page ${task.page}`;
    $('whole').disabled = !task.sized;
    sheet = document.createElement('div');
    sheet.className = 'sheet';
    sheet.style.aspectRatio = `1 / ${task.ratio}`;
    sheet.addEventListener('pointerdown', press);
    $('text').replaceChildren(sheet);
  }

  function count() {
    page.count(regions.filter(judged).length, regions.length, 'boxes', wholeOf(here()));
  }

  function look() {
    const current = sheet.querySelector('.drawn') || sheet.querySelector('.current');
    if (current) current.scrollIntoView({ block: 'center', inline: 'nearest' });
  }

  function choose(box, drawAll = true) {
    chosen = box;
    const region = regions.findIndex(([i, one]) => i === number && same(one, box));
    if (region >= 0) at = region;
    document.body.dataset.at = at;
    if (drawAll) draw();
    else sheet.querySelectorAll('.box').forEach((one) => one.classList.toggle('current', one.dataset.box === JSON.stringify(box)));
  }

  function go(i) {
    if (!regions.length) return;
    at = Math.max(0, Math.min(regions.length - 1, i));
    drawn = null;
    if (regions[at][0] !== number) show(regions[at][0]);
    choose(regions[at][1].slice(0, 4));
    look();
    count();
  }

  function nextOpen() {
    for (let far = 1; far <= regions.length; far += 1) {
      const i = (at + far) % regions.length;
      if (!judged(regions[i])) return go(i);
    }
    return say('Every box is judged. Save the file.');
  }

  // ---- judging -----------------------------------------------------------------------------------------------------

  // History: [key, marks before], or ['', key, whether the page was judged as a whole].
  function change(box, grade, replaces) {
    const key = keyOf(here());
    const before = marksOf(here());
    remember([key, before]);
    const kept = before.filter((mark) => !same(mark, box) && !(replaces && same(mark, replaces)));
    page.state.marks[key] = grade === null ? kept : [...kept, [...box, grade]];
    keep();
  }

  function judge(grade) {
    const made = drawn;
    const box = made ? made.box : chosen;
    if (!box) return say('Choose a box, or mark one.');
    drawn = null;
    if (made && grade === null) {
      draw();
      return say('The new box is dropped.');
    }
    const again = !made && marked(regions[at]);
    change(box, grade, made ? made.replaces : null);
    const mine = !here().regions.some((one) => same(one, box));
    chosen = mine && grade === null ? null : box;
    draw();
    count();
    say(`${grade === null ? 'Cleared' : grade > 0 ? 'Relevant' : 'Irrelevant'}: ${box.join(', ')}`);
    if (made || mine || grade === null) return look();
    return page.onwards(regions, at, marked, again, go, count);
  }

  function whole() {
    if (!here().sized) return say('Nothing says how large this page is: mark what you have judged.', true);
    const key = keyOf(here());
    remember(['', key, wholeOf(here())]);
    page.state.whole[key] = !wholeOf(here());
    keep();
    count();
    return say(wholeOf(here()) ? 'All of this page is judged: what is not marked is not relevant.' : 'Only what is marked is judged.');
  }

  function undo() {
    const last = page.state.history.pop();
    if (!last) return say('Nothing to undo.');
    if (last[0] === '') page.state.whole[last[1]] = last[2];
    else [, page.state.marks[last[0]]] = last;
    keep();
    draw();
    count();
    return say('Undone.');
  }

  function lines() {
    const sizes = new Map(tasks.map((task) => [keyOf(task), task.size ? { page_size: task.size } : {}]));
    const found = [];
    for (const [key, size] of sizes) {
      const [topic, doc, number_] = JSON.parse(key);
      const line = (more) => found.push({ topic, doc, page: number_, ...size, ...more });
      for (const [a, b, c, d, grade] of page.state.marks[key] || []) line({ box: [a, b, c, d], grade });
      if (page.state.whole[key]) line({ grade: 0 });
    }
    return found;
  }

  // ---- making boxes ------------------------------------------------------------------------------------------------

  // Edges on the page, in its units, with as many digits as a screen can show; in order, and not without area.
  function fitted(box) {
    const { units } = here();
    const edges = box.map((edge, i) => {
      const limit = units[i % 2];
      const digits = Math.max(0, 4 - Math.floor(Math.log10(limit)));
      return Number(Math.max(0, Math.min(limit, edge)).toFixed(Math.min(8, digits)));
    });
    const [a, b, c, d] = edges;
    const found = [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
    return found[2] - found[0] < LEAST * units[0] || found[3] - found[1] < LEAST * units[1] ? null : found;
  }

  function make(box, replaces = null) {
    drawn = { box, replaces };
    draw();
    look();
    say('Arrows move the box, Shift and arrows its lower right corner, + and - change the step. r relevant, i irrelevant, Escape drops it.');
  }

  function fresh() {
    const [width, height] = here().units;
    const top = $('text').scrollTop - sheet.offsetTop + $('text').clientHeight / 2; // in the middle of what is seen
    const middle = Math.max(0.1, Math.min(0.9, top / Math.max(1, sheet.offsetHeight)));
    make(fitted([0.3 * width, (middle - 0.06) * height, 0.7 * width, (middle + 0.06) * height]));
  }

  function edit() {
    if (!chosen) return say('Choose a box first.');
    const mine = !here().regions.some((one) => same(one, chosen));
    return make(chosen.slice(), mine ? chosen : null);
  }

  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  // Keys of a box that is being made.
  function held(event) {
    if (!drawn) return false;
    if (event.key === 'Escape') {
      judge(null);
      return true;
    }
    if (['+', '=', '-'].includes(event.key)) {
      step = Math.max(0.001, Math.min(0.1, event.key === '-' ? step / 2 : step * 2));
      say(`A step is ${(100 * step).toFixed(2)}% of the page.`);
      return true;
    }
    const move = moves[event.key];
    if (!move) return false;
    const { units } = here();
    const by = move.map((sign, i) => sign * step * units[i]);
    const { box } = drawn;
    if (!event.shiftKey) by.forEach((_, i) => { by[i] = Math.max(-box[i], Math.min(units[i] - box[i + 2], by[i])); });
    const next = fitted(box.map((edge, i) => (event.shiftKey && i < 2 ? edge : edge + by[i % 2])));
    if (next && next[0] >= (event.shiftKey ? box[0] : 0) && next[1] >= (event.shiftKey ? box[1] : 0)) drawn.box = next;
    draw();
    look();
    return true;
  }

  // A pointer that moves draws a box, or moves the one that is being made, or a corner of it; one that does not move
  // chooses the smallest box under it. A finger scrolls the page, unless it is on the box that is being made.
  function press(event) {
    if (event.button !== 0) return;
    const { units } = here();
    const bounds = sheet.getBoundingClientRect();
    const point = (one) => [((one.clientX - bounds.left) / bounds.width) * units[0], ((one.clientY - bounds.top) / bounds.height) * units[1]];
    const from = point(event);
    const on = event.target.closest('.drawn');
    const corner = event.target.dataset.corner === undefined ? null : CORNERS[Number(event.target.dataset.corner)];
    const before = drawn && drawn.box;
    if (event.pointerType === 'touch' && !on) {
      tap(from);
      return;
    }
    event.preventDefault();
    $('text').focus({ preventScroll: true });
    let moved = false;
    const move = (now) => {
      moved = moved || Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY) >= DRAG;
      if (!moved) return;
      const to = point(now);
      let box = [...from, ...to];
      if (on && corner) box = before.map((edge, i) => (corner.includes(i) ? edge + to[i % 2] - from[i % 2] : edge));
      else if (on) {
        const by = [0, 1].map((i) => Math.max(-before[i], Math.min(units[i] - before[i + 2], to[i] - from[i])));
        box = before.map((edge, i) => edge + by[i % 2]);
      }
      const next = fitted(box);
      if (!next) return;
      drawn = { box: next, replaces: on && drawn ? drawn.replaces : null };
      draw();
    };
    const up = (end) => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', up);
      if (end.type === 'pointerup' && !moved && !on) tap(from);
      else if (moved) say('r relevant, i irrelevant, Escape drops the box.');
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', up);
    window.addEventListener('pointercancel', up);
  }

  function tap([x, y]) {
    const all = [...here().regions, ...marksOf(here()).map((mark) => mark.slice(0, 4))];
    const under = all.filter(([a, b, c, d]) => a <= x && x <= c && b <= y && y <= d).sort((one, other) => areaOf(one) - areaOf(other));
    if (under.length) choose(under[0].slice(0, 4));
  }

  // ---- keys and buttons --------------------------------------------------------------------------------------------

  const acts = {
    relevant: () => judge(1),
    irrelevant: () => judge(0),
    clear: () => judge(null),
    fresh,
    edit,
    whole,
    undo,
    previous: () => go(at - 1),
    next: () => go(at + 1),
    open: nextOpen,
    save: () => page.save(lines()),
  };
  const keys = { r: 'relevant', i: 'irrelevant', c: 'clear', b: 'fresh', e: 'edit', w: 'whole', z: 'undo', p: 'previous', n: 'next', u: 'open', s: 'save', ArrowLeft: 'previous', ArrowRight: 'next' };
  page.begin(acts, keys, $('text'), () => {
    draw();
    count();
  }, held);

  const first = regions.findIndex((region) => !judged(region));
  go(first < 0 ? 0 : first);
  $('text').focus();
  if (page.data.notes.length) say(`Note: ${page.data.notes.join('; ')}.`);
  document.body.dataset.ready = 'yes';
})();
