import type { ReactNode } from 'react';

/** A piece of an excerpt; `found` marks a search hit. */
type ExcerptPiece = Readonly<{ text: string; found: boolean }>;

const BEGIN = '\u0001';
const END = '\u0002';

/** Splits at the database's marks (U+0001, U+0002) into plain text; nothing becomes HTML. */
export function splitExcerpt(excerpt: string): readonly ExcerptPiece[] {
  const pieces: ExcerptPiece[] = [];
  const add = (text: string, found: boolean): void => {
    const clean = text.replaceAll(BEGIN, '').replaceAll(END, '');
    if (clean !== '') pieces.push({ text: clean, found });
  };
  let rest = excerpt;
  for (let begin = rest.indexOf(BEGIN); begin !== -1; begin = rest.indexOf(BEGIN)) {
    const end = rest.indexOf(END, begin);
    if (end === -1) break;
    add(rest.slice(0, begin), false);
    add(rest.slice(begin + 1, end), true);
    rest = rest.slice(end + 1);
  }
  add(rest, false);
  return pieces;
}

/** Shows an excerpt with its search hits marked. */
export function ExcerptText({ excerpt }: Readonly<{ excerpt: string }>): ReactNode {
  return splitExcerpt(excerpt).map(({ text, found }, index) =>
    found ? (
      <mark key={index} className="rounded-[3px] bg-accent-wash px-0.5 font-medium text-accent-ink">
        {text}
      </mark>
    ) : (
      <span key={index}>{text}</span>
    ),
  );
}
