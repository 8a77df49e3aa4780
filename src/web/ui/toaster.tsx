import { X } from 'lucide-react';
import { Toast } from 'radix-ui';
import type { ReactNode } from 'react';
import { TOAST_HOTKEY, TOAST_MS, TOAST_SWIPE_THRESHOLD } from '#contract/limits.ts';
import { ToneIcon, type Tone } from './notice.tsx';
import { uiTexts } from './texts.ts';

/** `destructive` is §8's error style. */
export type ToastVariant = 'default' | 'good' | 'caution' | 'destructive';

export type ToastMessage = Readonly<{
  id: number;
  title: string;
  description?: string | undefined;
  variant?: ToastVariant;
}>;

const TONES: Readonly<Record<ToastVariant, Tone>> = {
  default: 'info',
  good: 'good',
  caution: 'caution',
  destructive: 'error',
};

export function Toaster({
  message,
  onClose,
}: Readonly<{ message: ToastMessage | undefined; onClose: (id: number) => void }>): ReactNode {
  return (
    <Toast.Provider
      duration={TOAST_MS}
      swipeThreshold={TOAST_SWIPE_THRESHOLD}
      swipeDirection="right"
      label={uiTexts.toast}
    >
      {message !== undefined && <ToastCard key={message.id} message={message} onClose={onClose} />}
      <Toast.Viewport
        hotkey={[TOAST_HOTKEY]}
        label={uiTexts.toastRegion}
        className="fixed inset-x-4 top-[calc(var(--header-height)+0.75rem)] z-50 m-0 flex list-none flex-col p-0 outline-none sm:left-auto sm:w-96"
      />
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
      type={variant === 'destructive' ? 'foreground' : 'background'}
      onOpenChange={(open) => !open && onClose(id)}
      data-variant={variant}
      className="animate-rise flex items-start gap-3 rounded-card border border-line bg-surface py-3.5 pr-1.5 pl-4 shadow-float data-[swipe=cancel]:translate-x-0 data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)"
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
