import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { MIME_TYPES, type AudioType } from './audio-type.ts';
import { SpeechError } from './errors.ts';

export type FormFields = ReadonlyMap<string, string>;

export type IncomingForm = Readonly<{
  filename: string;
  /** Throws SpeechError 'file_too_large', 'malformed_multipart', 'upload_aborted'. */
  file: AsyncIterable<Uint8Array>;
  /** All fields; resolves when the file was read and the form has ended. */
  fields: Promise<FormFields>;
}>;

const FIELDS_MAX = 20;
const FIELD_BYTES_MAX = 2_048;

/**
 * Reads multipart/form-data (RFC 7578) as it arrives and resolves at its part `file`; the body waits until that part
 * is read. Throws SpeechError.
 */
export function readForm(body: Readable, headers: IncomingHttpHeaders, maxBytes: number): Promise<IncomingForm> {
  return new Promise((resolve, reject) => {
    const parser = createParser(headers, maxBytes);
    const fields = new Map<string, string>();
    const ended = Promise.withResolvers<FormFields>();
    ended.promise.catch(() => undefined);
    let open: BusboyFileStream | undefined;
    const fail = (error: SpeechError): void => {
      body.unpipe(parser);
      open?.destroy(error);
      ended.reject(error);
      reject(error);
    };
    parser.on('field', (name, value) => void fields.set(name, value));
    parser.on('file', (name, file, filename) => {
      open = file;
      file.on('limit', () => fail(new SpeechError('file_too_large')));
      // The stream raises this before the first read, too; an unhandled one ends the process.
      file.on('error', () => undefined);
      if (name !== 'file') file.resume();
      else resolve({ filename, file: readFilePart(file), fields: ended.promise });
    });
    parser.on('error', (cause) => fail(new SpeechError('malformed_multipart', { cause })));
    parser.on('finish', () => {
      ended.resolve(fields);
      reject(new SpeechError('missing_file'));
    });
    // A caller who left before raises neither event any more.
    if (body.destroyed) return fail(new SpeechError('upload_aborted'));
    body.on('error', (cause) => fail(new SpeechError('upload_aborted', { cause })));
    body.on('close', () => {
      if (!body.readableEnded) fail(new SpeechError('upload_aborted'));
    });
    body.pipe(parser);
  });
}

function createParser(headers: IncomingHttpHeaders, maxBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: { files: 1, fields: FIELDS_MAX, fieldSize: FIELD_BYTES_MAX, fileSize: maxBytes, headerPairs: 50 },
    });
  } catch (cause) {
    throw new SpeechError('malformed_multipart', { cause });
  }
}

async function* readFilePart(file: BusboyFileStream): AsyncGenerator<Uint8Array> {
  try {
    yield* file as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw cause instanceof SpeechError ? cause : new SpeechError('malformed_multipart', { cause });
  }
}

export type OutgoingForm = Readonly<{
  before: Readonly<Record<string, string>>;
  audio: AsyncIterable<Uint8Array>;
  type: AudioType;
  after: () => Promise<Readonly<Record<string, string>>>;
}>;

/** Writes multipart/form-data (RFC 7578) as its parts arrive, so that memory holds one piece at a time. */
export function writeForm(form: OutgoingForm): Readonly<{ contentType: string; body: AsyncIterable<Uint8Array> }> {
  const boundary = `speech-${randomBytes(18).toString('hex')}`;
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: writeParts(form, boundary) };
}

const LINE = '\r\n';

async function* writeParts(form: OutgoingForm, boundary: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(formatFields(form.before, boundary));
  // Services go by the extension; the caller's own file name may be personal and stays here.
  const disposition = `Content-Disposition: form-data; name="file"; filename="recording.${form.type}"`;
  yield Buffer.from([`--${boundary}`, disposition, `Content-Type: ${MIME_TYPES[form.type]}`, '', ''].join(LINE));
  yield* form.audio;
  yield Buffer.from(`${LINE}${formatFields(await form.after(), boundary)}--${boundary}--${LINE}`);
}

function formatFields(values: Readonly<Record<string, string>>, boundary: string): string {
  const format = ([name, value]: [string, string]): string =>
    [`--${boundary}`, `Content-Disposition: form-data; name="${name}"`, '', value, ''].join(LINE);
  return Object.entries(values).map(format).join('');
}
