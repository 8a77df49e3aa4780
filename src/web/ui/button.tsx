import { clsx } from 'clsx';
import type { ComponentPropsWithRef, MouseEvent, ReactNode } from 'react';
import { BusyMark } from './busy-mark.tsx';
import { buttonClass, type ButtonVariant } from './button-class.ts';
import { Anchor, type AnchorProps } from './link.tsx';

type Look = Readonly<{ variant?: ButtonVariant; icon?: ReactNode; wide?: boolean }>;

export type ButtonProps = Omit<ComponentPropsWithRef<'button'>, 'className'> &
  Look &
  Readonly<{
    /** Shows `busyLabel`, keeps the focus, ignores clicks. */
    busy?: boolean;
    busyLabel?: string;
  }>;

export function Button(props: ButtonProps): ReactNode {
  const { variant = 'primary', icon, wide, busy = false, busyLabel, children, onClick, ...rest } = props;
  const off = busy || rest.disabled === true;
  const click = (event: MouseEvent<HTMLButtonElement>): void => {
    if (busy) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      className={buttonClass(variant, { off, wide: wide ?? false })}
      onClick={click}
    >
      {busy ? <BusyMark /> : icon}
      <span>{busy ? (busyLabel ?? children) : children}</span>
    </button>
  );
}

/** A link that looks like a button: it leads somewhere, it does nothing. */
export function ButtonLink({
  variant = 'secondary',
  icon,
  wide,
  children,
  ...rest
}: Omit<AnchorProps, 'className'> & Look): ReactNode {
  return (
    <Anchor {...rest} className={buttonClass(variant, { wide: wide ?? false })}>
      {icon}
      <span>{children}</span>
    </Anchor>
  );
}

/** A square button of 44 px with an icon only; `label` is its name and its tooltip. */
export function IconButton({
  label,
  icon,
  ...rest
}: Omit<ComponentPropsWithRef<'button'>, 'className' | 'children'> &
  Readonly<{ label: string; icon: ReactNode }>): ReactNode {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...rest}
      className={clsx(
        'touch inline-flex items-center justify-center rounded-control text-muted transition-colors',
        'hover:bg-sunken hover:text-ink disabled:cursor-not-allowed disabled:opacity-60',
      )}
    >
      {icon}
    </button>
  );
}
