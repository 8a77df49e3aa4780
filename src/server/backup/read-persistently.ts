import { setTimeout as wait } from 'node:timers/promises';
import { BackupFault } from './faults.ts';

type Opened = Readonly<{ bytes: number; content: AsyncIterable<Buffer> }>;

const PAUSES_MS = [0, 500, 2_000];

/**
 * All bytes of an opened file. A connection that breaks off is opened again where it broke: hours of copying shall not
 * be lost with it. Throws BackupFault `file_unreadable` after three failures without a byte between them.
 */
export async function* readPersistently(
  first: Opened,
  openAt: (start: number) => Promise<Opened>,
  name: string,
): AsyncGenerator<Buffer> {
  let read = 0;
  let failures = 0;
  let cause: unknown;
  let opening = Promise.resolve(first);
  for (;;) {
    try {
      for await (const chunk of (await opening).content) {
        read += chunk.length;
        failures = 0;
        yield chunk;
      }
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (read === first.bytes) return;
    const pause = PAUSES_MS[failures];
    if (pause === undefined || read > first.bytes) throw new BackupFault('file_unreadable', name, { cause });
    await wait(pause);
    failures += 1;
    opening = openAt(read);
    opening.catch(() => undefined);
  }
}
