import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { ZipFile } from 'yazl';
import { applyEdits, UncleanableError, type Edit } from '#lib/clean-copy/index.ts';
import { openStoredCopy } from '../../stored-file.ts';
import { DeskError } from '../error.ts';
import { formatContentDisposition, isCompressible } from '../file-names.ts';
import { readExpected, requestFrom, verifyContent } from '../file-content.ts';
import { TEXTS } from '../texts.ts';

const CHUNK_BYTES = 64 * 1024;

type Packing = Readonly<{ zip: ZipFile; signal: AbortSignal; sums: string[]; missing: string[] }>;

/**
 * Streams a ZIP of any size without storing it. The last members are the checksums and, if files are missing or
 * damaged, their list. Breaks off if the backend fails, so that the ZIP is recognisably incomplete.
 */
function pack(members: Members): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream;
  if (!(output instanceof PassThrough)) throw new Error('yazl writes to another kind of stream');
  const over = new AbortController();
  output.once('close', () => over.abort());
  packAll({ zip, signal: over.signal, sums: [], missing: [] }, members).catch((error: Error) => output.destroy(error));
  return output;
}

async function packAll(packing: Packing, members: Members): Promise<void> {
  const { zip, sums, missing, signal } = packing;
  for await (const member of members) {
    signal.throwIfAborted();
    if (member.kind === 'text') await packText(packing, member);
    else if (member.kind === 'file') await packFile(packing, member);
    else missing.push(`${TEXTS.missingLine.erased(member.name)}\n`);
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

async function packFile(packing: Packing, { name, type, url, clean }: FileMember): Promise<void> {
  const { missing, signal } = packing;
  const leaveOut = (reason: keyof typeof TEXTS.missingLine): void =>
    void missing.push(`${TEXTS.missingLine[reason](name)}\n`);
  const found = url === undefined ? 'missing' : await openMember(url, signal, clean === true);
  if (typeof found === 'string') return leaveOut(found);
  const { stored, edits } = found;
  const content = verifyContent(stored, readExpected(stored.headers), leaveOut);
  return add(packing, {
    name,
    compress: isCompressible(type),
    content: edits === undefined ? content : applyEdits(content, edits),
  });
}

type OpenedMember = Readonly<{ stored: IncomingMessage; edits: readonly Edit[] | undefined }>;

/** A copy for publication is looked at before its first byte goes out. */
async function openMember(
  url: string,
  signal: AbortSignal,
  clean: boolean,
): Promise<OpenedMember | 'missing' | 'uncleanable'> {
  const request = requestFrom(url, {}, signal);
  try {
    return clean ? await openStoredCopy(request) : { stored: await request(), edits: undefined };
  } catch (error) {
    if (error instanceof UncleanableError) return 'uncleanable';
    return ignoreMissing(error);
  }
}

function ignoreMissing(error: unknown): 'missing' {
  if (error instanceof DeskError && error.code === 'file_missing') return 'missing';
  throw error;
}

type Addition = Readonly<{ name: string; compress: boolean; content: AsyncIterable<Buffer> }>;

/** Resolves when the last byte is consumed. */
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

/** The members of an archive, in their order. */
type Members = Iterable<Member> | AsyncIterable<Member>;

export type Member = TextMember | FileMember | ErasedMember;

/** A folder that is only named, because what belongs there was erased meanwhile. */
type ErasedMember = Readonly<{ kind: 'erased'; name: string }>;

export type TextMember = Readonly<{ kind: 'text'; name: string; content: Iterable<string> | AsyncIterable<string> }>;

export type FileMember = Readonly<{
  kind: 'file';
  name: string;
  /** MIME type; compressible types are deflated. */
  type: string;
  /** Signed address; undefined for a file missing from the store. */
  url: string | undefined;
  /** Without place and device; left out and named where that is not certain. */
  clean?: boolean;
}>;

/** Sends an archive while it is packed. */
export function sendArchive(reply: FastifyReply, name: string, members: Members): FastifyReply {
  return reply
    .headers({
      'content-type': 'application/zip',
      'content-disposition': formatContentDisposition(name),
      // A buffering proxy would store gigabytes and delay the download.
      'x-accel-buffering': 'no',
    })
    .send(pack(members));
}
