import { isFocusLost } from './use-focus.ts';

const SECOND_TAP_MS = 500;

type Press = Readonly<{ button: Element; at: number; byTouch: boolean }>;

/**
 * Another button may have come to where the first tap of a double tap was; the second one is not meant for it (decision
 * 0364). For the actions of a flow's screen (`data-actions`). Keys and assistive technology press a button once at a
 * time. Returns the function that ends it.
 */
export function ignoreSecondTaps(): () => void {
  let last: Press | undefined;
  let byTouch = false;
  const abort = new AbortController();
  const options = { capture: true, signal: abort.signal };
  const note = ({ pointerType }: PointerEvent): void => {
    byTouch = pointerType === 'touch';
  };
  const press = (event: MouseEvent): void => {
    const button = event.target instanceof Element ? event.target.closest('[data-actions] :is(a, button)') : null;
    if (button === null) return;
    // Phones do not count the clicks of a place, so time counts.
    const soon = byTouch && last?.byTouch === true && event.timeStamp - last.at < SECOND_TAP_MS;
    const second = event.detail > 1 || (event.detail === 1 && soon);
    if (!second || button === last?.button) {
      last = { button, at: event.timeStamp, byTouch };
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('pointerdown', note, options);
  document.addEventListener('click', press, options);
  return () => abort.abort();
}

let pressed: HTMLElement | undefined;

/**
 * Notes what was pressed last: Safari gives no button and no link the focus that a finger or a mouse presses. Returns
 * the function that ends it.
 */
export function notePresses(): () => void {
  const abort = new AbortController();
  const options = { capture: true, signal: abort.signal };
  const note = ({ target }: Event): void => {
    pressed = (target instanceof Element && target.closest<HTMLElement>('a[href], button, summary')) || undefined;
  };
  document.addEventListener('click', note, options);
  // With keys it is the focus that counts; a key that presses a button is followed by a click.
  document.addEventListener('keydown', () => (pressed = undefined), options);
  return () => abort.abort();
}

/** Where somebody is who has just pressed something: what has the focus, or in Safari would have it. */
export function findFocused(): Element | null {
  return isFocusLost() && pressed?.isConnected === true ? pressed : document.activeElement;
}
