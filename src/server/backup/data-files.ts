import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeDurably } from '#lib/durable-file.ts';

/**
 * What of a data folder is neither database nor stored file and still worth keeping: mails, and the first accounts with
 * the mark of their making. `server.json` and whatever else lies there is not.
 */
const KEPT =
  /^(?:outbox\/[\w.@-]{1,80}\.(?:eml|json|sending|unsure|failed|expired)|zugangsdaten\.(?:json|unvollstaendig))$/;
const OUTBOX = 'outbox';

export type DataFile = Readonly<{ name: string; content: Buffer }>;

export async function* readDataFiles(dataDir: string): AsyncGenerator<DataFile> {
  for (const name of await keptNames(dataDir)) {
    // A mail may go out at this moment.
    const content = await readFile(path.join(dataDir, name)).catch(() => undefined);
    if (content !== undefined) yield { name, content };
  }
}

export async function holdsDataFiles(dataDir: string): Promise<boolean> {
  return (await keptNames(dataDir)).length > 0;
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
 * Mails that waited when the copy was made may have gone out since, and no mail is sent twice (decision 0032): under this
 * name they are kept aside.
 */
export function asideName(name: string): string {
  return name.replace(/\.(?:eml|sending)$/, '.unsure');
}

async function keptNames(dataDir: string): Promise<string[]> {
  const names = async (folder: string): Promise<string[]> => readdir(path.join(dataDir, folder)).catch(() => []);
  const mails = (await names(OUTBOX)).map((name) => `${OUTBOX}/${name}`);
  return [...(await names('.')), ...mails].filter(isDataFile).toSorted();
}
