import { Fragment, type ReactNode } from 'react';

/** A mail address breaks after its @ and before a dot rather than in the middle of a word. */
export function Breakable({ text }: Readonly<{ text: string }>): ReactNode {
  if (!text.includes('@')) return text;
  return text.split(/(?<=@)|(?=\.)/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr aria-hidden />}
      {part}
    </Fragment>
  ));
}
