/* Sets the formulas of a page; without scripts they stay as text. */
addEventListener('DOMContentLoaded', () => {
  for (const formula of document.querySelectorAll('.formula[data-tex]')) {
    katex.render(formula.dataset.tex, formula, { displayMode: true, throwOnError: false });
  }
});
