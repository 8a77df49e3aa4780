import { clsx } from 'clsx';
import { X } from './icons.tsx';
import { Toast } from 'radix-ui';
import { useEffect, type ReactNode } from 'react';
import { TOAST_HOTKEY, TOAST_MS, TOAST_SWIPE_THRESHOLD } from '#contract/limits.ts';
import { keepKeyboardClear } from './keep-clear.ts';
import { ToneIcon } from './notice.tsx';
import { watchPresses } from './press.ts';
import { TONES, type ToastMessage } from './step-message.tsx';
import { uiTexts } from './texts.ts';
import { makeRoomFor } from './toast-room.ts';

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
        {description !== undefined && (
          <Toast.Description className="mt-0.5 text-sm text-muted">{description}</Toast.Description>
        )}
      </div>
      <Toast.Close
        aria-label={uiTexts.closeToast}
        className="touch -my-2 inline-flex items-center justify-center rounded-control text-muted hover:text-ink"
      >
        <X aria-hidden className="size-4" />
      </Toast.Close>
    </Toast.Root>
  );
}
