import { existsSync } from 'node:fs';
import path from 'node:path';
import { removeDurably, writeDurably } from '#lib/durable-file.ts';

/** Removes deleted rows from the database's own files. */
export type Compaction = Readonly<{
  /** Marks the compaction as due, before rows are deleted. */
  schedule: () => Promise<void>;
  /** Compacts if it is due. Throws while the database is busy, and stays due. */
  run: () => Promise<void>;
}>;

/** The mark is a file, so the next start compacts after a crash or a stop while the database was busy. */
export const getCompactionFile = (dataDir: string): string => path.join(dataDir, 'erasure.unfinished');

type CompactionDeps = Readonly<{
  /** Undefined for a database on another server. */
  compact: (() => Promise<void>) | undefined;
  dataDir: string;
}>;

export function createCompaction({ compact, dataDir }: CompactionDeps): Compaction {
  if (compact === undefined) return { schedule: async () => undefined, run: async () => undefined };
  const file = getCompactionFile(dataDir);
  return {
    schedule: () => writeDurably(file, ''),
    run: async () => {
      if (!existsSync(file)) return;
      await compact();
      await removeDurably(file);
    },
  };
}
