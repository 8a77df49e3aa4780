import { createContext, useCallback, useContext, useEffect, useState, type ReactNode } from 'react';
import { afterLoad } from './after-load.ts';
import type { Toaster as ToasterComponent, ToastMessage } from './toaster.tsx';

export type ShowToast = (message: Omit<ToastMessage, 'id'>) => void;

/** A closed one is remembered for its number: the next one must be a different toast. */
type ShownToast = ToastMessage & Readonly<{ closed?: boolean }>;

const Context = createContext<ShowToast | undefined>(undefined);

/** §8, D22: one toast at a time; a new one takes the place of the one shown. */
export function ToastProvider({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  const [current, setCurrent] = useState<ShownToast>();
  const [Toaster, load] = useToaster();
  const show = useCallback<ShowToast>(
    (message) => {
      load();
      setCurrent((before) => ({ ...message, id: (before?.id ?? 0) + 1 }));
    },
    [load],
  );
  const close = (id: number): void => setCurrent((now) => (now?.id === id ? { ...now, closed: true } : now));
  return (
    <Context.Provider value={show}>
      {children}
      {Toaster !== undefined && <Toaster message={current?.closed === true ? undefined : current} onClose={close} />}
    </Context.Provider>
  );
}

/** Their way over a slow line is kept free. */
const LATER: readonly string[] = ['/login', '/freigabe'];

/**
 * At once, because a toast often tells that the connection is gone; where people arrive only once the screen is there.
 */
function useToaster() {
  const [Toaster, setToaster] = useState<typeof ToasterComponent>();
  const load = useCallback(() => {
    import('./toaster.tsx').then(
      (module) => setToaster(() => module.Toaster),
      () => undefined,
    );
  }, []);
  useEffect(() => {
    if (LATER.includes(location.pathname)) void afterLoad().then(load);
    else load();
  }, [load]);
  return [Toaster, load] as const;
}

/** Throws outside of ToastProvider. */
export function useToast(): ShowToast {
  const show = useContext(Context);
  if (show === undefined) throw new Error('useToast outside of ToastProvider');
  return show;
}
