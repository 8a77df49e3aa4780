import { createHash } from 'node:crypto';
import { MoveFault } from './faults.ts';
import { nameOf, type SourceFile } from './file-plan.ts';
import type { FileName } from './ledger.ts';
import { persistently } from './persistently.ts';
import type { Reading } from './source-bytes.ts';
import { storageFault } from './storage-fault.ts';
import type { Target } from './target.ts';

export type Sum = Readonly<{ sha256: string; bytes: number }>;

/** Reads the file from the hosted project as everybody would. Throws MoveFault. */
export function sumThere(target: Target, file: FileName): Promise<Sum> {
  return persistently(target, async () => {
    const path = file.name.split('/').map(encodeURIComponent).join('/');
    // Whatever stands in between shall not answer from memory.
    const options = { cacheNonce: crypto.randomUUID() };
    const { data, error } = await target.supabase.storage.from(file.bucket).download(path, options).asStream();
    if (error !== null) throw storageFault(error, nameOf(file), 0);
    try {
      return await sumOf(data);
    } catch (cause) {
      throw new MoveFault('api_away', '', { cause });
    }
  });
}

export function sumHere({ content }: Reading): Promise<Sum> {
  return sumOf(content);
}

async function sumOf(content: AsyncIterable<Uint8Array>): Promise<Sum> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** Both sides at once. Throws MoveFault `file_differs`. */
export async function proveSame(target: Target, file: SourceFile, opened: Reading): Promise<Sum> {
  const [here, there] = await Promise.all([sumHere(opened), sumThere(target, file)]);
  if (here.sha256 !== there.sha256) throw new MoveFault('file_differs', nameOf(file));
  return here;
}
