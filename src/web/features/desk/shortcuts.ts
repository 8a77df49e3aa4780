import { useEffect, useRef } from 'react';

/** What a key asks for at the desk. */
type Shortcut = 'next' | 'previous' | 'open' | 'back' | 'search' | 'help';

/** Where the key was pressed. `text`: an input, a select, anything one writes in · `control`: a button or a link. */
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

/** Nothing where one writes or an overlay is open; Enter on a button or a link stays theirs. */
export function findShortcut({ key, modified, place }: Press): Shortcut | undefined {
  if (modified || place === 'text' || place === 'overlay') return undefined;
  if (key === 'Enter' && place === 'control') return undefined;
  return Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
}

/** The place in a list of `count` after a step; -1: nowhere yet. The ends hold. */
export function stepTo(index: number, count: number, shortcut: 'next' | 'previous'): number {
  if (count === 0) return -1;
  if (index === -1) return shortcut === 'next' ? 0 : count - 1;
  return Math.min(count - 1, Math.max(0, index + (shortcut === 'next' ? 1 : -1)));
}

const WRITING = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]';
const OVERLAY = '[role=dialog], [role=alertdialog], [role=menu]';
const CONTROL = 'a, button, summary, input, audio, video, [role=tab], [role=menuitem]';

/** An event of the browser as a press. */
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

/** Keys of this screen; the newest functions are the ones called. */
export function useShortcuts(actions: Readonly<Partial<Record<Shortcut, () => void>>>): void {
  const current = useRef(actions);
  useEffect(() => {
    current.current = actions;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const shortcut = findShortcut(readPress(event));
      const action = shortcut === undefined ? undefined : current.current[shortcut];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
