/* The button that changes between dark and light. */
(function (berry) {
  'use strict';

  const button = document.getElementById('theme');

  function name() { button.textContent = berry.theme() === 'dark' ? 'Light' : 'Dark'; }

  button.hidden = false;
  button.addEventListener('click', () => berry.setTheme(berry.theme() === 'dark' ? 'light' : 'dark'));
  document.addEventListener('berry-theme', name);
  name();
})(window.berry);
