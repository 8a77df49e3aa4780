import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { removeDurably, syncFolder } from '#lib/durable-file.ts';
import { journalFile } from '../data-folder.ts';

/**
 * Records what a restore creates, one line each, before it is created: `file <version>` in the store, `data <name>` in
 * the data folder. After a restore that was killed, the next one removes what the journal names.
 */
export async function beginJournal(dataDir: string) {
  const file = journalFile(dataDir);
  const handle = await open(file, 'a', 0o600);
  await syncFolder(path.dirname(file));
  return {
    note: async (kind: 'file' | 'data', name: string): Promise<void> => handle.appendFile(`${kind} ${name};\n`),
    /** Called when the restore is complete, or all of it is removed. */
    end: async (): Promise<void> => {
      await handle.close();
      await removeDurably(file);
    },
  };
}

export type Journal = Awaited<ReturnType<typeof beginJournal>>;

const REMOVE_AT_ONCE = 1_000;
// A last line that was cut short names something that was not created yet.
const WHOLE_LINE = /^(file|data) (.+);$/;

/** Removes everything that the journal in `dataDir` names, and leaves the journal itself. */
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
