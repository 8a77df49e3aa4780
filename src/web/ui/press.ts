/** A touch becomes a click only after it has ended, or never. */
const CLICK_FOLLOWS_MS = 350;

const waiting = new Set<() => void>();
let pressed = false;
let ending: ReturnType<typeof setTimeout> | undefined;

/**
 * Marks the page with `data-pressing` from the moment a press begins outside of a toast until its click has arrived: a
 * toast that appears or moves below the finger meanwhile must not take that click. Returns the function that ends it.
 */
export function watchPresses(): () => void {
  const abort = new AbortController();
  const options = { capture: true, signal: abort.signal };
  document.addEventListener('pointerdown', begin, options);
  document.addEventListener('pointerup', endLater, options);
  document.addEventListener('pointercancel', end, options);
  document.addEventListener('click', end, options);
  return () => {
    abort.abort();
    end();
  };
}

/** Calls at once, or at the end of the press that is going on. */
export function afterPress(call: () => void): void {
  if (pressed) waiting.add(call);
  else call();
}

function begin({ target }: PointerEvent): void {
  clearTimeout(ending);
  if (target instanceof Element && target.closest('li[data-variant]') !== null) return end();
  pressed = true;
  document.documentElement.dataset['pressing'] = '';
}

function endLater(): void {
  ending = setTimeout(end, CLICK_FOLLOWS_MS);
}

function end(): void {
  clearTimeout(ending);
  pressed = false;
  delete document.documentElement.dataset['pressing'];
  const calls = [...waiting];
  waiting.clear();
  for (const call of calls) call();
}
