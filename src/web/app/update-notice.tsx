import { clsx } from 'clsx';
import { type ReactNode, useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { isWorkRunning } from '#web/backend/activity.ts';
import { isPageMemoryEmpty } from '#web/submission/use-running-work.ts';
import { Button } from '#web/ui/button.tsx';
import { useToast } from '#web/ui/toast.tsx';
import type { Screen } from './routes.ts';
import { laterTexts } from './later-texts.ts';
import { type Updates, watchUpdates } from './updates.ts';

/** Work may end without anybody telling; so it is looked at again. */
const LOOK_AGAIN_MS = 10_000;

/**
 * A quiet line where a newer version waits. Comes by itself on a start page while nothing runs, here or in another tab.
 */
export function UpdateNotice({ screen }: Readonly<{ screen: Screen | undefined }>): ReactNode {
  const { updates, lock } = useState(browserUpdates)[0];
  const toast = useToast();
  const waiting = useSyncExternalStore(updates.subscribe, updates.isWaiting);
  const begun = !START_SCREENS.includes(screen);
  useEffect(() => {
    if (begun) lock.hold();
    else void lock.release();
  }, [begun, lock]);

  const applyIfFree = useCallback(() => lock.ifFree(updates.apply), [lock, updates]);
  useEffect(() => {
    if (!waiting) return undefined;
    const look = (): void => {
      const working = isWorkRunning() || !isPageMemoryEmpty();
      if (decideUpdate({ waiting, screen, working }) === 'apply') void applyIfFree();
    };
    look();
    const timer = setInterval(look, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [waiting, screen, applyIfFree]);

  if (!waiting) return null;
  const load = async (): Promise<void> => {
    if (isWorkRunning()) return toast(laterTexts.update.working);
    await lock.release();
    if (await applyIfFree()) return;
    if (begun) lock.hold();
    toast(laterTexts.update.elsewhere);
  };
  return (
    <div
      className={clsx(
        'mx-auto flex w-full max-w-page flex-wrap items-center justify-between gap-x-4 border-t',
        'border-line px-4 py-2 text-sm text-muted sm:px-6',
      )}
    >
      <output>{laterTexts.update.title}</output>
      <Button variant="quiet" onClick={() => void load()}>
        {laterTexts.update.load}
      </Button>
    </div>
  );
}

type BrowserUpdates = Readonly<{ updates: Updates; lock: ReturnType<typeof pageLock> }>;

const NOTHING: Updates = { subscribe: () => () => undefined, isWaiting: () => false, apply: () => undefined };
let made: BrowserUpdates | undefined;

/**
 * Once a page. Pages that are neither https nor localhost have no service worker, and development has none to register.
 */
function browserUpdates(): BrowserUpdates {
  made ??= {
    updates:
      'serviceWorker' in navigator && import.meta.env.PROD
        ? watchUpdates(navigator.serviceWorker, () => window.location.reload(), isWorkRunning)
        : NOTHING,
    lock: pageLock('locks' in navigator ? navigator.locks : undefined),
  };
  return made;
}

/** Where nothing has been begun: a reload takes nothing away from anybody. */
const START_SCREENS: readonly (Screen | undefined)[] = ['start', 'content-selection', 'dashboard', 'admin'];

type UpdateSituation = Readonly<{
  /** A newer version is installed and waits for the old one to go. */
  waiting: boolean;
  screen: Screen | undefined;
  /** A recording, an interview, an upload (D17), or files that only this page has. */
  working: boolean;
}>;

/**
 * A newer version comes by itself where nothing is lost by it; else it is offered, and while something runs not even
 * that.
 */
export function decideUpdate({ waiting, screen, working }: UpdateSituation): 'none' | 'apply' | 'offer' {
  if (!waiting || working) return 'none';
  return START_SCREENS.includes(screen) ? 'apply' : 'offer';
}

const NAME = 'begun-work';

/**
 * Tells the other tabs that this one must not lose its version: a new one would take away the parts it has still to
 * load. Without Web Locks (an old browser) the other tabs are unknown, so nothing is applied by itself.
 */
export function pageLock(locks: Pick<LockManager, 'request'> | undefined) {
  let letGo: (() => void) | undefined;
  let held: Promise<unknown> = Promise.resolve();
  return {
    hold: (): void => {
      if (letGo !== undefined || locks === undefined) return;
      const released = new Promise<void>((resolve) => (letGo = resolve));
      held = locks.request(NAME, { mode: 'shared' }, () => released).catch(() => undefined);
    },
    release: async (): Promise<void> => {
      letGo?.();
      letGo = undefined;
      await held;
    },
    /** Calls `work` where no tab holds the lock; false where one does. */
    ifFree: async (work: () => void): Promise<boolean> => {
      if (locks === undefined) return false;
      return locks.request(NAME, { ifAvailable: true }, (lock) => {
        if (lock !== null) work();
        return lock !== null;
      });
    },
  };
}
