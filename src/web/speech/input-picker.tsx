import type { ReactNode } from 'react';
import { Field, useFieldAttributes } from '#web/ui/field.tsx';
import { CONTROL_CLASS } from '#web/ui/text-input.tsx';
import type { AudioInput } from './inputs.ts';
import { speechTexts as texts } from './texts.ts';

export type InputPickerProps = Readonly<{
  inputs: readonly AudioInput[];
  /** Undefined for the browser's own choice. */
  inputId: string | undefined;
  chooseInput: (id: string | undefined) => void;
  disabled: boolean;
}>;

/** Renders nothing for fewer than two microphones. */
export function InputPicker(props: InputPickerProps): ReactNode {
  if (props.inputs.length < 2) return null;
  return (
    <Field label={texts.input}>
      <InputSelect {...props} />
    </Field>
  );
}

function InputSelect({ inputs, inputId, chooseInput, disabled }: InputPickerProps): ReactNode {
  return (
    <select
      {...useFieldAttributes()}
      // A select counts as read-only for CSS.
      className={`${CONTROL_CLASS} touch ${disabled ? '' : 'bg-surface!'}`}
      disabled={disabled}
      value={inputId ?? ''}
      onChange={(event) => chooseInput(event.target.value === '' ? undefined : event.target.value)}
    >
      <option value="">{texts.inputDefault}</option>
      {inputs
        .filter(({ id }) => id !== 'default')
        .map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
    </select>
  );
}
