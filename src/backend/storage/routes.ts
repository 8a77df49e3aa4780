import type { FastifyInstance } from 'fastify';
import { createBucket } from './buckets/create.ts';
import { emptyBucket } from './buckets/empty.ts';
import { getBucket } from './buckets/get.ts';
import { listBuckets } from './buckets/list.ts';
import { deleteBucket } from './buckets/remove.ts';
import { updateBucket } from './buckets/update.ts';
import type { StorageDeps } from './deps.ts';
import { copyObject } from './objects/copy.ts';
import { downloadObject } from './objects/download.ts';
import { objectInfo } from './objects/info.ts';
import { listObjectsV2 } from './objects/list-v2.ts';
import { listObjects } from './objects/list.ts';
import { moveObject } from './objects/move.ts';
import { removeObjects } from './objects/remove.ts';
import { signAddresses } from './objects/sign.ts';
import { uploadSigned } from './objects/upload-signed.ts';
import { uploadObject } from './objects/upload.ts';
import { mountResumable } from './resumable/index.ts';
import { serviceStatus } from './status.ts';

type Call = (app: FastifyInstance, deps: StorageDeps) => void;

/** supabase-contract §3.2, one file a call. */
// prettier-ignore
const CALLS: readonly Call[] = [
  getBucket, listBuckets, createBucket, updateBucket, emptyBucket, deleteBucket,
  downloadObject, objectInfo, listObjects, listObjectsV2, removeObjects, signAddresses, moveObject, copyObject,
  serviceStatus,
];

/** Their bodies are files of any type and size, which nothing but the call itself may read. */
const UPLOADS: readonly Call[] = [uploadObject, uploadSigned];

export async function mountCalls(app: FastifyInstance, deps: StorageDeps): Promise<void> {
  await app.register(async (calls) => {
    acceptEmptyJson(calls);
    for (const call of CALLS) call(calls, deps);
  });
  await app.register(async (uploads) => {
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const call of UPLOADS) call(uploads, deps);
    mountResumable(uploads, deps, deps.partials);
  });
}

/** Clients send `content-type: application/json` also where they have nothing to say. */
function acceptEmptyJson(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body, done);
  });
}
