/** The words of a text, without case and punctuation. */
export function splitWords(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLocaleLowerCase('de')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The fewest words to replace, leave out or add, from one list to the other (Levenshtein). */
export function countWordErrors(expected: readonly string[], heard: readonly string[]): number {
  let row = heard.map((_, at) => at + 1);
  for (const [line, word] of expected.entries()) {
    let diagonal = line;
    let left = line + 1;
    row = row.map((above, at) => {
      const replaced = diagonal + (heard[at] === word ? 0 : 1);
      diagonal = above;
      left = Math.min(replaced, above + 1, left + 1);
      return left;
    });
  }
  return row.at(-1) ?? expected.length;
}
