import type { ComponentPropsWithRef, ReactNode } from 'react';
import * as z from 'zod/mini';
import { Field, type FieldProps } from '#web/ui/field.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { accountTexts } from './texts.ts';

type CodeFieldProps = ComponentPropsWithRef<'input'> & Pick<FieldProps, 'label' | 'error'>;

/** A one-time code, which phones fill in from a message. */
export function CodeField({ label, error, ...input }: CodeFieldProps): ReactNode {
  return (
    <Field label={label} error={error} required>
      <TextInput
        inputMode="numeric"
        autoComplete="one-time-code"
        spellCheck={false}
        maxLength={9}
        className="text-xl tracking-[0.3em] tabular-nums"
        {...input}
      />
    </Field>
  );
}

/** Six digits, which may be typed in groups. */
export const CodeForm = z.object({
  code: z.string().check(
    z.overwrite((typed) => typed.replaceAll(/\s/g, '')),
    z.regex(/^\d{6}$/, accountTexts.confirm.codeMissing),
  ),
});
