import { CircleAlert } from './icons.tsx';
import { createContext, useContext, useId, useMemo, type ReactNode } from 'react';

type Wiring = Readonly<{ id: string; describedBy: string | undefined; invalid: boolean; required: boolean }>;

const Context = createContext<Wiring | undefined>(undefined);

/** Attributes by which a control belongs to the Field around it; `{}` outside of one. */
export function useFieldAttributes(): Readonly<{
  id?: string;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: true | undefined;
  'aria-required'?: true | undefined;
}> {
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
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {aside}
      </div>
      <Context.Provider value={wiring}>{children}</Context.Provider>
      {error !== undefined && (
        <p id={errorId} role="alert" className="animate-rise flex items-start gap-1.5 text-sm text-record-ink">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={hintId} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
