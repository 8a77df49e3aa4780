import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from '@tus/server';
import type { Upload } from '@tus/utils';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { storageError } from '../render-error.ts';
import { addressOf, versionOf } from './address.ts';
import { finishUpload } from './finish.ts';
import type { Partials } from './partials.ts';
import type { Permit } from './permit.ts';
import { planOf } from './plan.ts';

/** What the library's hooks need to know of the request they are called for. */
export type TusRequest = Readonly<{ permit: Permit | undefined; address: string; upsert: boolean }>;

/** The tus library with our rules: names, permission, limits, and what happens at the last byte. */
export function createTusServer(deps: StorageDeps, partials: Partials) {
  const current = new AsyncLocalStorage<TusRequest>();
  const asked = (): TusRequest => {
    const request = current.getStore();
    if (request === undefined) throw new Error('outside of a request');
    return request;
  };
  const server = new Server({
    path: '/storage/v1/upload/resumable',
    datastore: partials.datastore,
    maxSize: deps.config.storage.file_size_limit,
    namingFunction: () => randomUUID(),
    getFileIdFromRequest: (_request, last) => versionOf(last ?? ''),
    generateUrl: (request, { id }) => {
      const { bucketName = '', objectName = '' } = announced(request.headers.get('upload-metadata'));
      return `${asked().address}/${addressOf(bucketName, objectName, id)}`;
    },
    onUploadCreate: (_request, upload) => plain(() => admit(deps, asked(), upload)),
    onIncomingRequest: (request, version) => plain(() => goOn(deps, partials, asked(), request.method, version)),
    onUploadFinish: (_request, upload) => plain(() => finish(deps, partials, upload)),
    onResponseError: (_request, error) => rendered(deps, error),
  });
  return (request: IncomingMessage, response: ServerResponse, about: TusRequest): Promise<void> =>
    current.run(about, () => server.handle(request, response));
}

async function admit(deps: StorageDeps, { permit, upsert }: TusRequest, upload: Upload) {
  const metadata = { ...upload.metadata, owner: permit?.owner ?? null, upsert: String(permit?.upsert ?? upsert) };
  const plan = await planOf(deps, metadata);
  await permit?.check(plan);
  if ((upload.size ?? 0) > plan.maxBytes) throw new StorageError('EntityTooLarge', 'Maximum size exceeded');
  return { metadata };
}

/** A key may have ended since the upload began; and an upload whose last step failed is finished by the next question. */
async function goOn(deps: StorageDeps, partials: Partials, { permit }: TusRequest, method: string, version: string) {
  // The library asks here about new ones too, which `admit` has looked at.
  if (method === 'POST') return;
  const upload = await partials.datastore.getUpload(version);
  const plan = await planOf(deps, upload.metadata);
  await permit?.check(plan);
  if (method !== 'DELETE' && upload.size !== undefined && upload.offset === upload.size) {
    await finishUpload(deps, partials, version, plan);
  }
}

async function finish(deps: StorageDeps, partials: Partials, upload: Upload) {
  await finishUpload(deps, partials, upload.id, await planOf(deps, upload.metadata));
  return { headers: { 'tus-complete': '1' } };
}

/** The library answers with `status_code` and a plain-text body: the real code and the message. */
async function plain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'status_code' in error) throw error;
    const known = storageError(error);
    throw Object.assign(new Error(known.message, { cause: error }), {
      status_code: Number(known.body.statusCode),
      body: known.message,
    });
  }
}

function rendered({ log }: StorageDeps, error: Error | { status_code: number; body: string }) {
  if ('status_code' in error) return undefined;
  const known = storageError(
    fullDisk(error) ? new StorageError('InsufficientStorage', undefined, { cause: error }) : error,
  );
  if (known.code === 'InternalError') log.error({ cause: error.message }, 'resumable upload failed');
  return { status_code: Number(known.body.statusCode), body: known.message };
}

function fullDisk(error: Error): boolean {
  return 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** `bucketName <base64>,objectName <base64>`: checked before by the library. */
function announced(header: string | null): Record<string, string> {
  const pairs = (header ?? '').split(',').map((pair) => pair.trim().split(' '));
  return Object.fromEntries(pairs.map(([key = '', value = '']) => [key, Buffer.from(value, 'base64').toString()]));
}
