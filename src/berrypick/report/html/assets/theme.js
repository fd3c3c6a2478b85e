/* Dark or light, before anything is drawn: as chosen on a page of this kind before, else as the system has it. */
(function (berry) {
  'use strict';

  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  let chosen = null;

  try {
    const kept = localStorage.getItem('berrypick-theme');
    if (kept === 'dark' || kept === 'light') chosen = kept;
  } catch (problem) { /* a page without storage follows the system */ }

  berry.theme = () => chosen || (dark.matches ? 'dark' : 'light');

  berry.setTheme = function (theme) {
    chosen = theme;
    try { localStorage.setItem('berrypick-theme', theme); } catch (problem) { /* not kept, then */ }
    show();
  };

  function show() {
    document.documentElement.dataset.theme = berry.theme();
    document.dispatchEvent(new CustomEvent('berry-theme'));
  }

  dark.addEventListener('change', show);
  show();
})(window.berry = window.berry || {});
