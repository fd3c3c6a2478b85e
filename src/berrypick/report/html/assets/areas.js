/* Areas of places on pages: what each page holds, and how much of it is found, missed, irrelevant and repeated. */

import * as spans from './spans.js';

const EVERYWHERE = [0, 0, 1e12, 1e12];

export const areaOf = ([, x0, y0, x1, y1]) => Math.max(0, x1 - x0) * Math.max(0, y1 - y0);

const boxOf = (place) => place.slice(1, 5);

// By document and page, what is relevant and judged, and the results of each run. Read once for each block.
export function pagesOf(made) {
  const { boxes, block } = made;
  if (boxes.pages) return boxes.pages;
  const documents = block.documents.map(() => new Map());
  const at = (doc, page) => {
    if (!documents[doc].has(page)) documents[doc].set(page, { relevant: [], judged: [], runs: made.runs.map(() => []), cells: new Map() });
    return documents[doc].get(page);
  };
  for (const [doc, page, ...box] of boxes.relevant) at(doc, page).relevant.push(box);
  made.runs.forEach((run, number) => run.results.forEach((result) => {
    at(result.doc, result.place[0]).runs[number].push(Object.assign(result, { box: boxOf(result.place) }));
  }));
  for (const [doc, page, ...box] of boxes.judged) if (documents[doc].has(page)) at(doc, page).judged.push(box);
  for (const doc of boxes.whole) documents[doc].forEach((page) => page.judged.push(EVERYWHERE));
  boxes.pages = documents.map((pages) => new Map(Array.from(pages).sort((a, b) => a[0] - b[0])));
  return boxes.pages;
}

export function cellsOf(page, run, k) {
  const key = `${run} ${k}`;
  if (page.cells.size > 8) page.cells.clear();
  if (!page.cells.has(key)) page.cells.set(key, spans.cells(page.relevant, page.runs[run], k, page.judged));
  return page.cells.get(key);
}

// {found, missed, noise, again, unjudged} over all pages.
export function areas(made, run, k) {
  return spans.totals(pagesOf(made).flatMap((pages) => Array.from(pages.values()).flatMap((page) => cellsOf(page, run, k))));
}
