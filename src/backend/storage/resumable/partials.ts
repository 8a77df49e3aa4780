import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DataStore } from '@tus/utils';
import { storeKey, type ObjectStore, type StoreLocation } from '../object-store.ts';
import { DiskFiles } from './disk-files.ts';
import { removeFromDisk, removeFromS3, removeOrphanedParts, type Destination } from './leftovers.ts';
import { adoptFile } from '../stores/disk.ts';
import { requireFree } from '../stores/free-space.ts';

/** Unfinished uploads live this long after their creation, as upstream's do at most. */
export const PARTIAL_LIFE_MS = 24 * 60 * 60_000;
/** The least size of a part that S3 takes, and what upstream's clients send at once. */
const PART_BYTES = 6 * 1024 * 1024;

/**
 * Uploads on their way in, as the tus library keeps them. They come in where they are to stay: the last byte makes a
 * file of the store of them without any byte being moved again.
 */
export type Partials = Readonly<{
  datastore: DataStore;
  /** The library's name of an upload, which is `version` with us, and back. */
  idOf: (version: string) => string;
  versionOf: (id: string) => string;
  /** Lets the bytes of a complete upload lie, flushed, under the store's key of this version. Repeatable. */
  handOver: (version: string) => Promise<void>;
  /** What the library noted of an upload that was handed over. */
  forget: (version: string) => Promise<void>;
  /** All that are on their way to such names. */
  removeTo: (destination: Destination) => Promise<void>;
  removeExpired: () => Promise<void>;
  /** Throws StoreFullError where so many bytes more are too many for what they pass on their way. */
  requireRoom: (bytes: number) => Promise<void>;
}>;

export async function openPartials(location: StoreLocation, store: ObjectStore): Promise<Partials> {
  return location.kind === 'disk' ? diskPartials(location) : s3Partials(location, store);
}

function diskPartials({ folder, freeBytesFloor }: Extract<StoreLocation, { kind: 'disk' }>): Partials {
  const directory = path.join(folder, 'resumable');
  const datastore = new DiskFiles({ directory, lifeMs: PARTIAL_LIFE_MS, freeBytesFloor });
  return {
    datastore,
    idOf: (version) => version,
    versionOf: (id) => id,
    handOver: (version) => adoptFile(folder, path.join(directory, version), storeKey(version)),
    forget: (version) => datastore.remove(version),
    removeTo: (destination) => removeFromDisk(directory, destination),
    removeExpired: async () => void (await datastore.deleteExpired()),
    requireRoom: (bytes) => requireFree(folder, freeBytesFloor, bytes),
  };
}

/** The library's name is the store's key, so the completed multipart upload is the file already. */
async function s3Partials(location: Extract<StoreLocation, { kind: 's3' }>, store: ObjectStore): Promise<Partials> {
  const [{ S3Store }, { S3 }] = await Promise.all([import('@tus/s3-store'), import('@aws-sdk/client-s3')]);
  const { bucket } = location;
  const config = {
    region: location.region,
    ...(location.endpoint === undefined ? {} : { endpoint: location.endpoint }),
    forcePathStyle: location.forcePathStyle,
    credentials: { accessKeyId: location.accessKeyId, secretAccessKey: location.secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const;
  const datastore = new S3Store({
    partSize: PART_BYTES,
    // Not every S3-compatible store knows tags.
    useTags: false,
    expirationPeriodInMilliseconds: PARTIAL_LIFE_MS,
    s3ClientConfig: { bucket, ...config },
  });
  const place = { client: new S3(config), bucket, datastore };
  return {
    datastore,
    idOf: storeKey,
    versionOf: (id) => id.split('/').at(-1) ?? '',
    handOver: async () => undefined,
    forget: (version) => store.remove([`${storeKey(version)}.info`]),
    removeTo: (destination) => removeFromS3(place, destination),
    removeExpired: async () => {
      await datastore.deleteExpired();
      await removeOrphanedParts(place);
    },
    // Of an upload only the last part, too small for the store, lies there.
    requireRoom: () => requireFree(tmpdir(), location.freeBytesFloor, PART_BYTES),
  };
}
