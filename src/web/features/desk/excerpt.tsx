import type { ReactNode } from 'react';

/** A piece of an excerpt; `found`: what the search was looking for. */
type ExcerptPiece = Readonly<{ text: string; found: boolean }>;

const BEGIN = '\u0001';
const END = '\u0002';

/** The marks of the database (between U+0001 and U+0002) as pieces of plain text: nothing in it is ever HTML. */
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

/** An excerpt as text, what was searched for marked. */
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
