import { existsSync } from 'node:fs';
import path from 'node:path';
import { removeDurably, writeDurably } from '#lib/durable-file.ts';

/** What the database's own files still hold of deleted rows. */
export type Remains = Readonly<{
  /** Something is going to be deleted. */
  expect: () => Promise<void>;
  /** Where something was. Throws where the database is busy; then it is for the next time. */
  remove: () => Promise<void>;
}>;

/** Kept in mind by a file: a server that is killed, or ends while the database is busy, leaves it to the next one. */
export const remainsFile = (dataDir: string): string => path.join(dataDir, 'erasure.unfinished');

type RemainsDeps = Readonly<{
  /** Undefined where another server owns the disk. */
  compact: (() => Promise<void>) | undefined;
  dataDir: string;
}>;

export function createRemains({ compact, dataDir }: RemainsDeps): Remains {
  if (compact === undefined) return { expect: async () => undefined, remove: async () => undefined };
  const file = remainsFile(dataDir);
  return {
    expect: () => writeDurably(file, ''),
    remove: async () => {
      if (!existsSync(file)) return;
      await compact();
      await removeDurably(file);
    },
  };
}
