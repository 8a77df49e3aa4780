import pg from 'pg';
import type { z } from 'zod';
import { HttpError } from '#http/errors.ts';

/**
 * Status and texts of the body; `error` is the code where none is named. `http` is the real HTTP status where it is not
 * 400 (supabase-contract §3.1).
 */
type Entry = Readonly<{ status: number; error?: string; message: string; http?: number }>;

const UNAUTHORIZED = { status: 403, error: 'Unauthorized' };
const DUPLICATE = { status: 409, error: 'Duplicate', message: 'The resource already exists' };

const CATALOGUE = {
  NoSuchBucket: { status: 404, error: 'Bucket not found', message: 'Bucket not found' },
  NoSuchKey: { status: 404, error: 'not_found', message: 'Object not found' },
  AccessDenied: { ...UNAUTHORIZED, message: 'new row violates row-level security policy' },
  BucketAlreadyExists: DUPLICATE,
  KeyAlreadyExists: DUPLICATE,
  EntityTooLarge: { status: 413, error: 'Payload too large', message: 'The object exceeded the maximum allowed size' },
  QuotaExceeded: { status: 413, error: 'Payload too large', message: 'The upload quota is used up' },
  InvalidMimeType: { status: 415, error: 'invalid_mime_type', message: 'mime type is not supported' },
  InvalidKey: { status: 400, message: 'Invalid key' },
  InvalidBucketName: { status: 400, error: 'Invalid Input', message: 'Bucket name invalid' },
  InvalidRequest: { status: 400, error: 'Error', message: 'Invalid Request' },
  ResourceNotEmpty: { status: 409, message: 'The bucket you tried to delete is not empty' },
  InvalidJWT: { status: 400, message: 'Invalid JWT' },
  InvalidSignature: { status: 400, message: 'Invalid signature' },
  InvalidRange: { status: 416, message: 'The requested range is not satisfiable', http: 416 },
  Aborted: { status: 499, error: 'Request aborted', message: 'Request aborted', http: 499 },
  SlowDown: { status: 429, message: 'Too many connections issued to the database', http: 429 },
  InsufficientStorage: {
    status: 507,
    message: 'The storage is full: nothing can be stored until space is made',
    http: 507,
  },
  StoreUnavailable: { status: 503, message: 'The store of the files does not answer', http: 503 },
  DatabaseUnavailable: { status: 503, message: 'The database does not answer', http: 503 },
  DatabaseTimeout: { status: 544, message: 'The connection to the database timed out', http: 544 },
  InternalError: { status: 500, message: 'Internal server error', http: 500 },
} as const satisfies Record<string, Entry>;

export type StorageErrorCode = keyof typeof CATALOGUE;

/** An answer of contract §3.1. `cause` is for the log and never leaves the server. */
export class StorageError extends HttpError<StorageErrorCode> {
  constructor(code: StorageErrorCode, message?: string, options?: ErrorOptions, http?: number) {
    const entry: Entry = CATALOGUE[code];
    super(http ?? entry.http ?? 400, code, message ?? entry.message, options);
  }

  get body(): Readonly<{ statusCode: string; error: string; message: string; code: string }> {
    const { status, error = this.code }: Entry = CATALOGUE[this.code];
    return { statusCode: String(status), error, message: this.message, code: this.code };
  }
}

/**
 * Reads a body or query as upstream does, which takes numbers and booleans as text. Throws InvalidRequest with every
 * problem found, in upstream's wording `body/limit must be …`.
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, part: string): z.output<Schema> {
  let result = schema.safeParse(value ?? {});
  const input: unknown = result.success ? undefined : structuredClone(value ?? {});
  // The first round makes a text a list, the second its entry what the list holds.
  for (let round = 0; round < 2 && !result.success && coerceInput(input, result.error.issues); round += 1) {
    result = schema.safeParse(input);
  }
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${[part, ...issue.path].join('/')} ${issue.message}`);
  throw new StorageError('InvalidRequest', problems.join(', '));
}

type Issue = z.core.$ZodIssue;

/** Replaces the values of a wrong type in place. Returns whether there are any that upstream reads. */
function coerceInput(input: unknown, issues: readonly Issue[]): boolean {
  return issues.map((issue) => coerceMember(input, issue)).includes(true);
}

/** Where one of several types is expected, the first that fits wins. */
function coerceMember(input: unknown, issue: Issue, base: readonly PropertyKey[] = []): boolean {
  const path = [...base, ...issue.path];
  if (issue.code === 'invalid_union') return issue.errors.flat().some((inner) => coerceMember(input, inner, path));
  // A value out of an enumeration is a text.
  const expected = issue.code === 'invalid_type' ? issue.expected : issue.code === 'invalid_value' ? 'string' : '';
  const key = path.at(-1);
  const holder = path.slice(0, -1).reduce(readMember, input);
  if (key === undefined || typeof holder !== 'object' || holder === null) return false;
  const value = coerceValue(readMember(holder, key), expected);
  return value !== undefined && Reflect.set(holder, key, value);
}

function readMember(holder: unknown, key: PropertyKey): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, key) : undefined;
}

const BOOLEANS = new Map<unknown, boolean>([
  ['true', true],
  [1, true],
  ['false', false],
  [0, false],
  [null, false],
]);

/** The rules of ajv with `coerceTypes: 'array'`; undefined for a value that it refuses. */
function coerceValue(given: unknown, expected: string): unknown {
  if (given === undefined) return undefined;
  if (expected === 'array') return typeof given === 'object' && given !== null ? undefined : [given];
  const value: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given;
  if (value !== given && typeof value === expected) return value;
  if (expected === 'boolean') return BOOLEANS.get(value);
  if (expected === 'string') return coerceText(value);
  return expected === 'number' ? coerceNumber(value) : undefined;
}

function coerceText(value: unknown): string | undefined {
  if (value === null) return '';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function coerceNumber(value: unknown): number | undefined {
  const isReadable = value === null || typeof value === 'boolean' || (typeof value === 'string' && value !== '');
  const number = isReadable ? Number(value) : Number.NaN;
  return Number.isNaN(number) ? undefined : number;
}

/** An insert hit an existing row. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505';
}

/** A trigger refuses an upload: its quota is used up. */
export function isBeyondQuota(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53400';
}

/** A foreign key fails: its target is missing, or a row that others point at is deleted. */
export function isBrokenReference(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503';
}
