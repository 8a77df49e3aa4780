import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { S3, type _Object as Listed } from '@aws-sdk/client-s3';
import { type MetadataValue, S3Store } from '@tus/s3-store';
import { BoundedMap } from '#lib/rate-limiter.ts';
import { requireFree } from '../stores/free-space.ts';
import { buildS3Config, storeKey, type ObjectStore, type S3Location } from '../stores/object-store.ts';
import {
  ignoreMissingUpload,
  leadsTo,
  PARTIAL_LIFE_MS,
  type Destination,
  type PartialUploads,
} from './partial-uploads.ts';

/** The least size of a part that S3 accepts; upstream's clients send as much at once. */
const PART_BYTES = 6 * 1024 * 1024;

/** The library's id is the store's key, so a completed multipart upload already is the file. */
export function openS3PartialUploads(location: S3Location, store: ObjectStore): PartialUploads {
  const { bucket } = location;
  const config = buildS3Config(location);
  const datastore = new S3Files({
    partSize: PART_BYTES,
    // Not every S3-compatible store knows tags.
    useTags: false,
    cache: createCache(),
    expirationPeriodInMilliseconds: PARTIAL_LIFE_MS,
    s3ClientConfig: { bucket, ...config },
  });
  const place = { client: new S3(config), bucket, datastore };
  return {
    datastore,
    takesBodies: false,
    toId: storeKey,
    toVersion: (id) => id.split('/').at(-1) ?? '',
    publish: async (version) => {
      const key = storeKey(version);
      if (!(await exists(place, key))) await datastore.complete(key).catch(ignoreMissing);
    },
    forget: (version) => store.remove([`${storeKey(version)}${NOTE_ENDING}`]),
    remove: async (version) => {
      const id = storeKey(version);
      const upload = await datastore.getUpload(id).catch(ignoreMissingUpload);
      // All bytes of a complete one already are the file under its key.
      if (upload !== undefined && upload.offset !== upload.size) await datastore.remove(id).catch(ignoreMissingUpload);
      await store.remove([`${id}${NOTE_ENDING}`, `${id}${PART_ENDING}`]);
    },
    removeUploadsTo: (destination) => removeUploads(place, destination),
    removeExpired: async () => {
      await datastore.deleteExpired();
      await removeOrphans(place);
      await removePieces();
    },
    // Only an upload's last part, too small for the store, lies on the disk.
    requireSpace: () => requireFree(tmpdir(), location.minimumFree, PART_BYTES),
  };
}

/** Of uploads that are given up the library never drops the note; one that is dropped here is read from the store. */
function createCache() {
  const notes = new BoundedMap<MetadataValue>(NOTES_KEPT);
  return {
    get: async (id: string) => notes.get(id),
    set: async (id: string, note: MetadataValue) => notes.set(id, note),
    delete: async (id: string) => notes.delete(id),
  };
}

const NOTES_KEPT = 256;

const NOTE_ENDING = '.info';
const PART_ENDING = '.part';
/** The whole key: the bucket may also hold what is not ours, such as the `.info` files of a backup tool. */
const SIDE_KEY = /^[\da-f]{2}\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.(?:info|part)$/;

/** The library's store, which completes an upload only in the request that writes its last byte. */
class S3Files extends S3Store {
  /** For an empty upload too, and where the store or the server failed before the end of that request. */
  async complete(id: string): Promise<void> {
    await this.finishMultipartUpload(await this.getMetadata(id), await this.retrieveParts(id));
  }
}

type Place = Readonly<{ client: S3; bucket: string; datastore: S3Files }>;

async function removeUploads(place: Place, destination: Destination): Promise<void> {
  for (const id of listIds(await listSideObjects(place), NOTE_ENDING)) {
    const note = { Bucket: place.bucket, Key: `${id}${NOTE_ENDING}` };
    const found = await place.client.getObject(note).catch(ignoreMissing);
    if (leadsTo((await found?.Body?.transformToString()) ?? '', destination)) await removeUpload(place, id);
  }
}

/** Removes the part too, which the library leaves behind. */
async function removeUpload({ client, bucket, datastore }: Place, id: string): Promise<void> {
  // Fails where the upload was finished or aborted before.
  await datastore.remove(id).catch(() => undefined);
  const Objects = [id, `${id}${NOTE_ENDING}`, `${id}${PART_ENDING}`].map((Key) => ({ Key }));
  await client.deleteObjects({ Bucket: bucket, Delete: { Objects, Quiet: true } });
}

/**
 * Removes old notes, whose uploads the library only finds while the bucket has not dropped them itself, and parts
 * without a note. The object under the upload's own key may be a file by now.
 */
async function removeOrphans(place: Place): Promise<void> {
  const found = await listSideObjects(place);
  const isOld = ({ LastModified: at }: Listed): boolean => at !== undefined && +at < Date.now() - PARTIAL_LIFE_MS;
  const remove = (Key: string): Promise<unknown> => place.client.deleteObject({ Bucket: place.bucket, Key });
  const known = new Set(listIds(found, NOTE_ENDING));
  for (const id of listIds(found.filter(isOld), NOTE_ENDING)) {
    await remove(`${id}${NOTE_ENDING}`);
    known.delete(id);
  }
  for (const id of listIds(found, PART_ENDING).filter((part) => !known.has(part))) {
    // The upload may have begun after the page was read in which its note would be.
    if (!(await exists(place, `${id}${NOTE_ENDING}`))) await remove(`${id}${PART_ENDING}`);
  }
}

/** The library's temporary files; their random letters tell them from files of others. */
const PIECE = /^(?:(?=.*[a-z])(?=.*[A-Z])[\w-]{10}-\d+|tus-s3-incomplete-part-[\w-]{10})$/;

/** Removes what a killed server left on the disk. A younger one may be on its way, also that of another server. */
async function removePieces(): Promise<void> {
  for (const name of (await readdir(tmpdir())).filter((found) => PIECE.test(found))) {
    const file = path.join(tmpdir(), name);
    const found = await lstat(file).catch(() => undefined);
    if (found === undefined || !found.isFile() || found.uid !== process.getuid?.()) continue;
    if (found.mtimeMs < Date.now() - PARTIAL_LIFE_MS) await rm(file, { force: true });
  }
}

async function exists({ client, bucket }: Place, key: string): Promise<boolean> {
  return (await client.headObject({ Bucket: bucket, Key: key }).catch(ignoreMissing)) !== undefined;
}

function listIds(objects: readonly Listed[], ending: string): string[] {
  return objects.flatMap(({ Key = '' }) => (Key.endsWith(ending) ? [Key.slice(0, -ending.length)] : []));
}

/** Lists notes and parts; keys of files have no ending. */
async function listSideObjects({ client, bucket }: Place): Promise<Listed[]> {
  const found: Listed[] = [];
  for (let ContinuationToken: string | undefined; ;) {
    const page = await client.listObjectsV2({ Bucket: bucket, ContinuationToken });
    found.push(...(page.Contents ?? []).filter(({ Key = '' }) => SIDE_KEY.test(Key)));
    ContinuationToken = page.NextContinuationToken;
    if (ContinuationToken === undefined) return found;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && /^(?:NoSuchKey|NoSuchUpload|NotFound)$/.test(error.name)) return undefined;
  throw error;
}
