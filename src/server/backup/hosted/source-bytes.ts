import { MissingFileError, storeKey, type FileReader } from '#backend/maintenance.ts';
import { bytesOf } from '../bytes.ts';
import { readPersistently } from '../read-persistently.ts';
import { nameOf, type SourceFile } from './file-plan.ts';

/** Whoever does not read it says so, else it stays open. */
export type Reading = Readonly<{ bytes: number; content: AsyncIterable<Buffer>; leave: () => void }>;

/** The bytes of a file from `start` on; undefined where the store has lost it. */
export async function openFile(reader: FileReader, file: SourceFile, start = 0): Promise<Reading | undefined> {
  const key = storeKey(file.version);
  try {
    const first = await reader.open(key, start);
    const again = (offset: number) => reader.open(key, start + offset);
    return {
      bytes: first.bytes,
      content: bytesOf(readPersistently(first, again, nameOf(file))),
      leave: () => void first.content.destroy(),
    };
  } catch (error) {
    if (error instanceof MissingFileError) return undefined;
    throw error;
  }
}
