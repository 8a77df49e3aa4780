import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { removeDurably, syncFolder } from '#lib/durable-file.ts';
import { journalFile } from '../half-restored.ts';

/**
 * What a restore has made so far, a line each, written before it is made: `file <version>` in the store, `data <name>` in
 * the data folder. Whoever comes after a restore that was killed knows what to clear.
 */
export type Journal = Readonly<{
  note: (kind: 'file' | 'data', name: string) => Promise<void>;
  /** The restore is complete, or what it made is gone. */
  end: () => Promise<void>;
}>;

export async function beginJournal(dataDir: string): Promise<Journal> {
  const file = journalFile(dataDir);
  const handle = await open(file, 'a', 0o600);
  await syncFolder(path.dirname(file));
  return {
    note: async (kind, name) => handle.appendFile(`${kind} ${name};\n`),
    end: async () => {
      await handle.close();
      await removeDurably(file);
    },
  };
}

const REMOVE_AT_ONCE = 1_000;
// The last one may have been cut short, and then nothing was made of it.
const WHOLE_LINE = /^(file|data) (.+);$/;

/** Removes what the journal in `dataDir` names and leaves the journal itself. */
export async function clearNoted(
  dataDir: string,
  removeFiles: (versions: readonly string[]) => Promise<void>,
): Promise<void> {
  let versions: string[] = [];
  for await (const line of createInterface({ input: createReadStream(journalFile(dataDir)) })) {
    const [, kind, name = ''] = WHOLE_LINE.exec(line) ?? [];
    if (kind === 'file') versions.push(name);
    if (kind === 'data') await rm(path.join(dataDir, name), { force: true });
    if (versions.length < REMOVE_AT_ONCE) continue;
    await removeFiles(versions);
    versions = [];
  }
  await removeFiles(versions);
}
