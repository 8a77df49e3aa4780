import { afterPress } from './press.ts';

/** Between the toast and what stands below and above it. */
const GAPS_PX = 24;

let room = 0;
let stopWaiting: (() => void) | undefined;

/**
 * Lengthens a flow's screen by the toast's height: whatever it covers can be scrolled clear of it, even at the end of
 * the page.
 */
export function makeRoomFor(toast: HTMLElement | null): (() => void) | undefined {
  if (toast === null) return undefined;
  let shown = true;
  const measure = (): void => afterPress(() => shown && setRoom(toast.offsetHeight + GAPS_PX));
  const sizes = 'ResizeObserver' in globalThis ? new ResizeObserver(measure) : undefined;
  stopWaiting?.();
  sizes?.observe(toast);
  measure();
  return () => {
    shown = false;
    sizes?.disconnect();
    giveRoomBack();
  };
}

/** Waits until the page is scrolled away from its end: before, everything would move below the finger. */
function giveRoomBack(): void {
  const attempt = (): void => {
    if (isRoomInSight()) return;
    stopWaiting?.();
    setRoom(0);
  };
  stopWaiting = () => window.removeEventListener('scroll', attempt);
  window.addEventListener('scroll', attempt, { passive: true });
  attempt();
}

function isRoomInSight(): boolean {
  const lengthWithout = document.documentElement.scrollHeight - room;
  return window.scrollY > Math.max(0, lengthWithout - window.innerHeight);
}

function setRoom(height: number): void {
  room = height;
  document.documentElement.style.setProperty('--toast-room', `${height}px`);
}
