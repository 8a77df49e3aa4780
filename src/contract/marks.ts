/**
 * Drops marks from a letter that has more than 30, as no script writes: to normalize them takes time that grows with
 * the square of their number.
 */
export const limitMarks = (text: string): string => text.replaceAll(/(\p{M}{30})\p{M}+/gu, '$1');
