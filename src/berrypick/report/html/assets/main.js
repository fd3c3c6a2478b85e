/* The page: its views, in the order of their tabs. */

import * as app from './app.js';
import * as charting from './charts.js';
import * as overview from './overview.js';
import './curves.js';
import './topics.js';
import './documents.js';
import './reader.js';
import './context.js';
import './simulated.js';

/* Show the page. Panels draw themselves by the functions in `drawings`, by their names; `library` gives Vega's. */
export function begin(drawings, library) {
  charting.use(library);
  overview.use(drawings);
  app.begin();
}
