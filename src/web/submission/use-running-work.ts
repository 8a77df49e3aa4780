import { type RefObject, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { keepActive } from '#web/backend/activity.ts';

/** `unkept`: a recording that this device cannot keep. `processing`: a recording on its way into a contribution. */
export type Work = 'recording' | 'unkept' | 'processing' | 'upload' | 'interview';

const shownWork = new Map<object, Work>();

/** What a leaver of the screen shown interrupts. */
export function getShownWork(): Work | undefined {
  return shownWork.values().next().value;
}

/**
 * While something runs that leaving would destroy, the browser asks before it lets go of the page, and it counts as
 * activity (D17). Of named work the application asks, too, before the screen is left (decision 0278).
 */
export function useRunningWork(running: boolean, work?: Work): void {
  const [screen] = useState(() => ({}));
  useEffect(() => (running ? holdPage() : undefined), [running]);
  useEffect(() => {
    if (!running || work === undefined) return undefined;
    shownWork.set(screen, work);
    return () => void shownWork.delete(screen);
  }, [running, work, screen]);
}

/** For work that goes on when its screen is left. Call the returned function when the work ends. */
export function holdPage(): () => void {
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  window.addEventListener('beforeunload', warn);
  const release = keepActive();
  return () => {
    window.removeEventListener('beforeunload', warn);
    release();
  };
}

/** Contributions whose files this page sends, also after their screen was left. */
let sending: readonly number[] = [];
const sendingListeners = new Set<() => void>();

function setSending(next: readonly number[]): void {
  sending = next;
  for (const listener of sendingListeners) listener();
}

/** `holdPage` for the files of a contribution, which `useUploading` tells of meanwhile. */
export function holdPageFor(contribution: number): () => void {
  const release = holdPage();
  setSending([...sending, contribution]);
  return () => {
    release();
    setSending(sending.toSpliced(sending.indexOf(contribution), 1));
  };
}

export function useUploading(contribution: number): boolean {
  return useSyncExternalStore(
    (listener) => {
      sendingListeners.add(listener);
      return () => void sendingListeners.delete(listener);
    },
    () => sending.includes(contribution),
  );
}

const pageMemories: ReadonlyMap<string, readonly unknown[]>[] = [];

/** For what a reload of the page would destroy. */
export function makePageMemory<Kept>(): Map<string, readonly Kept[]> {
  const memory = new Map<string, readonly Kept[]>();
  pageMemories.push(memory);
  return memory;
}

export function isPageMemoryEmpty(): boolean {
  return pageMemories.every((memory) => [...memory.values()].every(({ length }) => length === 0));
}

/** `files`: a guest's, of a contribution that somebody else hands in (decision 0257). */
type Unfinished = 'contribution' | 'files';

/** Screens with something that has been begun and is not handed in. */
const unfinishedScreens = new Map<object, Unfinished>();

export function getUnfinished(): Unfinished | undefined {
  return unfinishedScreens.values().next().value;
}

/**
 * A contribution has been begun and is not handed in: the browser asks before it lets go of the page, and the
 * application before it leaves the flow. It does not count as activity. Returns a function that allows leaving.
 */
export function useLeaveWarning(unfinished: boolean, what: Unfinished = 'contribution'): () => void {
  const [screen] = useState(() => ({}));
  useEffect(() => {
    if (!unfinished) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    unfinishedScreens.set(screen, what);
    return () => {
      window.removeEventListener('beforeunload', warn);
      unfinishedScreens.delete(screen);
    };
  }, [unfinished, what, screen]);
  return useCallback(() => void unfinishedScreens.delete(screen), [screen]);
}

/** Whether the screen is still shown: work that outlives it must not send the user elsewhere. */
export function useShown(): Readonly<RefObject<boolean>> {
  const shown = useRef(true);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  return shown;
}

/** Calls once after `ms`, unless the screen is left before. */
export function useDelayed(): (call: () => void, ms: number) => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const shown = useShown();
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(
    (call, ms) => {
      clearTimeout(timer.current);
      if (shown.current) timer.current = setTimeout(call, ms);
    },
    [shown],
  );
}
