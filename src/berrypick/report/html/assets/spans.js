// Pure functions on spans and probabilities. No DOM here, so that a test can call every one of them with plain values
// and compare with what the library computes.

const SHOWN_RANKS = 20; // of one place; a document with 10,000 nested results must not make lists of 10,000 x 10,000

// ---- places in a document -------------------------------------------------------------------------------------

// Overlapping and touching spans [start, end] become one; empty ones vanish.
function merge(spans) {
  const sorted = spans.filter((span) => span[1] > span[0]).sort((a, b) => a[0] - b[0]);
  const merged = [];
  for (const [start, end] of sorted) {
    const last = merged[merged.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

// The first index whose value is above x, in a sorted list.
function above(sorted, x, value = (item) => item) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value(sorted[middle]) > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Elementary intervals that cover [0, length): within one of them nothing changes.
//   relevant: [[start, end], ...]      results: [{rank, start, end}, ...]      up to rank k, Infinity for all
// kind: 'found' relevant and retrieved, 'missed' relevant only, 'noise' retrieved only, 'none'
// again: by two results or more (count says by how many; ranks are the first of them)
// unjudged: retrieved, and outside of the judged text [[start, end], ...], where that is known
function segments(length, relevant, results, k = Infinity, judged = null) {
  const events = []; // [at, what, +1/-1], what: -1 relevant, -2 judged, else the rank of a result
  for (const [start, end] of merge(relevant)) events.push([start, -1, 1], [end, -1, -1]);
  for (const [start, end] of merge(judged || [])) {
    const last = length === null ? end : Math.min(end, length);
    if (start < last) events.push([start, -2, 1], ...(Number.isFinite(last) ? [[last, -2, -1]] : []));
  }
  for (const { rank, start, end } of results) {
    if (rank <= k && start !== null && end > start) events.push([start, rank, 1], [end, rank, -1]);
  }
  events.sort((a, b) => a[0] - b[0]);
  const found = [];
  const active = []; // ranks that cover the present place, sorted
  let wanted = false;
  let known = judged === null;
  let at = 0;
  const close = (until) => {
    if (until <= at) return;
    const retrieved = active.length > 0;
    const kind = wanted ? (retrieved ? 'found' : 'missed') : retrieved ? 'noise' : 'none';
    found.push({
      start: at,
      end: until,
      kind,
      again: active.length > 1,
      relevant: wanted,
      ...(judged === null ? {} : { unjudged: retrieved && !wanted && !known }),
      count: active.length,
      ranks: active.slice(0, SHOWN_RANKS),
    });
    at = until;
  };
  for (const [place, what, change] of events) {
    close(place);
    if (what === -1) wanted = change === 1;
    else if (what === -2) known = change === 1;
    else if (change === 1) active.splice(above(active, what), 0, what);
    else active.splice(above(active, what) - 1, 1);
  }
  close(length === null ? at : length);
  return found;
}

// A page in cells, band by band between all upper and lower edges, each band cut as a line is; what holds nothing is
// left out. Boxes are [x0, y0, x1, y1], results [{rank, box}, ...]; a cell has its box and area beside the rest.
function cells(relevant, results, k = Infinity, judged = null) {
  const all = [...relevant.map((box) => ({ box, what: 'relevant' })), ...(judged || []).map((box) => ({ box, what: 'judged' })),
    ...results.filter(({ rank }) => rank <= k).map(({ box, rank }) => ({ box, rank, what: 'result' }))]
    .filter(({ box }) => box[2] > box[0] && box[3] > box[1]).sort((a, b) => a.box[1] - b.box[1]);
  const low = all.reduce((least, { box }) => Math.min(least, box[0]), 0);
  const heights = Array.from(new Set(all.flatMap(({ box }) => [box[1], box[3]]))).sort((a, b) => a - b);
  const found = [];
  let active = [];
  let next = 0;
  heights.slice(0, -1).forEach((top, i) => {
    const bottom = heights[i + 1];
    active = active.filter(({ box }) => box[3] > top);
    for (; next < all.length && all[next].box[1] <= top; next += 1) active.push(all[next]);
    const across = (what) => active.filter((one) => one.what === what).map(({ box, rank }) => ({ rank, start: box[0] - low, end: box[2] - low }));
    const pairs = (what) => across(what).map(({ start, end }) => [start, end]);
    for (const one of segments(null, pairs('relevant'), across('result'), Infinity, judged === null ? null : pairs('judged'))) {
      if (one.kind === 'none') continue;
      const box = [one.start + low, top, one.end + low, bottom];
      found.push(Object.assign(one, { box, area: (one.end - one.start) * (bottom - top) }));
    }
  });
  return found;
}

// How much of each class: found + missed = all relevant, found + noise = all retrieved, again and unjudged are parts of
// the latter.
function totals(found) {
  const sum = { found: 0, missed: 0, noise: 0, again: 0, againRelevant: 0, none: 0, unjudged: 0 };
  for (const segment of found) {
    const size = segment.area === undefined ? segment.end - segment.start : segment.area;
    sum[segment.kind] += size;
    if (segment.again) sum.again += size;
    if (segment.unjudged) sum.unjudged += size;
    if (segment.again && segment.relevant) sum.againRelevant += size;
  }
  return sum;
}

// A function (start, end) -> {found, missed, noise}, quick for many intervals over the same segments.
function amounts(found) {
  const kinds = ['found', 'missed', 'noise'];
  const sums = [{ found: 0, missed: 0, noise: 0 }];
  for (const segment of found) {
    const next = Object.assign({}, sums[sums.length - 1]);
    if (segment.kind !== 'none') next[segment.kind] += segment.end - segment.start;
    sums.push(next);
  }
  const until = (x) => {
    const i = above(found, x, (segment) => segment.start) - 1;
    if (i < 0) return sums[0];
    const inside = Math.min(x, found[i].end) - found[i].start;
    const sum = Object.assign({}, sums[i]);
    if (found[i].kind !== 'none') sum[found[i].kind] += inside;
    return sum;
  };
  return (start, end) => {
    const [low, high] = [until(start), until(end)];
    return Object.fromEntries(kinds.map((kind) => [kind, high[kind] - low[kind]]));
  };
}

// Ranks as short text: [3,4,5,9] -> '3–5, 9'; more than `most` parts become '+n'.
function rankText(ranks, most = 2) {
  const sorted = Array.from(new Set(ranks)).sort((a, b) => a - b);
  const parts = [];
  for (const rank of sorted) {
    const last = parts[parts.length - 1];
    if (last && rank === last[1] + 1) last[1] = rank;
    else parts.push([rank, rank]);
  }
  const text = parts.slice(0, most).map(([low, high]) => (low === high ? `${low}` : `${low}–${high}`));
  const rest = parts.slice(most).reduce((sum, [low, high]) => sum + high - low + 1, 0);
  return text.join(', ') + (rest ? ` +${rest}` : '');
}

// Badges at places = [[x, thing], ...]: one that would begin within the badge before it (wide(things) pixels) joins it.
function thin(places, wide) {
  const groups = [];
  for (const [x, thing] of places.slice().sort((a, b) => a[0] - b[0])) {
    const last = groups[groups.length - 1];
    if (last && x < last.x + wide(last.things)) last.things.push(thing);
    else groups.push({ x, things: [thing] });
  }
  return groups;
}

// ---- text -----------------------------------------------------------------------------------------------------

// The library counts code points, JavaScript counts UTF-16 units. Every 1,024th code point gets a signpost, from
// which the rest is walked; a text without surrogates needs none.
function codePoints(text) {
  const STEP = 1024;
  if (!/[\ud800-\udfff]/.test(text)) {
    const clip = (x) => Math.max(0, Math.min(text.length, x));
    return { length: text.length, unit: clip, point: clip };
  }
  const posts = [0];
  const width = (i) => (text.codePointAt(i) > 0xffff ? 2 : 1);
  let points = 0;
  for (let i = 0; i < text.length; i += width(i)) {
    if (points && points % STEP === 0) posts.push(i);
    points += 1;
  }
  const unit = (point) => {
    if (point <= 0) return 0;
    if (point >= points) return text.length;
    let i = posts[Math.floor(point / STEP)];
    for (let left = point % STEP; left > 0; left -= 1) i += width(i);
    return i;
  };
  const point = (index) => {
    const post = above(posts, index) - 1;
    let count = post * STEP;
    for (let i = posts[post]; i < index && i < text.length; i += width(i)) count += 1;
    return count;
  };
  return { length: points, unit, point };
}

// The same for texts whose places count lines: places are lines from 0.
function linePoints(text) {
  const begins = [0];
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1)) begins.push(at + 1);
  const unit = (line) => (line <= 0 ? 0 : line >= begins.length ? text.length : begins[Math.floor(line)]);
  const point = (index) => (index >= text.length ? begins.length : above(begins, index) - 1);
  return { length: begins.length, unit, point };
}

// Blocks of so many lines: their UTF-16 starts, then the end.
function lineBlocks(text, points, size = 50) {
  const cuts = [];
  for (let line = 0; line < points.length; line += size) cuts.push(points.unit(line));
  return [...cuts, text.length];
}

// Cuts a text into blocks of about `size` units, at the end of a paragraph, line, sentence or word where there is
// one in the second half of the block, never inside a surrogate pair. Returns the UTF-16 starts, then the end.
function blocks(text, size = 2000) {
  const cuts = [0];
  let at = 0;
  while (text.length - at > size * 1.5) {
    const piece = text.slice(at + size / 2, at + size);
    let cut = 0;
    for (const border of ['\n\n', '\n', '. ', ' ']) {
      const last = piece.lastIndexOf(border);
      if (last >= 0) {
        cut = at + size / 2 + last + border.length;
        break;
      }
    }
    if (!cut) cut = at + size;
    const code = text.charCodeAt(cut);
    if (code >= 0xdc00 && code <= 0xdfff) cut += 1;
    cuts.push(cut);
    at = cut;
  }
  cuts.push(text.length);
  return cuts;
}

const NAMES = {
  0x61c: 'ALM', 0x200e: 'LRM', 0x200f: 'RLM', 0x2028: 'LS', 0x2029: 'PS', 0x202a: 'LRE', 0x202b: 'RLE', 0x202c: 'PDF',
  0x202d: 'LRO', 0x202e: 'RLO', 0x2066: 'LRI', 0x2067: 'RLI', 0x2068: 'FSI', 0x2069: 'PDI', 0x7f: 'DEL',
};
('NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US')
  .split(' ').forEach((name, code) => { NAMES[code] = name; });

// Characters that one cannot see, or that would turn the text around them, are written out. Lines and tabs stay.
function visible(text) {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/g,
      (character) => {
      const code = character.charCodeAt(0);
      return `\u2039${NAMES[code] || `U+${code.toString(16).toUpperCase().padStart(4, '0')}`}\u203a`;
    })
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

// ---- readers --------------------------------------------------------------------------------------------------

// Entries {rank, target, p} of a reach, as a list per rank: [[rank, [[target, p], ...]], ...] in order of rank.
function byRank(reach) {
  const rows = [];
  for (let i = 0; i < reach.rank.length; i += 1) {
    const last = rows[rows.length - 1];
    if (last && last[0] === reach.rank[i]) last[1].push([reach.target[i], reach.p[i]]);
    else rows.push([reach.rank[i], [[reach.target[i], reach.p[i]]]]);
  }
  return rows.sort((a, b) => a[0] - b[0]);
}

// The probability that each target has been seen after rank k.
function seen(reach, targets, k) {
  const current = new Float64Array(targets);
  for (let i = 0; i < reach.rank.length; i += 1) {
    if (reach.rank[i] <= k) current[reach.target[i]] += (1 - current[reach.target[i]]) * reach.p[i];
  }
  return current;
}

// P(F = f) for f = 0..t, F the number of targets seen, each on its own account.
function law(probabilities) {
  const current = new Float64Array(probabilities.length + 1);
  current[0] = 1;
  probabilities.forEach((p, i) => {
    for (let f = i + 1; f > 0; f -= 1) current[f] = current[f] * (1 - p) + current[f - 1] * p;
    current[0] *= 1 - p;
  });
  return current;
}

// Satisfaction levels: readers who are content with less want fewer targets. [{weight, targets: [numbers]}, ...]
function levels(ideal) {
  const values = Array.from(new Set(ideal.filter((value) => value > 0))).sort((a, b) => a - b);
  return values.map((value, i) => ({
    weight: value - (i ? values[i - 1] : 0),
    targets: ideal.map((_, number) => number).filter((number) => ideal[number] >= value),
  }));
}

// EPRUM (ideal='targets') of the list cut at rank k, for every k at which anything is reached: {rank: [], value: []}.
// T_k = E[F_k (F_k + 1) / 2] / t = sum_r r P(F_k >= r) / t, and the cut list has
// sum_{j<k} T_j / (j (j+1)) + T_k / k. Between events T stays, so the inner sums telescope to 1/j - 1/k.
function growth(reach, ideal) {
  const many = levels(ideal);
  const total = many.reduce((sum, level) => sum + level.weight, 0);
  const current = new Float64Array(ideal.length);
  const state = many.map(() => ({ area: 0, rank: 0, height: 0 }));
  const grown = { rank: [], value: [] };
  for (const [rank, entries] of byRank(reach)) {
    for (const [target, p] of entries) current[target] += (1 - current[target]) * p;
    let value = 0;
    many.forEach((level, i) => {
      let mean = 0;
      let variance = 0;
      for (const target of level.targets) {
        mean += current[target];
        variance += current[target] * (1 - current[target]);
      }
      const last = state[i];
      if (last.rank) last.area += (last.height * (rank - last.rank)) / (last.rank * rank);
      last.rank = rank;
      last.height = (variance + mean * mean + mean) / 2 / level.targets.length;
      value += level.weight * (last.area + last.height / rank);
    });
    grown.rank.push(rank);
    grown.value.push(value / total);
  }
  return grown;
}

// EPRUM of the list cut at rank k; after the last event nothing changes any more.
function eprum(reach, ideal, k = Infinity) {
  const grown = growth(reach, ideal);
  const event = above(grown.rank, k) - 1;
  return event < 0 ? 0 : grown.value[event];
}

// ExpectedRatio: the expected share of the targets seen, each target weighed by the readers for whom it is ideal.
function ratio(probabilities, ideal) {
  const total = ideal.reduce((sum, value) => sum + value, 0);
  return ideal.reduce((sum, value, i) => sum + value * probabilities[i], 0) / total;
}

export {
  merge, above, segments, cells, totals, amounts, rankText, thin,
  codePoints, blocks, linePoints, lineBlocks, visible,
  byRank, seen, law, levels, growth, eprum, ratio,
};
