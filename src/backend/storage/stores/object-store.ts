import type { Readable } from 'node:stream';
import { createHash } from 'node:crypto';
import { getErrorCode } from '#lib/error-code.ts';

export type StoreLocation =
  | Readonly<{
      kind: 'disk';
      folder: string;
      /** Stays free for the database on the same disk. */
      minimumFree?: MinimumFree;
      /** Another process may be writing there, so unfinished files stay. */
      shared?: true;
    }>
  | Readonly<{
      kind: 's3';
      endpoint: string | undefined;
      region: string;
      bucket: string;
      accessKeyId: string;
      secretAccessKey: string;
      forcePathStyle: boolean;
      /** Stays free on the disk of the temporary folder, through which parts too small for the store pass. */
      minimumFree?: MinimumFree;
    }>;

export type S3Location = Extract<StoreLocation, { kind: 's3' }>;

/** Bytes, or the lesser of bytes and percent of the disk; undefined: a default. */
export type MinimumFree = number | Readonly<{ bytes: number; percent: number }> | undefined;

/** Inclusive byte positions. */
export type ByteRange = Readonly<{ start: number; end: number }>;

export type StoredFile = Readonly<{ size: number; /** hex md5 of the content */ md5: string }>;

export type PutOptions = Readonly<{
  ready?: Promise<unknown>;
  /** The content's chunks share their memory with nothing else, so the store may free it. */
  ownsChunks?: boolean;
}>;

/** Stores bytes under opaque ids, never under a caller's text. Every method may throw StoreUnavailableError. */
export type ObjectStore = Readonly<{
  /** Only this process writes to the store, so it may remove the unfinished files of an earlier one. */
  exclusive: boolean;
  /** Throws StoreFullError where `bytes` do not fit. */
  requireSpace: (bytes: number) => Promise<void>;
  /**
   * The file is durable when it resolves, invisible before and until `ready` has resolved, and absent where it rejects.
   * Throws StoreFullError, the error that destroys `content`, and that of `ready`.
   */
  put: (key: string, content: Readable, type: string, options?: PutOptions) => Promise<StoredFile>;
  /** Throws MissingFileError before the first byte. */
  get: (key: string, range?: ByteRange) => Promise<Readable>;
  /**
   * The same only for `pipe`, with less work: a chunk is valid until the next one is requested. Fails where the file
   * has fewer bytes than the range.
   */
  getForPipe?: (key: string, range: ByteRange) => Promise<Readable>;
  /** Throws MissingFileError and StoreFullError. */
  copy: (from: string, to: string) => Promise<void>;
  /** A missing key is no error. Throws KeptFilesError once all others are removed. */
  remove: (keys: readonly string[]) => Promise<void>;
  ping: () => Promise<void>;
  close: () => Promise<void>;
}>;

/** `reuse`: files are read one after another, and a chunk stays as it is only until two more have been requested. */
export type ReadOptions = Readonly<{ start?: number; reuse?: boolean }>;

/** `bytes`: length of the content. Who does not read it cancels it, else the file stays open. */
export type OpenFile = Readonly<{ bytes: number; content: AsyncIterable<Buffer>; cancel: () => void }>;

/** Reads files of a store that a running server owns. */
export type FileReader = Readonly<{
  /** Throws MissingFileError before the first byte. */
  open: (key: string, options?: ReadOptions) => Promise<OpenFile>;
  close: () => Promise<void>;
}>;

/** Restores files; computes no digest, as the backup has its own. */
export type FileWriter = Pick<ObjectStore, 'remove' | 'close'> &
  Readonly<{
    /** Throws StoreUnavailableError. */
    isEmpty: () => Promise<boolean>;
    /**
     * Resolves when all of `content` is read, and `safe` when the store has it. A chunk is not read again once two more
     * have been requested, so its buffer may be reused. Both reject like `put`.
     */
    write: (key: string, content: AsyncIterable<Buffer>, type: string) => Promise<Readonly<{ safe: Promise<void> }>>;
    /** Makes all files durable. */
    finish: () => Promise<void>;
  }>;

export class MissingFileError extends Error {
  constructor(options?: ErrorOptions) {
    super('The store has no such file', options);
    this.name = 'MissingFileError';
  }
}

export class StoreUnavailableError extends Error {
  constructor(options?: ErrorOptions) {
    super('The store does not answer', options);
    this.name = 'StoreUnavailableError';
  }
}

/** `kept`: the files that the store refused to remove, each with the code of its reason. */
export class KeptFilesError extends Error {
  readonly kept: ReadonlyMap<string, string | undefined>;
  constructor(kept: ReadonlyMap<string, string | undefined>) {
    super(`The store did not remove ${[...kept].slice(0, 3).join(' ')} (${kept.size} in all)`);
    this.name = 'KeptFilesError';
    this.kept = kept;
  }
}

export async function removeEach(keys: readonly string[], remove: (key: string) => Promise<void>): Promise<void> {
  const kept = new Map<string, string | undefined>();
  await Promise.all(keys.map((key) => remove(key).catch((error: unknown) => kept.set(key, getErrorCode(error)))));
  if (kept.size > 0) throw new KeptFilesError(kept);
}

export class StoreFullError extends Error {
  constructor(options?: ErrorOptions) {
    super('The store is full', options);
    this.name = 'StoreFullError';
  }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The key of a version's file; the first two characters keep folders small. Throws MissingFileError for no uuid. */
export function storeKey(version: string): string {
  if (!UUID.test(version)) throw new MissingFileError();
  return `${version.slice(0, 2)}/${version}`;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** From the first byte of a request, which has 6 MiB at most, to the first one of its answer. */
const ANSWER_TIMEOUT_MS = 60_000;

/** Options of the S3 client. */
export function buildS3Config({ region, endpoint, forcePathStyle, accessKeyId, secretAccessKey }: S3Location) {
  return {
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle,
    credentials: { accessKeyId, secretAccessKey },
    // The client itself waits for ever, and a removal holds a connection to the database meanwhile.
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: ANSWER_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
    // Not every S3-compatible store understands the newer checksum trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const;
}

/** Size and md5 of chunks in order; `result` ends it. */
export function createDigest(): { update: (chunk: Buffer) => void; result: () => StoredFile } {
  const hash = createHash('md5');
  let size = 0;
  return {
    update: (chunk) => {
      size += chunk.length;
      hash.update(chunk);
    },
    result: () => ({ size, md5: hash.digest('hex') }),
  };
}
