/* What scrolls sideways on a narrow screen can be reached by keyboard. */
(function () {
  'use strict';
  const wide = '.md-typeset__scrollwrap, .md-typeset p:has(> img:only-child), .md-typeset pre > code, .formula';
  function reach() {
    for (const region of document.querySelectorAll(wide)) {
      if (region.scrollWidth > region.clientWidth + 1) region.tabIndex = 0;
      else region.removeAttribute('tabindex');
    }
  }
  addEventListener('load', reach);
  addEventListener('resize', reach);
})();
