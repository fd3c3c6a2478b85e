/* Where answers are lost: a bar for each run, its classes side by side, and a bar for each stage of a pipeline. Parts of
   bars, and counts in the table, are buttons that list their topics below. */

import * as dom from '../../html/assets/dom.js';
import { el } from '../../html/assets/dom.js';
import * as widgets from '../../html/assets/widgets.js';
import * as app from '../../html/assets/app.js';

const most = 50;               // targets listed at once
const flow = [
  {name: 'held', kind: 'kept', meaning: 'held here, as in the stage before'},
  {name: 'gained', kind: 'gained', meaning: 'held here, but not in the stage before'},
  {name: 'lost', kind: 'lost', meaning: 'held in the stage before, but not here'},
  {name: 'not held', kind: 'never', meaning: 'held neither here nor in the stage before'},
];

const percent = (count, of) => (100 * count / of).toFixed(count && count < of ? 1 : 0) + '%';

export function draw(found) {
  found.classes.forEach((one) => { one.name = dom.clean(one.name); });   // it may hold the name of a stage
  const list = el('div', {id: 'lost-topics', role: 'region', 'aria-label': 'Topics of the chosen part', 'aria-live': 'polite'});
  let pressed = null;

  /* A button that lists targets; pressed a second time it lists none. */
  function button(attributes, said, targets, run, title, ...children) {
    const one = el('button', Object.assign({type: 'button', 'aria-pressed': 'false', 'aria-controls': 'lost-topics', 'aria-label': said}, attributes,
      {onclick: () => {
        const again = pressed === one;
        if (pressed) pressed.setAttribute('aria-pressed', 'false');
        pressed = again ? null : one;
        if (again) return dom.fill(list);
        one.setAttribute('aria-pressed', 'true');
        dom.fill(list, topicsOf(found, run, targets, title));
      }}), ...children);
    return one;
  }

  function part(run, targets, kind, name, where, total, told) {
    if (!targets.length) return null;
    const share = targets.length / total;
    const title = dom.clean(run.name) + where + ': ' + name;
    const said = title + ', ' + targets.length + ' of ' + dom.plural(total, 'target') + ' (' + percent(targets.length, total) + '). Show their topics.';
    return widgets.tip(button({class: 'lost-part', 'data-kind': kind, 'data-class': name, 'data-count': targets.length, style: {flexGrow: String(targets.length)}},
      said, targets, run, title, share > .12 ? el('span', {'aria-hidden': 'true'}, name + ' ' + targets.length) : null),
    () => [el('strong', {}, name), told, targets.length + ' of ' + total + ' (' + percent(targets.length, total) + ')']);
  }

  function bar(label, parts) {
    return el('div', {class: 'lost-row', role: 'group', 'aria-label': label}, el('span', {class: 'lost-label', 'aria-hidden': 'true'}, label), el('div', {class: 'lost-bar'}, parts));
  }

  function bars(run) {
    const total = run.targets.length, name = dom.clean(run.name);
    const rows = [bar(run.stages.length ? 'in the end' : name, found.classes.map((one, number) =>
      part(run, run.targets.filter((target) => target[1] === number), one.kind, one.name, '', total, one.meaning)))];
    const stages = run.stages.map((stage, at) => {
      const has = (target, i) => i >= 0 && (target[2] & 1 << i) !== 0;
      const sets = [
        (target) => has(target, at) && (at === 0 || has(target, at - 1)), (target) => at > 0 && has(target, at) && !has(target, at - 1),
        (target) => !has(target, at) && has(target, at - 1), (target) => !has(target, at) && !has(target, at - 1)];
      return bar(dom.clean(stage), flow.map((one, i) =>
        part(run, run.targets.filter(sets[i]), one.kind, one.name, ', ' + dom.clean(stage), total, at || i ? one.meaning : 'held here')));
    });
    return el('div', {class: 'lost-run', 'data-run': run.name}, run.stages.length ? el('h3', {}, name + ' through its stages') : null, stages, rows);
  }

  function table() {
    const columns = [{title: 'Class', key: 'class', rowHeader: true, value: (number) => number,
      cell: (number) => el('th', {scope: 'row'}, el('span', {class: 'lost-key', 'data-kind': found.classes[number].kind, 'aria-hidden': 'true'}), found.classes[number].name,
        el('span', {class: 'lost-meaning quiet small'}, found.classes[number].meaning))}];
    found.runs.forEach((run, at) => columns.push({title: dom.name(run.name), key: 'run-' + at, numeric: true, falling: true,
      value: (number) => run.targets.filter((target) => target[1] === number).length,
      cell: (number) => {
        const targets = run.targets.filter((target) => target[1] === number), ends = run.intervals[number];
        const title = dom.clean(run.name) + ': ' + found.classes[number].name;
        if (!targets.length) return el('td', {class: 'numeric', 'data-value': 0}, '0');
        return el('td', {class: 'numeric', 'data-value': targets.length},
          button({class: 'plain'}, title + ', ' + dom.plural(targets.length, 'target') + '. Show their topics.', targets, run, title, String(targets.length)),
          el('span', {class: 'interval'}, percent(targets.length, run.targets.length),
            ends && ends[0] !== null ? ' [' + (100 * ends[0]).toFixed(1) + ', ' + (100 * ends[1]).toFixed(1) + ']' : ''));
      }}));
    return widgets.wide('Classes of targets', widgets.table(columns, {id: 'lost-classes', class: 'compact', rows: found.classes.map((one, number) => number)}));
  }

  return el('div', {id: 'lost-answers'},
    el('p', {class: 'quiet small'}, found.said.join(' ') + ' Press a part of a bar, or a count, to list its topics.'),
    found.runs.map(bars), table(), list);
}

/* The targets of a part of a bar, with links to their topics. */
function topicsOf(found, run, targets, title) {
  const {data} = dom;
  const topic = (number) => number === null ? '-' : [
    el('a', {href: app.address({view: 'documents', topic: number})}, dom.name(data.topics[number])),
    data.titles[number] ? el('bdi', {class: 'quiet small title'}, dom.start(data.titles[number], 300)) : null];
  const described = targets.some((target) => target.length > 3);
  const columns = [
    {title: 'Topic', key: 'topic', rowHeader: true, value: (target) => target[0], cell: (target) => el('th', {scope: 'row', class: 'topic'}, topic(target[0]))},
    {title: 'Class', key: 'class', value: (target) => target[1], cell: (target) => found.classes[target[1]].name}];
  if (described) columns.push(
    {title: 'Target', key: 'target', value: (target) => target[3] || '', cell: (target) => [dom.name(target[3] || ''), target[4] ? el('bdi', {class: 'quiet small title'}, dom.clean(target[4], 80)) : null]},
    {title: 'Ranks that hold it', key: 'ranks', value: (target) => target[5] || '', cell: (target) => dom.clean(target[5] || '', 200)});
  const shown = targets.slice(0, most);
  const table = widgets.table(columns, {id: 'lost-list', class: 'compact', rows: shown});
  const more = targets.length > shown.length ? el('button', {type: 'button', onclick: () => { table.refill(targets); more.remove(); }}, 'Show all ' + dom.count(targets.length)) : null;
  const topics = new Set(targets.map((target) => target[0])).size;
  return [el('h3', {}, title + ' (' + dom.plural(targets.length, 'target') + ' of ' + dom.plural(topics, 'topic') + ')'), widgets.wide('Targets: ' + title, table), more];
}
