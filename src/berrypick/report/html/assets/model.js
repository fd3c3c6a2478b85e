/* A topic as the views need it. */

import * as dom from './dom.js';
import * as spans from './spans.js';
import * as areas from './areas.js';

const KINDS = ['found', 'missed', 'noise', 'again'];

// What the classes are called, in a sentence each.
const MEANING = {
  found: 'relevant and retrieved',
  missed: 'relevant, not retrieved',
  noise: 'retrieved and irrelevant',
  again: 'retrieved more than once',
  unjudged: 'retrieved and not judged; counts as irrelevant',
  none: 'neither relevant nor retrieved',
};
const SHORT = { found: 'Found', missed: 'Missed', noise: 'Irrelevant', again: 'Repeated', unjudged: 'Unjudged' };

const seconds = () => dom.data.kind === 'seconds';

function clock(at) {
  const whole = Math.floor(at);
  const two = (x) => String(x).padStart(2, '0');
  const text = `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  const rest = Math.round((at - whole) * 10);
  return rest > 0 && rest < 10 ? `${text}.${rest}` : text;
}

const onPages = () => dom.data.kind === 'pages';
const inLines = () => dom.data.kind === 'lines';
// 1234.5 -> '1,234.5': as many decimals as there are, up to one; areas are small, with three digits.
const count = (x) => (onPages() && !Number.isInteger(x) ? String(Number(x.toPrecision(3))) : Number(x.toFixed(1)).toLocaleString('en'));
const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)}%` : null);
const place = (at) => (onPages() ? `page ${count(Math.floor(at) + 1)}` : inLines() ? `line ${count(Math.floor(at) + 1)}` :
  seconds() ? clock(at) : count(at));
// Lines are counted from 1, and both ends are included.
const stretch = (start, end) => (onPages() || inLines() && end <= start + 1 ? place(start) :
  inLines() ? `lines ${count(start + 1)}\u2013${count(end)}` : start === end ? place(start) : `${place(start)}\u2013${place(end)}`);
// Where nobody says what positions count, no unit is named.
const size = (amount, unit) => (unit ? `${count(amount)} ${amount === 1 ? unit.replace(/s$/, '') : unit}` : count(amount));

// What a strip or a page holds, in words; unjudged text is not said to be irrelevant.
function amounts(sum, unit) {
  const parts = [`${count(sum.found)} found`, `${count(sum.missed)} missed`, `${count(sum.noise - sum.unjudged)} irrelevant`];
  if (sum.unjudged) parts.push(`${count(sum.unjudged)} unjudged`);
  return `${parts.join(', ')}${unit ? ` ${unit}` : ''}`;
}

// Results come as short rows; named fields from here on. Rows of the same block are read once.
const models = new WeakMap();

function modelOf(block) {
  if (models.has(block)) return models.get(block);
  const byDocument = () => block.documents.map(() => []);
  const made = {
    block,
    extents: [],
    relevant: byDocument(),
    judged: block.judged ? byDocument() : null,
    entries: byDocument(),
    targets: byDocument(),
    runs: block.runs.map((run) => {
      const results = run.results.map(([rank, doc, start, end, path, score, relevant, fresh, grade, repeated, box]) =>
        ({ rank, doc, start, end, path, score, relevant, fresh, grade, repeated, place: box || null }));
      const placed = byDocument();
      results.forEach((result) => placed[result.doc].push(result));
      return { results, placed, ranks: run.ranks, shown: run.shown, seen: run.seen, answered: run.answered };
    }),
  };
  for (const [doc, start, end] of block.relevant) made.relevant[doc].push([start, end]);
  for (const [doc, at, , y0, , y1] of (block.boxes || { relevant: [] }).relevant) {
    made.relevant[doc].push(block.boxes.shares ? [at + y0, at + y1] : [at, at + 1]);
  }
  for (const [doc, start, end] of block.judged || []) made.judged[doc].push([start, end === null ? Infinity : end]);
  for (const [doc, at] of block.entries) made.entries[doc].push(at);
  block.targets.forEach((target, number) => made.targets[target.doc].push(Object.assign({ number }, target)));
  // Places in the documents where anybody knows them; else whole elements or documents are compared.
  made.boxes = block.boxes || null; // places on pages have their own view
  made.placed = !made.boxes && (block.relevant.length > 0 || made.runs.some((run) => run.results.some((r) => r.start !== null)));
  made.paths = !made.placed && !made.boxes && (block.targets.some((target) => target.path) ||
    made.runs.some((run) => run.results.some((result) => result.path)));
  made.unit = made.boxes ? (made.boxes.shares ? 'pages' : 'square units') : made.placed ? (seconds() ? 'seconds' : inLines() ? 'lines' : dom.data.unit_known ? 'characters' : '') : made.paths ? 'elements' : 'documents';
  models.set(block, made);
  return made;
}

// Whether the shortest document of several would be less than a twentieth of the longest.
function uneven(made) {
  const lengths = made.block.documents.map((_, doc) => extent(made, doc)).filter((length) => length > 0);
  return lengths.length > 1 && Math.max(...lengths) > 20 * Math.min(...lengths);
}

// How long a document is; where nobody knows, as far as anything in it reaches.
function extent(made, doc) {
  const known = made.extents[doc];
  if (known !== undefined) return known;
  let most = made.block.documents[doc].length || 0;
  const reach = (end) => { most = Math.max(most, end || 0); };
  made.relevant[doc].forEach((span) => reach(span[1]));
  made.targets[doc].forEach((target) => reach(target.end));
  made.runs.forEach((run) => run.placed[doc].forEach((result) => reach(result.end)));
  made.extents[doc] = most;
  return most;
}

function segments(made, run, doc, k) {
  return spans.segments(extent(made, doc), made.relevant[doc], made.runs[run].placed[doc], k, made.judged && made.judged[doc]);
}

// Whole units: which are targets, which are retrieved up to rank k, at which ranks.
function units(made, run, k) {
  const found = new Map();
  const unit = (doc, path) => {
    const key = `${doc} ${path || ''}`;
    if (!found.has(key)) found.set(key, { doc, path, ranks: [], target: null, results: [] });
    return found.get(key);
  };
  made.block.targets.forEach((target, number) => { unit(target.doc, target.path).target = number; });
  for (const result of made.runs[run].results) {
    if (result.rank > k) continue;
    const one = unit(result.doc, result.path);
    one.ranks.push(result.rank);
    one.results.push(result);
  }
  for (const one of found.values()) {
    one.again = one.ranks.length > 1;
    one.kind = one.target !== null ? (one.ranks.length ? 'found' : 'missed') : 'noise';
  }
  return Array.from(found.values());
}

// The classes of a topic: what was judged is known where there are places.
const kinds = (made) => (made.boxes || (made.placed && made.judged) ? [...KINDS, 'unjudged'] : KINDS);

// {found, missed, noise, again, unjudged} in the unit of the topic, over all documents.
function totals(made, run, k) {
  const sum = { found: 0, missed: 0, noise: 0, again: 0, unjudged: 0 };
  if (made.boxes) return areas.areas(made, run, k);
  if (!made.placed) {
    for (const one of units(made, run, k)) {
      sum[one.kind] += 1;
      if (one.again) sum.again += 1;
    }
    return sum;
  }
  made.block.documents.forEach((_, doc) => {
    const part = spans.totals(segments(made, run, doc, k));
    [...KINDS, 'unjudged'].forEach((kind) => { sum[kind] += part[kind]; });
  });
  return sum;
}

// What a result is, for a list, for the lines of a tooltip or for a screen reader.
const describe = (result, unit) => `Rank ${count(result.rank)}: ${facts(result, unit)}`;

function facts(result, unit) {
  const parts = [];
  if (result.place) {
    parts.push(`page ${result.place[0] + 1}`, size(areas.areaOf(result.place), unit));
  } else if (result.start !== null) {
    parts.push(stretch(result.start, result.end), result.end > result.start ? size(result.end - result.start,
      unit) : 'a place to begin');
  } else if (result.path) {
    parts.push(dom.clean(result.path));
  }
  if (result.relevant !== null) parts.push(`${count(result.relevant)} relevant`);
  if (result.fresh !== null) parts.push(`${count(result.fresh)} of them new`);
  if (result.grade !== null && result.relevant === null) parts.push(result.grade > 0 ? `grade ${result.grade}` : 'not relevant');
  if (result.repeated) parts.push('retrieved before');
  if (result.score !== null) parts.push(`score ${Number(result.score.toPrecision(6))}`);
  return parts.join(', ');
}

const lines = (results, unit, most = 5) => results.slice(0, most).map((result) => describe(result, unit))
  .concat(results.length > most ? [`and ${count(results.length - most)} more`] : []);

export {
  KINDS, kinds, MEANING, SHORT, clock, count, percent, place, stretch, size, modelOf, extent, segments, units, totals, describe, facts,
  lines, amounts, uneven,
};
