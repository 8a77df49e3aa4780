import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeDurably } from '#lib/durable-file.ts';

/**
 * Files of a data folder that a backup keeps besides database and stored files: mails, and the first accounts with
 * their mark. `server.json` and other files are left out.
 */
const KEPT =
  /^(?:outbox\/[\w.@-]{1,80}\.(?:eml|json|sending|unsure|failed|expired)|zugangsdaten\.(?:json|unvollstaendig))$/;
const OUTBOX = 'outbox';

export type DataFile = Readonly<{ name: string; content: Buffer }>;

export async function* readDataFiles(dataDir: string): AsyncGenerator<DataFile> {
  for (const name of await listKeptNames(dataDir)) {
    // A mail may be sent and removed at this moment.
    const content = await readFile(path.join(dataDir, name)).catch(() => undefined);
    if (content !== undefined) yield { name, content };
  }
}

export async function hasDataFiles(dataDir: string): Promise<boolean> {
  return (await listKeptNames(dataDir)).length > 0;
}

export function isDataFile(name: string): boolean {
  return KEPT.test(name);
}

export async function writeDataFile(dataDir: string, { name, content }: DataFile): Promise<void> {
  const file = path.join(dataDir, name);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeDurably(file, content);
}

/**
 * A mail that waited at the backup may have been sent since, and none is sent twice (decision 0032): it is set aside.
 */
export function toUnsentName(name: string): string {
  return name.replace(/\.(?:eml|sending)$/, '.unsure');
}

async function listKeptNames(dataDir: string): Promise<string[]> {
  const names = async (folder: string): Promise<string[]> => readdir(path.join(dataDir, folder)).catch(() => []);
  const mails = (await names(OUTBOX)).map((name) => `${OUTBOX}/${name}`);
  return [...(await names('.')), ...mails].filter(isDataFile).toSorted();
}
