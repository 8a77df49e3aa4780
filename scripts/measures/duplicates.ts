import type { Source } from './source.ts';

/** Two files and the longest run of lines they share: `path:first-last`. */
export type Duplicate = Readonly<{ one: string; other: string; lines: number }>;

type Line = Readonly<{ number: number; text: string }>;
type Place = Readonly<{ file: number; at: number }>;

const SHORTEST_RUN = 6;
/** A run that stands in more places is a form of its own, such as a route's declaration. */
const MOST_PLACES = 8;

/** The pairs of files that share six or more lines with the same text, longest run first. */
export function findDuplicates(sources: readonly Source[]): Duplicate[] {
  const files = sources.map(readCodeLines);
  const pairs = new Map<string, Duplicate>();
  for (const places of findRuns(files).values()) {
    if (places.length > MOST_PLACES) continue;
    for (const [index, one] of places.entries()) {
      for (const other of places.slice(index + 1)) keepLongest(pairs, sources, files, one, other);
    }
  }
  return [...pairs.values()].toSorted((one, other) => other.lines - one.lines);
}

/** The lines that count: no imports, comments, blank lines or lone punctuation. White space is folded. */
function readCodeLines({ text, comments, imports }: Source): Line[] {
  let code = text;
  for (const { start, end } of [...comments, ...imports]) {
    code = code.slice(0, start) + code.slice(start, end).replaceAll(/[^\n]/g, ' ') + code.slice(end);
  }
  return code
    .split('\n')
    .map((line, index) => ({ number: index + 1, text: line.trim().replaceAll(/\s+/g, ' ') }))
    .filter((line) => /\w/.test(line.text));
}

function findRuns(files: readonly (readonly Line[])[]): Map<string, Place[]> {
  const runs = new Map<string, Place[]>();
  for (const [file, lines] of files.entries()) {
    for (let at = 0; at + SHORTEST_RUN <= lines.length; at += 1) {
      const run = lines.slice(at, at + SHORTEST_RUN).map(({ text }) => text);
      const key = run.join('\n');
      const places = runs.get(key);
      if (places === undefined) runs.set(key, [{ file, at }]);
      else places.push({ file, at });
    }
  }
  return runs;
}

function keepLongest(
  pairs: Map<string, Duplicate>,
  sources: readonly Source[],
  files: readonly (readonly Line[])[],
  one: Place,
  other: Place,
): void {
  const lines = sharedLines(files, one, other);
  const key = `${one.file} ${other.file}`;
  if (lines < (pairs.get(key)?.lines ?? SHORTEST_RUN)) return;
  const place = ({ file, at }: Place): string => {
    const first = files[file]?.[at]?.number;
    return `${sources[file]?.path}:${first}-${files[file]?.[at + lines - 1]?.number}`;
  };
  pairs.set(key, { one: place(one), other: place(other), lines });
}

/** A run within one file ends where its second place begins. */
function sharedLines(files: readonly (readonly Line[])[], one: Place, other: Place): number {
  const most = one.file === other.file ? other.at - one.at : Infinity;
  let lines = 0;
  while (lines < most) {
    const text = files[one.file]?.[one.at + lines]?.text;
    if (text === undefined || text !== files[other.file]?.[other.at + lines]?.text) break;
    lines += 1;
  }
  return lines;
}
