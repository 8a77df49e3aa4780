import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { FileStore } from '@tus/file-store';
import type { DataStore } from '@tus/utils';
import type { StoreLocation } from '../object-store.ts';
import { removeFromDisk, removeFromS3, removeOrphanedParts, removeUpload, type Destination } from './leftovers.ts';

/** Unfinished uploads live this long after their creation, as upstream's do at most. */
export const PARTIAL_LIFE_MS = 24 * 60 * 60_000;
/** The least size of a part that S3 takes, and what upstream's clients send at once. */
const PART_BYTES = 6 * 1024 * 1024;

/** Uploads on their way in, as the tus library keeps them, beside the finished files of the same store. */
export type Partials = Readonly<{
  datastore: DataStore;
  /** All bytes of a complete one, flushed to disk before the first is handed out. */
  read: (id: string) => Promise<Readable>;
  remove: (id: string) => Promise<void>;
  /** All that are on their way to such names. */
  removeTo: (destination: Destination) => Promise<void>;
  removeExpired: () => Promise<void>;
}>;

export async function openPartials(location: StoreLocation): Promise<Partials> {
  if (location.kind === 'disk') return diskPartials(path.join(location.folder, 'resumable'));
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
    read: (id) => datastore.read(id),
    remove: (id) => removeUpload(place, id),
    removeTo: (destination) => removeFromS3(place, destination),
    removeExpired: async () => {
      await datastore.deleteExpired();
      await removeOrphanedParts(place);
    },
  };
}

function diskPartials(folder: string): Partials {
  const datastore = new FileStore({ directory: folder, expirationPeriodInMilliseconds: PARTIAL_LIFE_MS });
  return {
    datastore,
    read: async (id) => {
      const handle = await open(path.join(folder, id), 'r+');
      await handle.sync();
      return handle.createReadStream();
    },
    remove: (id) => datastore.remove(id),
    removeTo: (destination) => removeFromDisk(folder, destination),
    removeExpired: async () => void (await datastore.deleteExpired()),
  };
}
