/* Dark or light, before anything is drawn: as chosen on a page of this kind before, else as the system has it. The
   button that changes it comes later in the page. A block, so that none of these names is global. */
{
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  let chosen = null;

  try {
    const kept = localStorage.getItem('berrypick-theme');
    if (kept === 'dark' || kept === 'light') chosen = kept;
  } catch (problem) { /* a page without storage follows the system */ }

  const theme = () => chosen || (dark.matches ? 'dark' : 'light');
  const other = () => (theme() === 'dark' ? 'light' : 'dark');

  const show = () => {
    document.documentElement.dataset.theme = theme();
    const button = document.getElementById('theme');
    if (!button) return;
    button.textContent = other() === 'dark' ? 'Dark' : 'Light';
    button.title = button.textContent + ' colours';
    button.hidden = false;
  };

  document.addEventListener('click', (event) => {
    if (!event.target.closest('#theme')) return;
    chosen = other();
    try { localStorage.setItem('berrypick-theme', chosen); } catch (problem) { /* not kept, then */ }
    show();
  });
  document.addEventListener('DOMContentLoaded', show);
  dark.addEventListener('change', show);
  show();
}
