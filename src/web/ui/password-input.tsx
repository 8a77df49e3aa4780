import { Eye, EyeOff } from './icons.tsx';
import { useState, type ComponentPropsWithRef, type ReactNode } from 'react';
import { TextInput } from './text-input.tsx';

/** A password that can be looked at, for people who type with gloves on. */
export function PasswordInput({
  showLabel,
  hideLabel,
  ...rest
}: Omit<ComponentPropsWithRef<'input'>, 'type'> & Readonly<{ showLabel: string; hideLabel: string }>): ReactNode {
  const [shown, setShown] = useState(false);
  const label = shown ? hideLabel : showLabel;
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <TextInput {...rest} type={shown ? 'text' : 'password'} className="pr-12" />
      <button
        type="button"
        aria-label={label}
        title={label}
        aria-pressed={shown}
        className="touch absolute inset-y-0 right-0 inline-flex items-center justify-center rounded-control text-muted hover:text-ink"
        onClick={() => setShown(!shown)}
      >
        <Icon aria-hidden className="size-5" />
      </button>
    </div>
  );
}
