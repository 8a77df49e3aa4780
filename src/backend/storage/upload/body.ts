import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { checkDeclaredType, DEFAULT_TYPE, essence } from '../content-type.ts';
import { StorageError } from '../errors.ts';
import { readForm } from './multipart.ts';

/** One file on its way in, not a byte of it read yet. */
export type UploadBody = Readonly<{
  content: Readable;
  type: string;
  /** Value of the later `cache-control` header. */
  cacheControl: string;
  userMetadata: Record<string, unknown> | undefined;
  /** What the client says; undefined where it does not. */
  declaredBytes: number | undefined;
}>;

/** Reads what comes before the bytes, from a form or from headers. Throws InvalidRequest, InvalidMimeType. */
export async function readBody(request: IncomingMessage): Promise<UploadBody> {
  const { headers } = request;
  const type = headers['content-type'];
  if (type !== undefined && essence(type) === 'multipart/form-data') return formBody(request);
  return {
    content: request,
    type: checkDeclaredType(type ?? DEFAULT_TYPE),
    cacheControl: checkHeaderText(headers['cache-control'] ?? 'no-cache'),
    userMetadata: headerMetadata(headers),
    declaredBytes: headers['content-length'] === undefined ? undefined : Number(headers['content-length']),
  };
}

async function formBody(request: IncomingMessage): Promise<UploadBody> {
  const { content, type, fields } = await readForm(request);
  const seconds = fields.get('cacheControl');
  const metadata = fields.get('metadata');
  return {
    content,
    type: checkDeclaredType(fields.get('contentType') ?? type),
    cacheControl: checkHeaderText(seconds === undefined ? 'no-cache' : `max-age=${seconds}`),
    userMetadata: metadata === undefined ? undefined : parseMetadata(metadata),
    declaredBytes: undefined,
  };
}

/** It comes back as a header of every download. */
function checkHeaderText(text: string): string {
  if (!/^[\u0020-\u007E]{1,200}$/.test(text)) throw new StorageError('InvalidRequest', 'Invalid cache control');
  return text;
}

/** `x-metadata`: base64 of JSON. Throws InvalidRequest. */
export function headerMetadata(headers: IncomingHttpHeaders): Record<string, unknown> | undefined {
  const metadata = headers['x-metadata'];
  return typeof metadata === 'string' ? parseMetadata(Buffer.from(metadata, 'base64').toString()) : undefined;
}

export function parseMetadata(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    // PostgreSQL stores no NUL character.
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !text.includes('\\u0000')) {
      return { ...value };
    }
  } catch (cause) {
    throw new StorageError('InvalidRequest', 'Invalid metadata', { cause });
  }
  throw new StorageError('InvalidRequest', 'Invalid metadata');
}
