import type { Span } from './words.ts';

/**
 * German marks (also with the English or straight one at the end) and guillemets of both directions may hold line ends;
 * straight and English ones may not, because they look alike at both ends. Behind a letter or a digit these open
 * nothing: an inch mark. Of the marks with one stroke ’ ends nothing: an apostrophe.
 */
const QUOTATION =
  /„[^„“”"»«]{2,}[“”"]|(?<![\p{L}\p{N}])[“"][^„“”"»«\n]{2,}[“”"]|»[^„“”"»«]{2,}«|«[^„“”"»«]{2,}»|‚[^‚‘]{2,}‘|›[^›‹]{2,}‹|‹[^›‹]{2,}›/gu;

/** What stands between quotation marks, also over several sentences. */
export function findQuotations(text: string): Span[] {
  return [...text.matchAll(QUOTATION)].map(({ 0: { length }, index }) => ({
    start: index + 1,
    end: index + length - 1,
  }));
}

/** The parts of quotations in one sentence, counted from its beginning. */
export function cutQuotations(quotations: readonly Span[], text: string, { start, end }: Span): Span[] {
  return quotations
    .map((quoted) => ({ start: Math.max(quoted.start, start), end: Math.min(quoted.end, end) }))
    .filter((part) => /[\p{L}\p{N}]/u.test(text.slice(part.start, part.end)))
    .map((part) => ({ start: part.start - start, end: part.end - start }));
}
