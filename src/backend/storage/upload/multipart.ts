import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { StorageError } from '../errors.ts';

/** The file of a form and the fields before it. */
export type FormFile = Readonly<{ content: Readable; type: string; fields: ReadonlyMap<string, string> }>;

const LIMITS = { files: 1, fields: 20, parts: 30, fieldSize: 1024 * 1024, headerPairs: 50 };

/**
 * Resolves as soon as the first file begins, whatever its field is called (supabase-js leaves the name empty); its
 * bytes are then read by whoever takes them. Throws InvalidRequest for what is no form or carries no file.
 */
export function readForm(request: IncomingMessage): Promise<FormFile> {
  const form = parserFor(request.headers);
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    let file: Readable | undefined;
    const fail = (error: unknown): void => {
      const cause = asStorageError(error);
      file?.destroy(cause);
      request.unpipe(form);
      reject(cause);
    };
    form.on('field', (name, value) => void fields.set(name, value));
    form.on('file', (_name, content, _filename, _encoding, type) => {
      file = content;
      // The parser only says it; destroyed, the file cannot be taken for a whole one, whoever comes to read it when.
      content.on('error', (error) => content.destroy(asStorageError(error)));
      resolve({ content, type, fields });
    });
    form.on('error', fail);
    form.on('finish', () => reject(new StorageError('InvalidRequest', 'No content provided')));
    request.once('close', () => request.complete || fail(new StorageError('Aborted')));
    request.once('error', () => fail(new StorageError('Aborted')));
    request.pipe(form);
  });
}

function parserFor(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits: LIMITS });
  } catch (error) {
    throw asStorageError(error);
  }
}

function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError('InvalidRequest', 'Malformed multipart body', { cause: error });
}
