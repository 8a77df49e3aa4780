import type { Fact } from '#contract/evidence/index.ts';

const SHORT = 4;

/** A fact as a list shows it: a short one says nothing without the word before it ('Halle 7', not '7'). */
export function nameFact(body: string, { start, end, text }: Pick<Fact, 'start' | 'end' | 'text'>): string {
  if (text.length >= SHORT) return text;
  const [before = ''] = /\p{L}[\p{L}\p{M}-]*[ \u00A0]$/u.exec(body.slice(0, start)) ?? [];
  return before + body.slice(start, end);
}
