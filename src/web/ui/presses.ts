import { isFocusLost } from './use-focus.ts';

const SECOND_TAP_MS = 500;

/** Listens before the targets do. Returns the function that stops it, as every function here does. */
export function listen(handlers: Record<string, (event: never) => void>, target: EventTarget = document): () => void {
  const abort = new AbortController();
  for (const [type, handler] of Object.entries(handlers))
    target.addEventListener(type, handler as EventListener, { capture: true, signal: abort.signal });
  return () => abort.abort();
}

/**
 * Another button may have come to where the first tap of a double tap was; the second one is not meant for it (decision
 * 0364). For the actions of a flow's screen (`data-actions`). Keys and assistive technology press a button once at a
 * time.
 */
export function ignoreSecondTaps(): () => void {
  let last: Readonly<{ button: Element; at: number; byTouch: boolean }> | undefined;
  let byTouch = false;
  const press = (event: MouseEvent): void => {
    const button = event.target instanceof Element ? event.target.closest('[data-actions] :is(a, button)') : null;
    if (button === null) return;
    // Phones do not count the clicks of a place, so time counts.
    const soon = byTouch && last?.byTouch === true && event.timeStamp - last.at < SECOND_TAP_MS;
    const second = event.detail > 1 || (event.detail === 1 && soon);
    if (!second || button === last?.button) return void (last = { button, at: event.timeStamp, byTouch });
    event.preventDefault();
    event.stopPropagation();
  };
  return listen({ pointerdown: (event: PointerEvent) => (byTouch = event.pointerType === 'touch'), click: press });
}

let pressed: HTMLElement | undefined;

/** Notes what was pressed last: Safari gives no button and no link the focus that a finger or a mouse presses. */
export function notePresses(): () => void {
  const click = ({ target }: Event): void => {
    pressed = (target instanceof Element && target.closest<HTMLElement>('a[href], button, summary')) || undefined;
  };
  // With keys it is the focus that counts; a key that presses a button is followed by a click.
  return listen({ click, keydown: () => void (pressed = undefined) });
}

/** Where somebody is who has just pressed something: what has the focus, or in Safari would have it. */
export function findFocused(): Element | null {
  return isFocusLost() && pressed?.isConnected === true ? pressed : document.activeElement;
}

/** Until then components that hand the focus on themselves have done so. */
const HANDED_ON_MS = 100;

/**
 * A control that its own press removes hands the focus on (WCAG 2.4.3, decision 0399), but not after a press of a
 * pointer, which has its own place.
 */
export function keepFocus(): () => void {
  let focused: EventTarget | null = document.activeElement;
  // The last press may be older than this module, which comes after the first screen.
  let byPointer = document.activeElement?.matches(':focus-visible') !== true;
  let isKeyHeld = false;
  const note = (event: Event): void => {
    if (event.type.startsWith('key')) isKeyHeld = event.type === 'keydown';
    if (event.type === 'keyup') return;
    if (event.type === 'focusin') focused = event.target;
    // Screen readers click without a pointer.
    else byPointer = event.type === 'pointerdown' || (event instanceof MouseEvent && event.detail > 0);
  };
  const removals = new MutationObserver((records) => {
    const gone = focused;
    if (!(gone instanceof Node) || gone.isConnected) return;
    focused = null;
    const removal = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(gone)));
    if (removal === undefined || byPointer) return;
    setTimeout(() => {
      // A key that is held would press what gets the focus.
      if (!isKeyHeld) return handOn(removal);
      document.addEventListener('keyup', () => handOn(removal), { once: true });
    }, HANDED_ON_MS);
  });
  removals.observe(document.body, { childList: true, subtree: true });
  const stop = listen({ focusin: note, pointerdown: note, keydown: note, keyup: note, click: note });
  return () => {
    removals.disconnect();
    stop();
  };
}

const CONTROLS = ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not(:disabled, [hidden])';

/** To the first control that follows in the smallest part of the screen that has any, else to that part's last one. */
function handOn({ target, previousSibling, removedNodes }: MutationRecord): void {
  // Another screen begins at its heading.
  const isScreen = [...removedNodes].some((node) => node instanceof Element && node.querySelector('h1') !== null);
  if (!isFocusLost() || isScreen) return;
  const before = previousSibling?.isConnected === true ? previousSibling : target;
  const follows = (one: Node): boolean =>
    (before === target || !before.contains(one)) &&
    (before.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  for (let part: Node | null = target; part instanceof Element && part !== document.body; part = part.parentNode) {
    const controls = [...part.querySelectorAll<HTMLElement>(CONTROLS)].filter((one) => one.checkVisibility?.() ?? true);
    if (controls.length > 0) return (controls.find(follows) ?? controls.at(-1))?.focus();
    if (part.matches('main')) return;
  }
}

/**
 * A browser that translates the page puts an element in the place of each text. React knows only the text, and would
 * throw where it removes it or puts something before it.
 */
export function tolerateTranslations(): () => void {
  // oxlint-disable-next-line typescript/unbound-method -- called for a node each time
  const { insertBefore, removeChild } = Node.prototype;
  const places = new WeakMap<Node, Node>();
  const replacements = new MutationObserver((records) => {
    for (const { removedNodes, addedNodes, previousSibling } of records) {
      const place = addedNodes[0] ?? previousSibling;
      if (removedNodes[0] !== undefined && place?.nodeName === 'FONT') places.set(removedNodes[0], place);
    }
  });
  const find = (parent: Node, known: Node | null): Node | null => {
    if (!(known instanceof Text) || known.parentNode === parent) return known;
    const place = places.get(known);
    return place?.parentNode === parent ? place : null;
  };
  Node.prototype.removeChild = function remove<T extends Node>(this: Node, child: T): T {
    const there = find(this, child);
    return there === null ? child : (removeChild.call(this, there) as T);
  };
  Node.prototype.insertBefore = function insert<T extends Node>(this: Node, node: T, next: Node | null): T {
    return insertBefore.call(this, node, find(this, next)) as T;
  };
  replacements.observe(document.body, { childList: true, subtree: true });
  return () => {
    replacements.disconnect();
    Object.assign(Node.prototype, { insertBefore, removeChild });
  };
}
