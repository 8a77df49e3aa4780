import { useEffect, useRef } from 'react';
import { pressOf, shortcutOf, type Shortcut } from './shortcuts.ts';

/** Keys of this screen; the newest functions are the ones called. */
export function useShortcuts(deeds: Readonly<Partial<Record<Shortcut, () => void>>>): void {
  const current = useRef(deeds);
  useEffect(() => {
    current.current = deeds;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const shortcut = shortcutOf(pressOf(event));
      const deed = shortcut === undefined ? undefined : current.current[shortcut];
      if (deed === undefined) return;
      event.preventDefault();
      deed();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
