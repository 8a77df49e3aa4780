import { clsx } from 'clsx';
import { AlertDialog, Dialog as RadixDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { Breakable } from './breakable.tsx';
import { buttonClass } from './button.tsx';
import { X } from './icons.tsx';
import { keepSheetClear } from './keep-clear.ts';
import { Notice } from './notice.tsx';
import { findFocused } from './presses.ts';
import { uiTexts } from './texts.ts';
import { isFocusLost } from './use-focus.ts';

const VEIL = 'fixed inset-0 z-40 bg-veil';
const PANEL =
  // Only while it is open: a closed part that seems to move stays, with the focus, until its animation ends.
  'data-[state=open]:animate-rise fixed inset-x-0 bottom-(--keyboard-height,0px) z-40 overflow-y-auto ' +
  'max-h-[calc(100dvh-7rem-var(--keyboard-height,0px))] rounded-t-card border border-line bg-surface ' +
  'p-6 shadow-float outline-none ' +
  'sm:inset-x-auto sm:max-h-[90dvh] sm:top-1/2 sm:bottom-auto sm:left-1/2 ' +
  'sm:w-[min(32rem,calc(100vw-3rem))] sm:-translate-1/2 sm:rounded-card';

export type DialogProps = Readonly<{
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: string;
  /** Buttons, the most important last. */
  actions?: ReactNode;
  children?: ReactNode;
  /** Its buttons alone close it: what it shows is not shown again. */
  keepOpenOutside?: boolean;
}>;

export function Dialog(props: DialogProps): ReactNode {
  const { open, onOpenChange, title, description, actions, children, keepOpenOutside = false } = props;
  const stay = (event: Event): void => (keepOpenOutside ? event.preventDefault() : undefined);
  return (
    <RadixDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className={VEIL} />
        <RadixDialog.Content
          ref={keepSheetClear}
          className={PANEL}
          onOpenAutoFocus={beginDialog}
          onCloseAutoFocus={returnFocus}
          onEscapeKeyDown={stay}
          onInteractOutside={stay}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <div className="flex items-start justify-between gap-4">
            <RadixDialog.Title className="min-w-0 text-xl font-semibold wrap-anywhere">
              <Breakable text={title} />
            </RadixDialog.Title>
            <RadixDialog.Close
              aria-label={uiTexts.closeDialog}
              data-close
              className={clsx(
                'touch -mt-2.5 -mr-2.5 inline-flex items-center justify-center rounded-control',
                'text-muted hover:text-ink',
              )}
            >
              <X className="size-5" />
            </RadixDialog.Close>
          </div>
          {description !== undefined && (
            <RadixDialog.Description className="mt-2 text-muted">{description}</RadixDialog.Description>
          )}
          {children !== undefined && <div className="mt-5">{children}</div>}
          {actions !== undefined && <Actions>{actions}</Actions>}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

export type ConfirmDialogProps = Readonly<{
  open: boolean;
  title: string;
  description: string;
  confirmLabel: string;
  cancelLabel?: string;
  tone?: 'primary' | 'danger';
  /** Why it could not be done. */
  problem?: string | undefined;
  onConfirm: () => void;
  onCancel: () => void;
}>;

/** Asks before something that cannot be taken back. Escape cancels; a click outside does nothing. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { open, title, description, confirmLabel, cancelLabel, tone = 'primary', problem, onConfirm, onCancel } = props;
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onCancel()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={VEIL} />
        <AlertDialog.Content
          ref={keepSheetClear}
          className={PANEL}
          onOpenAutoFocus={rememberOpener}
          onCloseAutoFocus={returnFocus}
        >
          <AlertDialog.Title className="text-xl font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-muted">{description}</AlertDialog.Description>
          {problem !== undefined && (
            <Notice tone="error" live className="mt-5">
              {problem}
            </Notice>
          )}
          <Actions>
            <AlertDialog.Cancel className={buttonClass('secondary')}>
              {cancelLabel ?? uiTexts.cancel}
            </AlertDialog.Cancel>
            <button type="button" className={buttonClass(tone)} onClick={onConfirm}>
              {confirmLabel}
            </button>
          </Actions>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function Actions({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  return <div className="mt-6 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">{children}</div>;
}

const FIELDS = 'input:not([type=hidden]), select, textarea';

/** The first button of a dialog is the harmless one. The close button at the top never gets the first focus. */
const BUTTONS = 'button:not([type=submit], [data-close]), a[href]';

const TYPED = 'textarea:not([readonly]), input:not([readonly], [type=checkbox], [type=radio], [type=date])';

/**
 * Where a dialog that opens has the focus: its first field, else its first harmless button, else the dialog itself,
 * which is read out then. Where fingers type, a field waits to be touched: the keyboard would cover the dialog.
 */
function beginDialog(event: Event): void {
  const panel = event.currentTarget;
  if (!(panel instanceof HTMLElement)) return;
  event.preventDefault();
  rememberOpener(event);
  const start = startIn(panel);
  const covered = start.matches(TYPED) && (window.matchMedia?.('(pointer: coarse)').matches ?? false);
  (covered ? panel : start).focus({ preventScroll: true });
}

/** What had the focus when each dialog opened, or what was pressed then. */
const openers = new WeakMap<EventTarget, HTMLElement>();

/** A menu is gone by the end of the dialog that it opened; the button that it hangs on is not. */
function rememberOpener({ currentTarget: panel }: Event): void {
  const focused = findFocused();
  const button = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const opener = button ? document.getElementById(button) : focused;
  if (panel !== null && opener instanceof HTMLElement) openers.set(panel, opener);
}

/**
 * Gives the focus back where the dialog was opened, or to the heading where that is gone, unless something else has it
 * by now (WCAG 2.4.3). Radix itself knows only openers that it renders.
 */
function returnFocus(event: Event): void {
  event.preventDefault();
  const opener = event.currentTarget === null ? undefined : openers.get(event.currentTarget);
  if (!isFocusLost()) return;
  const target = opener?.isConnected === true ? opener : document.querySelector<HTMLElement>('h1');
  target?.focus({ preventScroll: opener === target });
}

function startIn(panel: HTMLElement): HTMLElement {
  for (const wanted of [FIELDS, BUTTONS]) {
    const found = [...panel.querySelectorAll<HTMLElement>(wanted)].find((one) => !one.matches(':disabled'));
    if (found !== undefined) return found;
  }
  return panel;
}

/** Of a dialog on the whole screen. */
export const FULL_SCREEN = {
  'aria-describedby': undefined,
  onOpenAutoFocus: rememberOpener,
  onCloseAutoFocus: returnFocus,
  className: 'fixed inset-0 z-40 flex flex-col bg-paper outline-none',
} as const;
