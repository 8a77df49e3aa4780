import type { ReactNode } from 'react';
import { TextInput } from '#web/ui/text-input.tsx';

/** Takes six digits, which phones fill in from a message. Belongs inside a Field. */
export function CodeInput(): ReactNode {
  return (
    <TextInput
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      spellCheck={false}
      maxLength={9}
      className="text-xl tracking-[0.3em] tabular-nums"
    />
  );
}
