import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { S3 } from '@aws-sdk/client-s3';
import type { DataStore } from '@tus/utils';
import { z } from 'zod';

/** Uploads on their way to names that begin with `prefix`. */
export type Destination = Readonly<{ bucket: string; prefix: string }>;

const Noted = z.object({ metadata: z.object({ bucketName: z.string(), objectName: z.string() }) });

const DISK_NOTE = '.json';
const S3_NOTE = '.info';
const S3_REST = '.part';

/** Bytes and note of each, also where a crash left only one of the two. */
export async function removeFromDisk(folder: string, destination: Destination): Promise<void> {
  const notes = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(DISK_NOTE));
  for (const note of notes) {
    const text = await readFile(path.join(folder, note), 'utf8').catch(() => '');
    if (!leadsTo(text, destination)) continue;
    await rm(path.join(folder, note.slice(0, -DISK_NOTE.length)), { force: true });
    await rm(path.join(folder, note), { force: true });
  }
}

type Place = Readonly<{ client: S3; bucket: string; datastore: DataStore }>;

/** The same in S3, with the parts that the library forgets. */
export async function removeFromS3(place: Place, destination: Destination): Promise<void> {
  for (const id of (await keysBeside(place)).filter((key) => key.endsWith(S3_NOTE)).map(idOf)) {
    const note = { Bucket: place.bucket, Key: `${id}${S3_NOTE}` };
    const found = await place.client.getObject(note).catch(undefinedWhereGone);
    if (!leadsTo((await found?.Body?.transformToString()) ?? '', destination)) continue;
    await removeUpload(place, id);
  }
}

async function removeUpload({ client, bucket, datastore }: Place, id: string): Promise<void> {
  // Fails where the upload was finished or ended already.
  await datastore.remove(id).catch(() => undefined);
  const Objects = [id, `${id}${S3_NOTE}`, `${id}${S3_REST}`].map((Key) => ({ Key }));
  await client.deleteObjects({ Bucket: bucket, Delete: { Objects, Quiet: true } });
}

/** Last bytes whose upload ended without them. What lies under the upload's own name may be a finished file by now. */
export async function removeOrphanedParts(place: Place): Promise<void> {
  const keys = await keysBeside(place);
  const known = new Set(keys.filter((key) => key.endsWith(S3_NOTE)).map(idOf));
  const orphans = keys.filter((key) => key.endsWith(S3_REST) && !known.has(idOf(key)));
  for (const Key of orphans) await place.client.deleteObject({ Bucket: place.bucket, Key });
}

/** Notes and last bytes, which lie beside the files: a file's own name never has an ending. */
async function keysBeside({ client, bucket }: Place): Promise<string[]> {
  const keys: string[] = [];
  for (let ContinuationToken: string | undefined; ;) {
    const page = await client.listObjectsV2({ Bucket: bucket, ContinuationToken });
    const names = (page.Contents ?? []).map(({ Key }) => Key ?? '');
    keys.push(...names.filter((name) => name.endsWith(S3_NOTE) || name.endsWith(S3_REST)));
    ContinuationToken = page.NextContinuationToken;
    if (ContinuationToken === undefined) return keys;
  }
}

function idOf(key: string): string {
  return key.replace(/\.[a-z]+$/, '');
}

function leadsTo(note: string, { bucket, prefix }: Destination): boolean {
  try {
    const { data } = Noted.safeParse(JSON.parse(note));
    return data !== undefined && data.metadata.bucketName === bucket && data.metadata.objectName.startsWith(prefix);
  } catch {
    return false;
  }
}

function undefinedWhereGone(error: unknown): undefined {
  if (error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound')) return undefined;
  throw error;
}
