import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { ownsChunks } from '#http/body-memory.ts';
import { parseJson } from '#lib/parse-json.ts';
import { checkDeclaredType, DEFAULT_TYPE, getEssence } from '../content-type.ts';
import { StorageError } from '../errors.ts';

/** An upload whose bytes are not read yet. */
export type UploadBody = Readonly<{
  content: Readable;
  type: string;
  /** Value of the later `cache-control` header. */
  cacheControl: string;
  userMetadata: Record<string, unknown> | undefined;
  /** `Content-Length`, where the client sends one. */
  declaredBytes: number | undefined;
  /** Its chunks share their memory with nothing else. */
  ownsChunks: boolean;
}>;

/** Reads type, cache control and metadata from a form or from headers. Throws InvalidRequest, InvalidMimeType. */
export async function readBody(request: IncomingMessage): Promise<UploadBody> {
  const { headers } = request;
  const type = headers['content-type'];
  if (type !== undefined && getEssence(type) === 'multipart/form-data') return readFormBody(request);
  return {
    content: request,
    type: checkDeclaredType(type ?? DEFAULT_TYPE),
    cacheControl: checkHeaderText(headers['cache-control'] ?? 'no-cache'),
    userMetadata: parseHeaderMetadata(headers),
    declaredBytes: headers['content-length'] === undefined ? undefined : Number(headers['content-length']),
    ownsChunks: ownsChunks(request),
  };
}

async function readFormBody(request: IncomingMessage): Promise<UploadBody> {
  const { content, type, fields } = await readForm(request);
  const seconds = fields.get('cacheControl');
  const metadata = fields.get('metadata') ?? fields.get('userMetadata');
  return {
    content,
    type: checkDeclaredType(fields.get('contentType') ?? type),
    cacheControl: checkHeaderText(seconds === undefined ? 'no-cache' : `max-age=${seconds}`),
    userMetadata: metadata === undefined ? undefined : parseMetadata(metadata),
    declaredBytes: undefined,
    // The parser passes on memory that it uses again.
    ownsChunks: false,
  };
}

/** Every download answers it as a header. */
function checkHeaderText(text: string): string {
  if (!/^[\u0020-\u007E]{1,200}$/.test(text)) throw new StorageError('InvalidRequest', 'Invalid cache control');
  return text;
}

/** `x-metadata`: base64 of JSON. Throws like `parseMetadata`. */
export function parseHeaderMetadata(headers: IncomingHttpHeaders): Record<string, unknown> | undefined {
  const metadata = headers['x-metadata'];
  return typeof metadata === 'string' ? parseMetadata(Buffer.from(metadata, 'base64').toString()) : undefined;
}

/** Far from where writing it as JSON or reading it in PostgreSQL exhausts the stack, which takes thousands. */
const METADATA_LEVELS = 100;

/**
 * Undefined where the text is no JSON: upstream stores the file without it. Throws InvalidRequest for what upstream's
 * database refuses: lists, texts and a NUL character; and for what is nested too deeply.
 */
export function parseMetadata(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  if (value === undefined) return undefined;
  if (typeof value === 'string' || Array.isArray(value) || text.includes('\\u0000') || isDeeper(value, METADATA_LEVELS))
    throw new StorageError('InvalidRequest', 'Invalid metadata');
  return typeof value === 'object' ? { ...value } : {};
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** The file of a form and the fields before it. */
type FormFile = Readonly<{ content: Readable; type: string; fields: ReadonlyMap<string, string> }>;

const LIMITS = { files: 1, fields: 20, parts: 30, fieldSize: 1024 * 1024, headerPairs: 50 };

/**
 * Resolves when the first file begins, before its bytes; the name of its field does not matter, as supabase-js leaves
 * it empty. Throws InvalidRequest for a malformed form and for one without a file.
 */
function readForm(request: IncomingMessage): Promise<FormFile> {
  const form = createParser(request.headers);
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    let file: Readable | undefined;
    const fail = (error: unknown): void => {
      const cause = toInvalidForm(error);
      file?.destroy(cause);
      request.unpipe(form);
      reject(cause);
    };
    form.on('field', (name, value) => void fields.set(name, value));
    form.on('file', (_name, content, _filename, _encoding, type) => {
      file = content;
      // The parser reports an error without destroying the file, which would then look complete.
      content.on('error', (error) => content.destroy(toInvalidForm(error)));
      resolve({ content, type, fields });
    });
    form.on('error', fail);
    form.on('finish', () => reject(new StorageError('InvalidRequest', 'No content provided')));
    request.once('close', () => request.complete || fail(new StorageError('Aborted')));
    request.once('error', () => fail(new StorageError('Aborted')));
    // A client that went before has closed already, and nothing more would happen.
    if (request.destroyed) fail(new StorageError('Aborted'));
    else request.pipe(form);
  });
}

function createParser(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits: LIMITS });
  } catch (error) {
    throw toInvalidForm(error);
  }
}

function toInvalidForm(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError('InvalidRequest', 'Malformed multipart body', { cause: error });
}
