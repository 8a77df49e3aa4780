import { type ChangeEvent, type ReactNode, useState } from 'react';
import { Field } from '#web/ui/field.tsx';
import { TextInput } from '#web/ui/form-fields.tsx';
import { filterTexts as texts } from '../texts.ts';

const FIRST_DAY = '2020-01-01';
const LAST_DAY = '2099-12-31';

type DayFieldProps = Readonly<{
  label: string;
  value: string | undefined;
  error?: string | undefined;
  onChange: (day: string | undefined) => void;
}>;

/** A year is typed digit by digit: only a day that the field allows filters the list. */
export function DayField({ label, value = '', error, onChange }: DayFieldProps): ReactNode {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const [refused, setRefused] = useState(false);
  // A new address ('back', a removed filter) replaces what is being typed.
  if (value !== known) {
    setKnown(value);
    setText(value);
    setRefused(false);
  }
  const change = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    setText(target.value);
    setRefused(false);
    if (isUsable(target)) onChange(target.value === '' ? undefined : target.value);
  };
  return (
    <Field label={label} error={refused ? texts.wrongDay : error}>
      <TextInput
        type="date"
        min={FIRST_DAY}
        max={LAST_DAY}
        value={text}
        onChange={change}
        onBlur={({ target }) => setRefused(!isUsable(target))}
      />
    </Field>
  );
}

/** An empty field is, a half-typed day is not. */
function isUsable({ value, validity }: HTMLInputElement): boolean {
  if (value === '') return !validity.badInput;
  return value >= FIRST_DAY && value <= LAST_DAY;
}
