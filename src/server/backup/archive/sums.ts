import { createHash } from 'node:crypto';

/** Parts whose sums stand together in one entry: as many as are held in memory at once. */
const GROUP = 1_000;

type Part = Readonly<{ name: string; sha256: string }>;

/** Keeps the sums of parts, group by group, and one sum over all of them. */
export type Sums = Readonly<{
  add: (part: Part) => void;
  /** Whether the group is full. */
  full: () => boolean;
  /** The group as `sha256sum` writes and reads it, and an empty one in its place. undefined: nothing was added. */
  takeGroup: () => Buffer | undefined;
  total: () => { parts: number; sha256: string };
}>;

export function createSums(): Sums {
  const all = createHash('sha256');
  let group: string[] = [];
  let parts = 0;
  return {
    add: ({ name, sha256 }) => {
      const line = `${sha256}  ${name}\n`;
      group.push(line);
      all.update(line);
      parts += 1;
    },
    full: () => group.length >= GROUP,
    takeGroup: () => {
      const text = group.length === 0 ? undefined : Buffer.from(group.join(''));
      group = [];
      return text;
    },
    total: () => ({ parts, sha256: all.copy().digest('hex') }),
  };
}
