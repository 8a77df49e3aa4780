import { clsx } from 'clsx';
import { Toast } from 'radix-ui';
import { type ReactNode, useEffect } from 'react';
import { TOAST_HOTKEY, TOAST_MS, TOAST_SWIPE_THRESHOLD } from '#contract/limits.ts';
import { X } from './icons.tsx';
import { setHeight } from './keep-clear.ts';
import { announceWith, type ToastMessage, ToneIcon, TONES } from './notice.tsx';
import { tolerateTranslations, ignoreSecondTaps, keepFocus, listen, notePresses } from './presses.ts';
import { uiTexts } from './texts.ts';
import './print.css';

/**
 * On a phone at the bottom, above the actions of a flow, a dialog and the keyboard: it covers neither a heading nor
 * what is to be pressed next. One that does not fit there begins at the top.
 */
const PLACE =
  'pointer-events-none fixed inset-x-4 top-[max(0.5rem,env(safe-area-inset-top))] bottom-(--toast-bottom) ' +
  'z-50 m-0 flex list-none flex-col [justify-content:safe_end] p-0 outline-none ' +
  'sm:top-[calc(var(--header-height)+0.75rem)] sm:bottom-auto sm:left-auto sm:w-96';

export function Toaster({
  message,
  onClose,
}: Readonly<{ message: ToastMessage | undefined; onClose: (id: number) => void }>): ReactNode {
  useEffect(keepKeyboardClear, []);
  useEffect(watchPresses, []);
  // Here because the first screen does without these, as without toasts.
  useEffect(tolerateTranslations, []);
  useEffect(ignoreSecondTaps, []);
  useEffect(notePresses, []);
  useEffect(keepFocus, []);
  useEffect(keepFocusInSight, []);
  useEffect(openAnnouncements, []);
  return (
    <Toast.Provider
      duration={TOAST_MS}
      swipeThreshold={TOAST_SWIPE_THRESHOLD}
      swipeDirection="right"
      label={uiTexts.toast}
    >
      {message !== undefined && <ToastCard key={message.id} message={message} onClose={onClose} />}
      <Toast.Viewport hotkey={[TOAST_HOTKEY]} label={uiTexts.toastRegion} className={PLACE} />
    </Toast.Provider>
  );
}

/** Tells the height of an on-screen keyboard. On a zoomed page a part is out of sight without one. */
function keepKeyboardClear(): (() => void) | undefined {
  const view = window.visualViewport;
  if (view === null || view === undefined) return undefined;
  const tell = (): void => {
    const hidden = view.scale > 1 ? 0 : window.innerHeight - view.height - view.offsetTop;
    setHeight('--keyboard-height', Math.max(0, Math.round(hidden)));
  };
  return listen({ resize: tell, scroll: tell }, view);
}

function ToastCard({
  message,
  onClose,
}: Readonly<{ message: ToastMessage; onClose: (id: number) => void }>): ReactNode {
  const { id, title, description, variant = 'default' } = message;
  return (
    <Toast.Root
      ref={makeRoomFor}
      type={variant === 'destructive' ? 'foreground' : 'background'}
      onOpenChange={(open) => !open && onClose(id)}
      data-variant={variant}
      className={clsx(
        'animate-rise pointer-events-auto in-data-pressing:pointer-events-none flex items-start gap-3',
        'rounded-card border border-line bg-surface py-3.5 pr-1.5 pl-4 shadow-float',
        'data-[swipe=cancel]:translate-x-0 data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)',
      )}
    >
      <ToneIcon tone={TONES[variant]} className="mt-0.5 size-5" />
      <div className="min-w-0 flex-1 py-px">
        <Toast.Title className="font-medium">{title}</Toast.Title>
        {/* The announcement joins the two without a space. */}
        {description !== undefined && (
          <span data-radix-toast-announce-exclude="" data-radix-toast-announce-alt={getPause(title)} />
        )}
        {description !== undefined && (
          <Toast.Description className="mt-0.5 text-sm text-muted">{description}</Toast.Description>
        )}
      </div>
      <Toast.Close
        aria-label={uiTexts.closeToast}
        className="touch -my-2 inline-flex items-center justify-center rounded-control text-muted hover:text-ink"
      >
        <X className="size-4" />
      </Toast.Close>
    </Toast.Root>
  );
}

const getPause = (title: string): string => `${joinSentences([title]).slice(title.length)} `;

/** Between the toast and what stands below and above it. */
const GAPS_PX = 24;

let reserved = 0;
let stopWaiting: (() => void) | undefined;

/**
 * Lengthens a flow's screen by the toast's height: whatever it covers can be scrolled clear of it, even at the end of
 * the page.
 */
function makeRoomFor(toast: HTMLElement | null): (() => void) | undefined {
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
    const lengthWithout = document.documentElement.scrollHeight - reserved;
    if (window.scrollY > Math.max(0, lengthWithout - window.innerHeight)) return;
    stopWaiting?.();
    setRoom(0);
  };
  stopWaiting = () => window.removeEventListener('scroll', attempt);
  window.addEventListener('scroll', attempt, { passive: true });
  attempt();
}

function setRoom(height: number): void {
  reserved = height;
  document.documentElement.style.setProperty('--toast-space', `${height}px`);
}

/** A touch becomes a click only after it has ended, or never. */
const CLICK_FOLLOWS_MS = 350;

const waiting = new Set<() => void>();
let pressed = false;
let ending: ReturnType<typeof setTimeout> | undefined;

/**
 * Marks the page with `data-pressing` from the moment a press begins outside of a toast until its click has arrived: a
 * toast that appears or moves below the finger meanwhile must not take that click. Returns the function that ends it.
 */
function watchPresses(): () => void {
  const endLater = (): void => void (ending = setTimeout(end, CLICK_FOLLOWS_MS));
  const stop = listen({ pointerdown: begin, pointerup: endLater, pointercancel: end, click: end });
  return () => {
    stop();
    end();
  };
}

/** Calls at once, or at the end of the press that is going on. */
function afterPress(call: () => void): void {
  if (pressed) waiting.add(call);
  else call();
}

function begin({ target }: PointerEvent): void {
  clearTimeout(ending);
  if (target instanceof Element && target.closest('li[data-variant]') !== null) return end();
  pressed = true;
  document.documentElement.dataset['pressing'] = '';
}

function end(): void {
  clearTimeout(ending);
  pressed = false;
  delete document.documentElement.dataset['pressing'];
  const calls = [...waiting];
  waiting.clear();
  for (const call of calls) call();
}

/**
 * A list that arrives moves the footer, which is below it; a link there that the keyboard has reached stays in sight
 * (WCAG 2.4.7). Returns the function that ends it.
 */
function keepFocusInSight(): (() => void) | undefined {
  if (!('ResizeObserver' in globalThis)) return undefined;
  const sizes = new ResizeObserver(() =>
    document.querySelector('body footer :focus-visible')?.scrollIntoView({ block: 'nearest' }),
  );
  sizes.observe(document.body);
  return () => sizes.disconnect();
}

/** With a full stop where there is no mark yet, because screen readers pause there. */
function joinSentences(parts: readonly string[]): string {
  const said = parts.map((part) => part.trim()).filter((part) => part !== '');
  return said.map((part) => (/[.!?:…]$/.test(part) ? part : `${part}.`)).join(' ');
}

/** The focus has moved and is spoken by then; what comes before that would be cut off. */
const SETTLED_MS = 400;
const SPOKEN_MS = 5000;

/**
 * A region for screen readers that is there before it says something. In a closed shadow tree, so that what a notice
 * says is not in the page twice. Returns the function that ends it.
 */
function openAnnouncements(): () => void {
  const region = document.createElement('div');
  region.ariaLive = 'polite';
  region.className = 'sr-only';
  const words = region.attachShadow({ mode: 'closed' }).appendChild(document.createElement('p'));
  document.body.append(region);
  let waiting: readonly string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const speak = (): void => {
    words.textContent = waiting.join(' ');
    waiting = [];
    timer = setTimeout(() => void (words.textContent = ''), SPOKEN_MS);
  };
  const last = new WeakMap<HTMLElement, string>();
  announceWith((notice) => {
    const text = joinSentences(Array.from(notice.children, ({ textContent }) => textContent));
    if (text === '' || text === last.get(notice)) return;
    last.set(notice, text);
    clearTimeout(timer);
    words.textContent = '';
    waiting = [...waiting, text];
    timer = setTimeout(speak, SETTLED_MS);
  });
  return () => {
    clearTimeout(timer);
    announceWith(undefined);
    region.remove();
  };
}
