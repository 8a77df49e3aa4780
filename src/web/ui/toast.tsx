import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { afterLoad, afterScreen } from './after-load.ts';
import type { ToastMessage } from './notice.tsx';
import type { Toaster as ToasterComponent } from './toaster.tsx';

export type ShowToast = (message: Omit<ToastMessage, 'id'>) => void;

/** A closed one is remembered for its number: the next one must be a different toast. */
type ShownToast = ToastMessage & Readonly<{ closed?: boolean }>;

const Context = createContext<ShowToast | undefined>(undefined);

export const importToaster = () => import('./toaster.tsx');
type ToastProviderProps = Readonly<{ children: ReactNode; loadToaster?: typeof importToaster }>;

/** §8, D22: one toast at a time; a new one takes the place of the one shown. What a flow says stands in its screen. */
export function ToastProvider({ children, loadToaster = importToaster }: ToastProviderProps): ReactNode {
  const [current, setCurrent] = useState<ShownToast>();
  const [Toaster, load] = useToaster(loadToaster);
  const showToast = useCallback<ShowToast>(
    (message) => {
      load();
      setCurrent((before) => ({ ...message, id: (before?.id ?? 0) + 1 }));
    },
    [load],
  );
  /** Without a number: whichever is shown. */
  const close = useCallback((id?: number) => {
    setCurrent((now) => (now === undefined || (id ?? now.id) !== now.id ? now : { ...now, closed: true }));
  }, []);
  const [steps, show] = useSteps(showToast, close);
  return (
    <Context.Provider value={show}>
      <StepContext.Provider value={steps}>{children}</StepContext.Provider>
      {Toaster !== undefined && <Toaster message={current?.closed === true ? undefined : current} onClose={close} />}
    </Context.Provider>
  );
}

/** The screens of flows that are shown, and the message of the newest of them. */
type Steps = Readonly<{
  message: (ToastMessage & Readonly<{ place: string }>) | undefined;
  enter: (place: string) => () => void;
  /** Another screen is there: what was said on the way to it and is shown nowhere becomes a toast. */
  leaveFlows: () => void;
  clear: () => void;
}>;

const NO_STEPS: Steps = { message: undefined, enter: () => () => {}, leaveFlows: () => {}, clear: () => {} };

const StepContext = createContext<Steps>(NO_STEPS);

/**
 * A message goes with the step it leads to, and stays until it is solved or another one comes. What was there before
 * the person acted is left behind with its screen.
 */
function useSteps(showToast: ShowToast, closeToast: () => void): readonly [Steps, ShowToast] {
  const places = useRef<readonly string[]>([]);
  // Known at once: a message and the step it leads to come in one go.
  const newest = useRef<Readonly<{ message: Steps['message']; left: boolean }>>({ message: undefined, left: false });
  const [message, setMessage] = useState<Steps['message']>();
  const actions = useMemo(() => {
    const set = (next: Steps['message']): void => {
      newest.current = { message: next, left: false };
      setMessage(next);
    };
    return {
      show: (next: Omit<ToastMessage, 'id'>) => {
        const place = places.current.at(-1);
        if (place === undefined) showToast(next);
        else set({ ...next, place, id: (newest.current.message?.id ?? 0) + 1 });
      },
      enter: (place: string) => {
        places.current = [...places.current, place];
        if (newest.current.left) set(undefined);
        else newest.current = { ...newest.current, left: newest.current.message !== undefined };
        return () => void (places.current = places.current.filter((other) => other !== place));
      },
      leaveFlows: () => {
        const { message: last, left } = newest.current;
        if (places.current.length > 0 || last === undefined) return;
        const { title, description, variant } = last;
        if (!left) showToast({ title, description, ...(variant === undefined ? {} : { variant }) });
        set(undefined);
      },
      leave: () => void (newest.current = { ...newest.current, left: true }),
      clear: () => {
        set(undefined);
        closeToast();
      },
    };
  }, [showToast, closeToast]);
  usePresses(message === undefined ? undefined : actions.leave);
  return [useMemo(() => ({ ...actions, message }), [actions, message]), actions.show];
}

const PRESSES = ['pointerdown', 'keydown'] as const;

function usePresses(onPress: (() => void) | undefined): void {
  useEffect(() => {
    if (onPress === undefined) return undefined;
    for (const type of PRESSES) window.addEventListener(type, onPress, true);
    return () => {
      for (const type of PRESSES) window.removeEventListener(type, onPress, true);
    };
  }, [onPress]);
}

/** For the screen of a flow: what is said there. `arrived`: on the way to it. */
export function useStepMessage(): Readonly<{ message: ToastMessage | undefined; arrived: boolean }> {
  const place = useId();
  const { message, enter } = useContext(StepContext);
  useLayoutEffect(() => enter(place), [enter, place]);
  return { message, arrived: message !== undefined && message.place !== place };
}

/** Removes the message of a flow's screen and the toast: the person has acted on it, or gone on without. */
export function useClearMessage(): () => void {
  return useContext(StepContext).clear;
}

/** For every screen: see `leaveFlows`. */
export function useLeaveFlows(): void {
  const { leaveFlows } = useContext(StepContext);
  useEffect(leaveFlows, [leaveFlows]);
}

/** Their way over a slow line is kept free. */
const LATER: readonly string[] = ['/login', '/freigabe'];

/** Right after the first screen, because a toast often tells that the connection is gone. */
function useToaster(loadToaster: typeof importToaster) {
  const [Toaster, setToaster] = useState<typeof ToasterComponent>();
  const load = useCallback(() => {
    loadToaster()
      .then(({ Toaster: loaded }) => setToaster(() => loaded))
      .catch(() => undefined);
  }, [loadToaster]);
  useEffect(() => {
    void (LATER.includes(location.pathname) ? afterLoad() : afterScreen()).then(load);
  }, [load]);
  return [Toaster, load] as const;
}

/** Throws outside of ToastProvider. */
export function useToast(): ShowToast {
  const show = useContext(Context);
  if (show === undefined) throw new Error('useToast outside of ToastProvider');
  return show;
}
