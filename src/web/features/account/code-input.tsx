import type { ReactNode } from 'react';
import { TextInput } from '#web/ui/text-input.tsx';

/** Six digits; phones offer the one that just came. Inside of a Field. */
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
