import { clsx } from 'clsx';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';

const VARIANTS: Readonly<Record<ButtonVariant, string>> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  secondary: 'border border-line-strong bg-surface text-ink hover:border-ink hover:bg-sunken',
  quiet: 'text-ink hover:bg-sunken',
  danger: 'bg-record text-on-record hover:bg-record-strong',
};

const OFF: Readonly<Record<ButtonVariant, string>> = {
  primary: 'bg-sunken text-muted border border-line',
  secondary: 'border border-line bg-surface text-muted',
  quiet: 'text-muted',
  danger: 'bg-sunken text-muted border border-line',
};

/** The look of everything that acts: buttons and links that look like one. */
export function buttonClass(variant: ButtonVariant, options: Readonly<{ off?: boolean; wide?: boolean }> = {}): string {
  return clsx(
    'touch inline-flex items-center justify-center gap-2 rounded-control px-4 py-2.5 sm:px-5 text-center font-medium',
    'transition-colors select-none active:translate-y-px',
    options.off === true ? `${OFF[variant]} cursor-not-allowed` : VARIANTS[variant],
    options.wide === true && 'w-full',
  );
}
