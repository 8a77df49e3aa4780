import { ERRORS, type DataStore } from '@tus/utils';
import { z } from 'zod';
import { parseJson } from '#lib/parse-json.ts';

/** Unfinished uploads expire this long after their creation; upstream keeps them as long at most. */
export const PARTIAL_LIFE_MS = 24 * 60 * 60_000;

/**
 * Unfinished uploads, in the tus library's format. Their bytes arrive where they stay: after the last one they become a
 * file of the store without a copy.
 */
export type PartialUploads = Readonly<{
  datastore: DataStore;
  /** Its `write` takes the body of a request directly where it may (direct-body.ts). */
  takesBodies: boolean;
  /** The library's id of the upload that becomes `version`, and back. */
  toId: (version: string) => string;
  toVersion: (id: string) => string;
  /** Makes the flushed bytes of a complete upload a file of the store. Repeatable. */
  publish: (version: string) => Promise<void>;
  /** Removes the library's note of a published upload. */
  forget: (version: string) => Promise<void>;
  /** Removes an unfinished upload, if it is still there. The caller holds its lock. */
  remove: (version: string) => Promise<void>;
  removeUploadsTo: (destination: Destination) => Promise<void>;
  removeExpired: () => Promise<void>;
  /** Throws StoreFullError where the disk has no space for the bytes that pass through it. */
  requireSpace: (bytes: number) => Promise<void>;
}>;

/** Names in a bucket that begin with `prefix`. */
export type Destination = Readonly<{ bucket: string; prefix: string }>;

/** For errors of the library's stores. */
export function ignoreMissingUpload(error: unknown): void {
  if (error !== ERRORS.FILE_NOT_FOUND) throw error;
}

const Note = z.object({ metadata: z.object({ bucketName: z.string(), objectName: z.string() }) });

/** Reads the destination from the library's note of an upload; false for a damaged note. */
export function leadsTo(note: string, { bucket, prefix }: Destination): boolean {
  const { data } = Note.safeParse(parseJson(note));
  return data !== undefined && data.metadata.bucketName === bucket && data.metadata.objectName.startsWith(prefix);
}
