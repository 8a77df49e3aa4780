import { createContext, lazy, Suspense, useCallback, useContext, useState, type ReactNode } from 'react';
import { afterLoad } from './after-load.ts';
import type { ToastMessage } from './toaster.tsx';

export type ShowToast = (message: Omit<ToastMessage, 'id'>) => void;

/** A closed one is remembered for its number: the next one must be a different toast. */
type ShownToast = ToastMessage & Readonly<{ closed?: boolean }>;

const Context = createContext<ShowToast | undefined>(undefined);

/** No screen starts with a toast; one that is shown at once waits for it. */
const Toaster = lazy(async () => {
  await afterLoad();
  const { Toaster: Loaded } = await import('./toaster.tsx');
  return { default: Loaded };
});

/** §8, D22: one toast at a time; a new one takes the place of the one shown. */
export function ToastProvider({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  const [current, setCurrent] = useState<ShownToast>();
  const show = useCallback<ShowToast>(
    (message) => setCurrent((before) => ({ ...message, id: (before?.id ?? 0) + 1 })),
    [],
  );
  const close = (id: number): void => setCurrent((now) => (now?.id === id ? { ...now, closed: true } : now));
  return (
    <Context.Provider value={show}>
      {children}
      <Suspense>
        <Toaster message={current?.closed === true ? undefined : current} onClose={close} />
      </Suspense>
    </Context.Provider>
  );
}

/** Throws outside of ToastProvider. */
export function useToast(): ShowToast {
  const show = useContext(Context);
  if (show === undefined) throw new Error('useToast outside of ToastProvider');
  return show;
}
