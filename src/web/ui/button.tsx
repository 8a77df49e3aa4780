import { clsx } from 'clsx';
import type { ComponentPropsWithRef, MouseEvent, ReactNode } from 'react';
import type { Icon } from './icons.tsx';
import { Anchor, type AnchorProps } from './link.tsx';
import { uiTexts } from './texts.ts';

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

type WithIcon = Readonly<{ icon?: Icon | undefined; iconClass?: string | undefined }>;

type Look = WithIcon & Readonly<{ variant?: ButtonVariant; wide?: boolean }>;

type ButtonProps = Omit<ComponentPropsWithRef<'button'>, 'className'> &
  Look &
  Readonly<{
    /** Shows `busyLabel`, keeps the focus, ignores clicks. */
    busy?: boolean;
    busyLabel?: string;
    /** Cannot be used now, but keeps the focus, unlike `disabled`: a save button with nothing left to save. */
    idle?: boolean;
  }>;

export function Button(props: ButtonProps): ReactNode {
  const { variant = 'primary', wide = false, busy = false, idle = false, busyLabel, onClick, ...more } = props;
  const { icon, iconClass, children, ...rest } = more;
  const off = busy || idle || rest.disabled === true;
  const click = (event: MouseEvent<HTMLButtonElement>): void => {
    if (busy || idle) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || idle || undefined}
      aria-busy={busy || undefined}
      className={buttonClass(variant, { off, wide })}
      onClick={click}
    >
      {busy ? <BusyMark /> : <ButtonIcon icon={icon} iconClass={iconClass} />}
      <span>{busy ? (busyLabel ?? children) : children}</span>
    </button>
  );
}

/** Asks again for what did not come. */
export function RetryButton(props: Omit<ButtonProps, 'children'>): ReactNode {
  return (
    <Button variant="secondary" {...props}>
      {uiTexts.retry}
    </Button>
  );
}

/** A link that looks like a button: it leads somewhere, it does nothing. */
export function ButtonLink({
  variant = 'secondary',
  icon,
  iconClass,
  wide = false,
  children,
  ...rest
}: Omit<AnchorProps, 'className'> & Look): ReactNode {
  return (
    <Anchor {...rest} className={buttonClass(variant, { wide })}>
      <ButtonIcon icon={icon} iconClass={iconClass} />
      <span>{children}</span>
    </Anchor>
  );
}

/** A square button of 44 px with an icon only; `label` is its name and its tooltip. `disabled` keeps the focus. */
export function IconButton({
  label,
  icon,
  iconClass,
  disabled = false,
  onClick,
  ...rest
}: Omit<ComponentPropsWithRef<'button'>, 'className' | 'children'> &
  Readonly<{ label: string }> &
  WithIcon): ReactNode {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...rest}
      aria-disabled={disabled || undefined}
      onClick={disabled ? (event) => event.preventDefault() : onClick}
      className={clsx(
        'touch inline-flex items-center justify-center rounded-control text-muted transition-colors',
        'hover:bg-sunken hover:text-ink aria-disabled:cursor-not-allowed aria-disabled:opacity-60',
      )}
    >
      <ButtonIcon icon={icon} iconClass={iconClass} />
    </button>
  );
}

function ButtonIcon({ icon: Shape, iconClass = 'size-5' }: WithIcon): ReactNode {
  return Shape && <Shape className={iconClass} />;
}

const BARS = [0, 0.18, 0.36];

/** Three bars like a level at work. Never alone: words always stand beside it. */
export function BusyMark(): ReactNode {
  return (
    <span aria-hidden className="inline-flex h-4 items-center gap-0.5">
      {BARS.map((delay) => (
        <span
          key={delay}
          className="animate-breathe block h-3.5 w-0.5 rounded-full bg-current"
          style={{ animationDelay: `${delay}s` }}
        />
      ))}
    </span>
  );
}
