import { INACTIVITY_CHECK_MS, INACTIVITY_LOGOUT_MS, INACTIVITY_WARNING_MS } from '#contract/limits.ts';
import { LAST_ACTIVITY } from './browser-storage.ts';

/** The last is no sign of life: what slept may have been in a pocket for days, and is looked at now. */
const SIGNS = ['click', 'keydown', 'mousemove', 'scroll', 'visibilitychange'];
/** Moving a mouse is written down once a second at most. */
const WRITE_EVERY_MS = 1_000;

/**
 * Each with whether it counts: what the outbox begins by itself after days of sleep does not. 'spared': it does not
 * either, but no logout breaks it off.
 */
const running = new Map<symbol, boolean | 'spared'>();

/**
 * D17: a running recording, interview or upload counts as activity. Call it when the work starts and the returned
 * function when it ends; calling that twice does no harm. `again`: it failed before, and is tried without anybody's
 * doing.
 */
export function keepActive(again = false): () => void {
  const work = Symbol('work');
  const counts = !wasLeftIdle() && (!again || 'spared');
  running.set(work, counts);
  if (counts === true) noteActivity();
  return () => {
    if (running.delete(work) && counts === true) noteActivity();
  };
}

/** Whether work of that kind is running in this tab. */
export function isWorkRunning(): boolean {
  return running.size > 0;
}

/** Everything that watches the idle time shares the local storage, so that work in one tab keeps the others. */
export function noteActivity(now = Date.now()): void {
  try {
    localStorage.setItem(LAST_ACTIVITY, String(now));
    unstored = 0;
  } catch {
    // A full store must not stop the work.
    unstored = now;
  }
}

/** The last activity of this tab where the storage did not take it. */
let unstored = 0;

type IdleEvents = Readonly<{
  onIdle: () => void;
  /** Shortly before, and once there is a sign of life again (WCAG 2.2.1). */
  onWarning: (shown: boolean) => void;
}>;

/** §4: calls `onIdle` after 30 minutes without a sign of life, checked every 60 s. Returns the way to stop watching. */
export function watchActivity({ onIdle, onWarning }: IdleEvents): () => void {
  let warned = false;
  const warn = (shown: boolean): void => {
    if (shown === warned) return;
    warned = shown;
    onWarning(shown);
  };
  const sign = ({ type }: Event): void => {
    const last = lastActivity();
    const idleMs = Date.now() - last;
    // A machine that slept, or a frozen tab, brings the sign before the check that was due meanwhile.
    const isLate = last > 0 && idleMs >= INACTIVITY_LOGOUT_MS + INACTIVITY_CHECK_MS;
    if (isLate || type === 'visibilitychange') return check();
    warn(false);
    if (idleMs >= WRITE_EVERY_MS) noteActivity();
  };
  const check = (): void => {
    // A clock that was set back counts from the correction on.
    if ([...running.values()].includes(true) || lastActivity() > Date.now()) noteActivity();
    const idleMs = Date.now() - lastActivity();
    warn(idleMs >= INACTIVITY_LOGOUT_MS - INACTIVITY_WARNING_MS && idleMs < INACTIVITY_LOGOUT_MS);
    if (idleMs >= INACTIVITY_LOGOUT_MS && ![...running.values()].includes('spared')) onIdle();
  };
  noteActivity();
  for (const name of SIGNS) window.addEventListener(name, sign, { passive: true, capture: true });
  const timer = setInterval(check, INACTIVITY_CHECK_MS);
  return () => {
    for (const name of SIGNS) window.removeEventListener(name, sign, true);
    clearInterval(timer);
  };
}

/** Whether the browser was left, with every tab closed, for as long as logs out; without a note of it, it was not. */
export function wasLeftIdle(now = Date.now()): boolean {
  const last = lastActivity();
  return last > 0 && now - last >= INACTIVITY_LOGOUT_MS;
}

function lastActivity(): number {
  return unstored || Number(localStorage.getItem(LAST_ACTIVITY) ?? 0);
}
