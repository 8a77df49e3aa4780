import { useEffect, useRef } from 'react';

/** An action that a key starts at the desk. */
type Shortcut = 'next' | 'previous' | 'open' | 'back' | 'search' | 'help';

/** A pressed key. `text`: the focus is in an input, select or text area · `control`: on a button or a link. */
export type Press = Readonly<{
  key: string;
  modified: boolean;
  place: 'page' | 'control' | 'text' | 'overlay';
}>;

const KEYS: Readonly<Record<string, Shortcut>> = {
  j: 'next',
  k: 'previous',
  o: 'open',
  Enter: 'open',
  u: 'back',
  Escape: 'back',
  '/': 'search',
  '?': 'help',
};

/**
 * Keys of a single letter start actions by accident with speech input (WCAG 2.1.4), so each browser can switch them
 * off.
 */
const OFF_KEY = 'desk_keys_off';

export function areKeysOff(): boolean {
  return localStorage.getItem(OFF_KEY) !== null;
}

export function switchKeys(off: boolean): void {
  if (off) localStorage.setItem(OFF_KEY, 'true');
  else localStorage.removeItem(OFF_KEY);
}

/** Ignores keys in text fields and overlays, and leaves Enter to buttons and links. */
export function findShortcut({ key, modified, place }: Press): Shortcut | undefined {
  if (modified || place === 'text' || place === 'overlay') return undefined;
  if (key === 'Enter' && place === 'control') return undefined;
  return Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
}

/** The index in a list of `count` after a step, clamped to its ends; -1 means none. */
export function stepTo(index: number, count: number, shortcut: 'next' | 'previous'): number {
  if (count === 0) return -1;
  if (index === -1) return shortcut === 'next' ? 0 : count - 1;
  return Math.min(count - 1, Math.max(0, index + (shortcut === 'next' ? 1 : -1)));
}

const WRITING = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]';
const OVERLAY = '[role=dialog], [role=alertdialog], [role=menu]';
const CONTROL = 'a, button, summary, input, audio, video, [role=tab], [role=menuitem]';

export function readPress(event: KeyboardEvent): Press {
  const { key, altKey, ctrlKey, metaKey, defaultPrevented } = event;
  return { key, modified: altKey || ctrlKey || metaKey || defaultPrevented, place: findPlace(event.target) };
}

function findPlace(target: EventTarget | null): Press['place'] {
  if (document.querySelector(OVERLAY) !== null) return 'overlay';
  if (!(target instanceof Element)) return 'page';
  if (target.closest(WRITING) !== null) return 'text';
  return target.closest(CONTROL) === null ? 'page' : 'control';
}

/** Listens for the screen's keys and calls the newest functions. */
export function useShortcuts(actions: Readonly<Partial<Record<Shortcut, () => void>>>): void {
  const current = useRef(actions);
  useEffect(() => {
    current.current = actions;
  });
  useEffect(() => {
    let focused: Element | undefined;
    const note = ({ type, target }: Event): void =>
      void (focused = type === 'focusin' && target instanceof Element ? target : undefined);
    const listen = (event: KeyboardEvent): void => {
      const press = readPress(event);
      // A field went while somebody wrote in it, with what a colleague removed: the next letters are still text.
      if (focused?.isConnected === false && focused.matches(WRITING)) return;
      const shortcut = press.key.length === 1 && areKeysOff() ? undefined : findShortcut(press);
      const action = shortcut === undefined ? undefined : current.current[shortcut];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    const abort = new AbortController();
    for (const type of ['focusin', 'pointerdown']) document.addEventListener(type, note, { signal: abort.signal });
    document.addEventListener('keydown', listen, { signal: abort.signal });
    return () => abort.abort();
  }, []);
}
