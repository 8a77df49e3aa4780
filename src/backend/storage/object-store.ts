import type { Readable } from 'node:stream';

export type StoreLocation =
  | Readonly<{
      kind: 'disk';
      folder: string;
      /** What of the disk is never filled, so that the database beside it can go on. */
      freeBytesFloor?: number | FreeFloor;
      /** Another process may be writing there: what it has begun is its own. */
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
      /** The same for the temporary folder: parts too small for the store pass through it. */
      freeBytesFloor?: number | FreeFloor;
    }>;

/** The lesser of bytes and percent of the disk. */
export type FreeFloor = Readonly<{ bytes: number; percent: number }>;

/** Inclusive byte positions. */
export type ByteRange = Readonly<{ start: number; end: number }>;

export type StoredFile = Readonly<{ size: number; /** hex md5 of the content */ md5: string }>;

/**
 * Where bytes lie. Keys are opaque ids made by us, never a caller's text. Every call may throw StoreUnavailableError.
 */
export type ObjectStore = Readonly<{
  /** Whether this process alone writes to it: then whatever an earlier process left unfinished is nobody's. */
  exclusive: boolean;
  /** Throws StoreFullError where so many bytes more are too many. */
  requireRoom: (bytes: number) => Promise<void>;
  /**
   * Durable when it resolves; nothing is visible under `key` before, and nothing is left where it rejects. Throws what
   * `content` is destroyed with, and StoreFullError.
   */
  put: (key: string, content: Readable, type: string) => Promise<StoredFile>;
  /** Throws MissingFileError before the first byte. */
  get: (key: string, range?: ByteRange) => Promise<Readable>;
  /** Throws MissingFileError and StoreFullError. */
  copy: (from: string, to: string) => Promise<void>;
  /** A missing key is no error. */
  remove: (keys: readonly string[]) => Promise<void>;
  ping: () => Promise<void>;
  close: () => Promise<void>;
}>;

/** Reads files beside the server that owns the store, without changing anything in it. */
export type FileReader = Readonly<{
  /** The bytes from `start` on and how many they are. Throws MissingFileError before the first byte. */
  open: (key: string, start?: number) => Promise<Readonly<{ bytes: number; content: Readable }>>;
  close: () => Promise<void>;
}>;

/** Puts files back whose content is proven in another way: no sum of it is made. */
export type FileWriter = Pick<ObjectStore, 'remove' | 'close'> &
  Readonly<{
    /**
     * Resolves when all of `content` has been taken, so that more may come, and `safe` when the store has it. A piece
     * is not looked at any more once two more have been asked for. Either throws as `put` of a store.
     */
    write: (key: string, content: AsyncIterable<Buffer>, type: string) => Promise<Readonly<{ safe: Promise<void> }>>;
    /** Only afterwards is what is safe durable too. */
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

export class StoreFullError extends Error {
  constructor(options?: ErrorOptions) {
    super('The store is full', options);
    this.name = 'StoreFullError';
  }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Bytes of one version of an object: two characters a folder keep folders small. Throws MissingFileError for no uuid.
 */
export function storeKey(version: string): string {
  if (!UUID.test(version)) throw new MissingFileError();
  return `${version.slice(0, 2)}/${version}`;
}
