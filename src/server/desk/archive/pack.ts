import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { checked, expectedOf } from '../checked.ts';
import { DeskFailure } from '../faults.ts';
import { shrinks } from '../file-names.ts';
import { openStored } from '../stored-files.ts';
import { TEXTS } from '../texts.ts';
import type { FileMember, Member, TextMember } from './members.ts';

const CHUNK_BYTES = 64 * 1024;

type Packing = Readonly<{ zip: ZipFile; signal: AbortSignal; sums: string[]; missing: string[] }>;

/**
 * A ZIP of any size, made while it is read; nothing of it is ever kept. Last come the sums of all members and, where
 * files are missing or damaged, which. Breaks off, so that nobody takes it for whole, where the backend does not
 * answer.
 */
export function pack(members: AsyncIterable<Member>): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream;
  if (!(output instanceof PassThrough)) throw new Error('yazl writes to another kind of stream');
  const over = new AbortController();
  output.once('close', () => over.abort());
  packAll({ zip, signal: over.signal, sums: [], missing: [] }, members).catch((error: Error) => output.destroy(error));
  return output;
}

async function packAll(packing: Packing, members: AsyncIterable<Member>): Promise<void> {
  const { zip, sums, missing, signal } = packing;
  for await (const member of members) {
    signal.throwIfAborted();
    if (member.kind === 'text') await packText(packing, member);
    else await packFile(packing, member);
  }
  if (missing.length > 0) {
    await packText(packing, { kind: 'text', name: TEXTS.missing, content: [TEXTS.missingHead, ...missing] });
  }
  await packText(packing, { kind: 'text', name: TEXTS.sums, content: [...sums] });
  zip.end();
}

async function packText(packing: Packing, { name, content }: TextMember): Promise<void> {
  const bytes = async function* (): AsyncGenerator<Buffer> {
    for await (const part of content) yield Buffer.from(part);
  };
  await add(packing, { name, compress: true, content: bytes() });
}

async function packFile(packing: Packing, { name, type, url }: FileMember): Promise<void> {
  const { missing, signal } = packing;
  const opened = url === undefined ? undefined : await openStored(url, {}, signal).catch(undefinedWhereMissing);
  if (opened === undefined) return void missing.push(`${TEXTS.missingLine.gone(name)}\n`);
  const content = checked(opened, expectedOf(opened.headers), (fault) => {
    missing.push(`${TEXTS.missingLine[fault](name)}\n`);
  });
  return add(packing, { name, compress: shrinks(type), content });
}

function undefinedWhereMissing(error: unknown): undefined {
  if (error instanceof DeskFailure && error.code === 'file_missing') return undefined;
  throw error;
}

type Addition = Readonly<{ name: string; compress: boolean; content: AsyncIterable<Buffer> }>;

/** Resolves when the last byte has been taken. */
async function add({ zip, signal, sums }: Packing, { name, compress, content }: Addition): Promise<void> {
  const sha256 = createHash('sha256');
  const summed = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      sha256.update(chunk);
      yield chunk;
    }
  };
  const source = Readable.from(summed(), { objectMode: false, highWaterMark: CHUNK_BYTES });
  const stop = (): void => void source.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    zip.addReadStream(source, name, { compress });
    await once(source, 'end', { signal });
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
  sums.push(`${sha256.digest('hex')}  ${name}\n`);
}
