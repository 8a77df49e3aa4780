import type { ReactNode } from 'react';
import { Field, Select } from '#web/ui/field.tsx';
import type { AudioInput } from './inputs.ts';
import { speechTexts, speechTexts as texts } from './texts.ts';

type InputPickerProps = Readonly<{
  inputs: readonly AudioInput[];
  /** Undefined for the browser's own choice. */
  inputId: string | undefined;
  chooseInput: (id: string | undefined) => void;
  disabled: boolean;
}>;

/** Renders nothing for fewer than two microphones. */
export function InputPicker({ inputs, inputId, chooseInput, disabled }: InputPickerProps): ReactNode {
  if (inputs.length < 2) return null;
  return (
    <Field label={texts.input}>
      <Select
        disabled={disabled}
        value={inputId ?? ''}
        onChange={(event) => chooseInput(event.target.value === '' ? undefined : event.target.value)}
        options={[
          ['', texts.inputDefault],
          ...inputs.filter(({ id }) => id !== 'default').map(({ id, label }) => [id, label] as const),
        ]}
      />
    </Field>
  );
}

/** Steps to allow the microphone in this browser, after it was refused once: it does not ask again by itself. */
export function MicrophoneHelp(): ReactNode {
  return (
    <>
      <p className="mt-3 font-medium">{speechTexts.allowTitle}</p>
      <ol className="mt-1 list-decimal pl-5">
        {speechTexts.allowMicrophone[nameBrowser(navigator)].map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p className="mt-2 text-sm text-muted">{speechTexts.allowOnDevice}</p>
    </>
  );
}

/** Every browser on an iPhone has Safari's engine, and Chrome's word stands in the names of most others. */
export function nameBrowser({
  userAgent,
  maxTouchPoints,
}: Readonly<{ userAgent: string; maxTouchPoints: number }>): keyof typeof speechTexts.allowMicrophone {
  const isIos = /iPad|iPhone|iPod/.test(userAgent) || (userAgent.includes('Macintosh') && maxTouchPoints > 1);
  if (isIos) return /CriOS|FxiOS|EdgiOS/.test(userAgent) ? 'iosOther' : 'iosSafari';
  if (userAgent.includes('Android')) return userAgent.includes('Firefox') ? 'androidFirefox' : 'android';
  if (userAgent.includes('Firefox')) return 'firefox';
  return /Chrome|Chromium/.test(userAgent) ? 'chrome' : 'safari';
}
