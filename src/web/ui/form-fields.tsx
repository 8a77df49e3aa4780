import type { ComponentPropsWithRef, ReactNode } from 'react';
import { Button } from './button.tsx';
import type { ButtonVariant } from './button-class.ts';
import { Field, type FieldProps } from './field.tsx';
import { PasswordInput } from './password-input.tsx';
import { uiTexts } from './texts.ts';
import { TextInput } from './text-input.tsx';

type InputFieldProps = Omit<ComponentPropsWithRef<'input'>, 'type' | 'required'> & Omit<FieldProps, 'children'>;

/** Rejects only what is certainly no address; the backend validates the rest. */
export const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+$/;

/** A required e-mail address, with the keyboard and spelling that suit it. */
export function EmailField({ label, hint, error, ...input }: InputFieldProps): ReactNode {
  return (
    <Field label={label} hint={hint} error={error} required>
      <TextInput
        type="email"
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...input}
      />
    </Field>
  );
}

/** A password that can be shown; required unless said otherwise. */
export function PasswordField({ label, hint, error, required = true, ...input }: InputFieldProps): ReactNode {
  return (
    <Field label={label} hint={hint} error={error} required={required}>
      <PasswordInput {...input} showLabel={TEXTS.show} hideLabel={TEXTS.hide} />
    </Field>
  );
}

const TEXTS = { show: 'Passwort anzeigen', hide: 'Passwort verbergen' };

type SubmitRowProps = Readonly<{
  label: string;
  busy: boolean;
  busyLabel: string;
  variant?: ButtonVariant;
  /** Offers to cancel. */
  onCancel?: () => void;
  /** Rejects a cancel, because the work cannot be undone. */
  cancelOff?: boolean;
}>;

/** The buttons at the end of a form, the submit button last; on a phone it is on top. */
export function SubmitRow({ label, busy, busyLabel, variant, onCancel, cancelOff }: SubmitRowProps): ReactNode {
  return (
    <div className={onCancel === undefined ? undefined : 'flex flex-col-reverse gap-2 sm:flex-row sm:justify-end'}>
      {onCancel !== undefined && (
        <Button variant="secondary" disabled={cancelOff} onClick={onCancel}>
          {uiTexts.cancel}
        </Button>
      )}
      <Button type="submit" variant={variant ?? 'primary'} busy={busy} busyLabel={busyLabel}>
        {label}
      </Button>
    </div>
  );
}
