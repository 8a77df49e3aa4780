import { clsx } from 'clsx';
import { type ComponentPropsWithRef, type ReactNode, useState } from 'react';
import { Button, type ButtonVariant } from './button.tsx';
import { CONTROL_CLASS, Field, type FieldProps, useFieldAttributes } from './field.tsx';
import { icon } from './icons.tsx';
import * as paths from './login-icons.json';
import { uiTexts } from './texts.ts';

export const Eye = icon(paths.Eye);
const EyeOff = icon(paths.EyeOff);

export function TextInput({ className, ...rest }: ComponentPropsWithRef<'input'>): ReactNode {
  return <input type="text" {...useFieldAttributes()} {...rest} className={clsx(CONTROL_CLASS, 'touch', className)} />;
}

type InputFieldProps = Omit<ComponentPropsWithRef<'input'>, 'type' | 'required'> & Omit<FieldProps, 'children'>;

/** Rejects only what is certainly no address; the backend validates the rest. */
export const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+$/;

type AddressFieldProps = InputFieldProps & Readonly<{ type: 'email' | 'url' }>;

/** A required address of mails or in the web, with the keyboard and spelling that suit it. */
function AddressField({ type, label, hint, error, ...input }: AddressFieldProps): ReactNode {
  return (
    <Field label={label} hint={hint} error={error} required>
      <TextInput type={type} inputMode={type} autoComplete="off" autoCapitalize="none" spellCheck={false} {...input} />
    </Field>
  );
}

export const EmailField = (props: InputFieldProps): ReactNode => <AddressField type="email" {...props} />;
export const UrlField = (props: InputFieldProps): ReactNode => <AddressField type="url" {...props} />;

/** A password that can be shown, for people who type with gloves on; required unless said otherwise. */
export function PasswordField({ label, hint, error, required = true, ...input }: InputFieldProps): ReactNode {
  return (
    <Field label={label} hint={hint} error={error} required={required}>
      <PasswordInput {...input} />
    </Field>
  );
}

function PasswordInput(props: Omit<ComponentPropsWithRef<'input'>, 'type'>): ReactNode {
  const [shown, setShown] = useState(false);
  const label = shown ? uiTexts.hidePassword : uiTexts.showPassword;
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <TextInput {...props} type={shown ? 'text' : 'password'} className="pr-12" />
      <button
        type="button"
        aria-label={label}
        title={label}
        className={clsx(
          'touch absolute inset-y-0 right-0 inline-flex items-center justify-center rounded-control text-muted',
          'hover:text-ink',
        )}
        onClick={() => setShown(!shown)}
      >
        <Icon className="size-5" />
      </button>
    </div>
  );
}

type SubmitRowProps = Readonly<{
  label: string;
  busy: boolean;
  busyLabel: string;
  variant?: ButtonVariant;
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
