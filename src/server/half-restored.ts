import { existsSync } from 'node:fs';
import path from 'node:path';

/** Lies in a data folder from the first to the last step of a restore; `backup/journal.ts` writes it. */
export const journalFile = (dataDir: string): string => path.join(dataDir, 'restore.unfinished');

/** Throws where a restore into the folder was cut short: what lies there must not be taken for an installation. */
export function refuseHalfRestored(dataDir: string): void {
  if (!existsSync(journalFile(dataDir))) return;
  throw new Error(
    `A restore into ${dataDir} was cut short. Run \`npm run restore -- FILE\` again; it clears what the first one left.`,
  );
}
