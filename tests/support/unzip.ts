import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

export type Unzipped = ReadonlyMap<string, Readonly<{ bytes: Buffer; method: number; utf8: boolean }>>;

const DEFLATED = 8;
const UTF8_FLAG = 0x800;

/** Reads a whole archive as any program would: by its central directory, sums and sizes checked. */
export async function unzip(archive: Buffer): Promise<Unzipped> {
  const found = new Map<string, { bytes: Buffer; method: number; utf8: boolean }>();
  const zip = await fromBufferPromise(archive, { lazyEntries: true, strictFileNames: true });
  for await (const entry of zip.eachEntry()) {
    const bytes = await buffer(await zip.openReadStreamPromise(entry));
    const utf8 = (entry.generalPurposeBitFlag & UTF8_FLAG) !== 0;
    found.set(entry.fileName, { bytes, method: entry.compressionMethod, utf8 });
  }
  return found;
}

export function isDeflated(method: number | undefined): boolean {
  return method === DEFLATED;
}
