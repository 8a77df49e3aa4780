import { ChevronDown, CircleAlert } from './icons.tsx';
import { type ComponentPropsWithRef, createContext, type ReactNode, useContext, useId, useMemo } from 'react';
import { clsx } from 'clsx';

type Wiring = Readonly<{ id: string; describedBy: string | undefined; invalid: boolean; required: boolean }>;

const Context = createContext<Wiring | undefined>(undefined);

/** Attributes by which a control belongs to the Field around it; `{}` outside of one. */
export function useFieldAttributes() {
  const field = useContext(Context);
  if (field === undefined) return {};
  return {
    id: field.id,
    'aria-describedby': field.describedBy,
    'aria-invalid': field.invalid || undefined,
    'aria-required': field.required || undefined,
  };
}

export type FieldProps = Readonly<{
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  required?: boolean;
  /** Beside the label at its right, such as a counter or a link. */
  aside?: ReactNode;
  children: ReactNode;
}>;

/** Label, control, hint and error, wired for screen readers. The control inside is TextInput or TextArea. */
export function Field({ label, hint, error, required = false, aside, children }: FieldProps): ReactNode {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const errorId = error === undefined ? undefined : `${id}-error`;
  const describedBy = [errorId, hintId].filter(Boolean).join(' ') || undefined;
  const invalid = error !== undefined;
  const wiring = useMemo(() => ({ id, describedBy, invalid, required }), [id, describedBy, invalid, required]);
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <label htmlFor={id} className="min-w-0 text-sm font-medium">
          {label}
        </label>
        {aside}
      </div>
      <Context.Provider value={wiring}>{children}</Context.Provider>
      {error !== undefined && <FieldError id={errorId}>{error}</FieldError>}
      {hint !== undefined && (
        <p id={hintId} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

/** What is wrong with a field, a box to tick or a choice, below it. */
export function FieldError({ id, children }: Readonly<{ id?: string | undefined; children: ReactNode }>): ReactNode {
  return (
    <p id={id} role="alert" className="animate-rise flex items-start gap-1.5 text-sm text-record-ink">
      <CircleAlert className="mt-0.5 size-4 shrink-0" />
      {children}
    </p>
  );
}

/** What every control for text looks like; the text is 16 px so that phones do not zoom in. */
export const CONTROL_CLASS = clsx(
  'w-full rounded-control border border-line-strong bg-surface px-3.5 py-2.5 text-base text-ink transition-colors',
  'placeholder:text-muted hover:border-ink focus:border-accent',
  'focus-visible:outline-2 focus-visible:outline-offset-0 aria-invalid:border-record',
  'disabled:bg-sunken disabled:text-muted read-only:bg-sunken',
);

/** The platform's own control: it works with a thumb, a keyboard and a screen reader. `options` follow `children`. */
export function Select({
  className,
  children,
  options = [],
  ...rest
}: ComponentPropsWithRef<'select'> &
  Readonly<{ options?: readonly (readonly [value: string, name: string])[] }>): ReactNode {
  return (
    <div className={clsx('relative', className)}>
      <select
        {...useFieldAttributes()}
        {...rest}
        className={clsx(CONTROL_CLASS, 'touch cursor-pointer appearance-none truncate enabled:bg-surface! pr-11')}
      >
        {children}
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <ChevronDown className="pointer-events-none absolute top-1/2 right-3.5 size-5 -translate-y-1/2 text-muted" />
    </div>
  );
}
