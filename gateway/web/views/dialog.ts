import { button, h, icon } from '../dom.ts';

/** Over the rest of the page, which is out of reach meanwhile. Escape, its button and a click beside it close it. */
export function createDialog(name: string, title: string, ...body: readonly HTMLElement[]): HTMLDialogElement {
  const id = `${name}-title`;
  const close = button({ label: 'Close', class: 'quiet' }, () => dialog.close(), icon('cross'));
  const head = h('div', { class: 'dialog-head' }, h('h2', { id }, title), close);
  const inside = h('div', { class: 'dialog-body' }, head, ...body);
  const dialog = h('dialog', { class: `dialog dialog-${name}`, 'aria-labelledby': id }, inside);
  // Whoever selects text in it and lets go beside it does not want it closed.
  let beganBeside = false;
  dialog.addEventListener('pointerdown', ({ target }) => {
    beganBeside = target === dialog;
  });
  dialog.addEventListener('click', ({ target }) => {
    if (beganBeside && target === dialog) dialog.close();
  });
  return dialog;
}
