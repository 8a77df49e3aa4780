import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
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
 * Reads multipart/form-data (RFC 7578) as it arrives and resolves at its part `file`; the body waits while nobody
 * reads that. Throws SpeechError.
 */
export function readForm(body: Readable, headers: IncomingHttpHeaders, maxBytes: number): Promise<IncomingForm> {
  return new Promise((resolve, reject) => {
    const parser = parserFor(headers, maxBytes);
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
      // Also raised when nobody iterates yet; unheard it would end the process.
      file.on('error', () => undefined);
      if (name !== 'file') file.resume();
      else resolve({ filename, file: orMalformed(file), fields: ended.promise });
    });
    parser.on('error', (cause) => fail(new SpeechError('malformed_multipart', { cause })));
    parser.on('finish', () => {
      ended.resolve(fields);
      reject(new SpeechError('missing_file'));
    });
    body.on('error', (cause) => fail(new SpeechError('upload_aborted', { cause })));
    body.on('close', () => {
      if (!body.readableEnded) fail(new SpeechError('upload_aborted'));
    });
    body.pipe(parser);
  });
}

function parserFor(headers: IncomingHttpHeaders, maxBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: { files: 1, fields: FIELDS_MAX, fieldSize: FIELD_BYTES_MAX, fileSize: maxBytes, headerPairs: 50 },
    });
  } catch (cause) {
    throw new SpeechError('malformed_multipart', { cause });
  }
}

async function* orMalformed(file: BusboyFileStream): AsyncGenerator<Uint8Array> {
  try {
    yield* file as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw cause instanceof SpeechError ? cause : new SpeechError('malformed_multipart', { cause });
  }
}
