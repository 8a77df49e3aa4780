const FIELDS = 'input:not([type=hidden]), select, textarea';
/** In the order of a dialog the harmless one comes first; the way out at the top is none to begin at. */
const BUTTONS = 'button:not([type=submit], [data-close]), a[href]';
const TYPED = 'textarea:not([readonly]), input:not([readonly], [type=checkbox], [type=radio], [type=date])';

/**
 * Where a dialog that opens has the focus: its first field, else its first harmless button, else the dialog itself,
 * which is read out then. Where fingers type, a field waits to be touched: the keyboard would cover the dialog.
 */
export function beginDialog(event: Event): void {
  const panel = event.currentTarget;
  if (!(panel instanceof HTMLElement)) return;
  event.preventDefault();
  const start = startIn(panel);
  const covered = start.matches(TYPED) && (window.matchMedia?.('(pointer: coarse)').matches ?? false);
  (covered ? panel : start).focus({ preventScroll: true });
}

function startIn(panel: HTMLElement): HTMLElement {
  for (const wanted of [FIELDS, BUTTONS]) {
    const found = [...panel.querySelectorAll<HTMLElement>(wanted)].find((one) => !one.matches(':disabled'));
    if (found !== undefined) return found;
  }
  return panel;
}
