import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { inParallel, type Attack } from '../attack.ts';
import { beginContribution, type Contribution } from '../contribution.ts';
import type { Target } from '../target.ts';

const UPLOADS = 100;
const UPLOAD_BYTES = 4 * 1024 * 1024;
/** Far below what the attack tries; the defaults stand in the README's table. */
const ALLOWED_FILES = 5;
const ALLOWED_BYTES = 20 * 1024 * 1024;

/** Each upload lacks its last byte: there never is an object that a quota of objects would count. */
export const unfinishedUploads: Attack = {
  name: 'unfinished-uploads',
  about: `${UPLOADS} resumable uploads of 4 MiB that never end, where ${ALLOWED_FILES} files are allowed`,
  arrange: () => ({
    env: {
      UPLOAD_QUOTA_FILES: String(ALLOWED_FILES),
      UPLOAD_QUOTA_BYTES: String(ALLOWED_BYTES),
    },
    run: async (target, tally) => {
      const contribution = await beginContribution(target);
      await inParallel(UPLOADS, 12, async (index) => tally.count(await leaveUnfinished(target, contribution, index)));
      if (tally.accepted() > ALLOWED_FILES) tally.fail(`${tally.accepted()} uploads taken (at most ${ALLOWED_FILES})`);
      const bytes = await measureBytes(path.join(target.dataDir, 'files', 'resumable'));
      if (bytes > ALLOWED_BYTES) tally.fail(`${bytes} bytes on the disk (at most ${ALLOWED_BYTES})`);
    },
  }),
};

/** Returns the refusal of the announcement, or the answer to the bytes. */
async function leaveUnfinished(target: Target, { id, headers }: Contribution, index: number) {
  const metadata = { bucketName: 'Media', objectName: `${id}/1700000000000_${index}.webm`, contentType: 'video/webm' };
  const tus = { ...headers, 'tus-resumable': '1.0.0' };
  const begun = await target.call({
    method: 'POST',
    path: '/storage/v1/upload/resumable',
    headers: {
      ...tus,
      'content-length': '0',
      'upload-length': String(UPLOAD_BYTES),
      'upload-metadata': Object.entries(metadata)
        .map(([name, value]) => `${name} ${btoa(value)}`)
        .join(','),
    },
  });
  if (begun.status !== 201 || begun.location === undefined) return begun.status;
  const { status } = await target.call({
    method: 'PATCH',
    path: new URL(begun.location).pathname,
    headers: { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
    body: Buffer.alloc(UPLOAD_BYTES - 1),
  });
  return status;
}

async function measureBytes(folder: string): Promise<number> {
  const files = (await readdir(folder)).filter((file) => !file.endsWith('.json'));
  const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(folder, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
