import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from '@tus/server';
import type { Upload } from '@tus/utils';
import { isDiskFull } from '#lib/error-code.ts';
import type { StorageDeps } from '../deps.ts';
import { isDuplicate } from '../database-errors.ts';
import { StorageError } from '../errors.ts';
import { storageError } from '../render-error.ts';
import { addressOf, versionOf } from './address.ts';
import { finishedBytes, finishUpload, mayRepeat } from './finish.ts';
import { databaseLocker } from './locks.ts';
import { noteVersion } from '../unclaimed.ts';
import type { Partials } from './partials.ts';
import type { Permit } from './permit.ts';
import { planOf, type UploadPlan } from './plan.ts';

/** What the library's hooks need to know of the request they are called for. */
type TusRequest = Readonly<{ permit: Permit | undefined; address: string }>;

/** `finished` are the versions that became objects in this request. */
type OpenRequest = TusRequest & Readonly<{ finished: Set<string> }>;

/** The tus library with our rules: names, permission, limits, and what happens at the last byte. */
export function createTusServer(deps: StorageDeps, partials: Partials) {
  const current = new AsyncLocalStorage<OpenRequest>();
  const asked = (): OpenRequest => {
    const request = current.getStore();
    if (request === undefined) throw new Error('outside of a request');
    return request;
  };
  const server = new Server({
    path: '/storage/v1/upload/resumable',
    datastore: partials.datastore,
    locker: databaseLocker(deps),
    maxSize: deps.config.storage.file_size_limit,
    namingFunction: () => partials.idOf(randomUUID()),
    getFileIdFromRequest: (_request, last) => idFrom(partials, last ?? ''),
    generateUrl: (request, { id }) => {
      const { bucketName = '', objectName = '' } = announced(request.headers.get('upload-metadata'));
      return `${asked().address}/${addressOf(bucketName, objectName, partials.versionOf(id))}`;
    },
    onUploadCreate: (_request, upload) => plain(() => admit(deps, partials, asked(), upload)),
    onIncomingRequest: (request, id) => plain(() => goOn(deps, partials, asked(), request.method, id)),
    onUploadFinish: (_request, upload) => plain(() => finish(deps, partials, asked(), upload)),
    onResponseError: async (request, error) => (await finishedMeanwhile(deps, request, error)) ?? rendered(deps, error),
  });
  return async (request: IncomingMessage, response: ServerResponse, about: TusRequest): Promise<void> => {
    const open = { ...about, finished: new Set<string>() };
    await current.run(open, () => server.handle(request, response));
    // The library looks at its notes once more after the last byte, so they stay until it has answered.
    for (const version of open.finished) {
      await partials
        .forget(version)
        .catch(() => deps.log.warn({ version }, 'notes of a finished upload stay until they expire'));
    }
  };
}

function idFrom(partials: Partials, address: string): string | undefined {
  const version = versionOf(address);
  return version === undefined ? undefined : partials.idOf(version);
}

async function admit(deps: StorageDeps, partials: Partials, { permit }: OpenRequest, upload: Upload) {
  const { bucketName, objectName } = upload.metadata ?? {};
  const terms = await permit?.terms(`${bucketName ?? ''}/${objectName ?? ''}`);
  const metadata = { ...upload.metadata, owner: terms?.owner ?? null, upsert: String(terms?.upsert === true) };
  const plan = await planOf(deps, metadata);
  await checkPermit(deps, permit, plan, upload.size);
  if ((upload.size ?? 0) > plan.maxBytes) throw new StorageError('EntityTooLarge', 'Maximum size exceeded');
  await partials.requireRoom(upload.size ?? 0);
  // Should its last byte come and nobody ask for it again, its bytes go with their day.
  await noteVersion(deps, partials.versionOf(upload.id));
  return { metadata };
}

/**
 * An object with the name is no refusal where this upload may be the same once more; that is decided at its last byte.
 */
async function checkPermit(deps: StorageDeps, permit: Permit | undefined, plan: UploadPlan, size: number | undefined) {
  await permit?.check(plan, size).catch(async (error: unknown) => {
    if (!isDuplicate(error) || !(await mayRepeat(deps, plan, size))) throw error;
  });
}

/**
 * A key may have ended since the upload began; and an upload whose last step failed is finished by the next question.
 */
async function goOn(deps: StorageDeps, partials: Partials, open: OpenRequest, method: string, id: string) {
  // The library asks here about new ones too, which `admit` has looked at.
  if (method === 'POST') return;
  const upload = await partials.datastore.getUpload(id);
  const plan = await planOf(deps, upload.metadata);
  await checkPermit(deps, open.permit, plan, upload.size);
  if (method === 'PATCH') await partials.requireRoom(0);
  if (upload.size !== undefined && upload.offset === upload.size) {
    // Its bytes are an object's by now, or about to be.
    if (method === 'DELETE') throw new StorageError('InvalidRequest', 'The upload is complete');
    await finish(deps, partials, open, upload);
  }
}

async function finish(deps: StorageDeps, partials: Partials, { finished, permit }: OpenRequest, upload: Upload) {
  const plan = await planOf(deps, upload.metadata);
  const version = partials.versionOf(upload.id);
  const size = upload.size ?? upload.offset;
  await finishUpload(deps, partials, { version, size, plan, network: permit?.network });
  finished.add(version);
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
    isDiskFull(error) ? new StorageError('InsufficientStorage', undefined, { cause: error }) : error,
  );
  if (known.code === 'InternalError') log.error({ cause: error.message }, 'resumable upload failed');
  return { status_code: Number(known.body.statusCode), body: known.message };
}

/**
 * While a request waited, another one finished the upload: 409 and 423 let clients ask again, 404 makes them give up.
 */
async function finishedMeanwhile(
  deps: StorageDeps,
  { method, url }: Readonly<{ method: string; url: string }>,
  error: Error | { status_code: number; body: string },
) {
  const version = versionOf(new URL(url).pathname.split('/').at(-1) ?? '');
  if (!['PATCH', 'HEAD'].includes(method) || version === undefined) return undefined;
  if (!('status_code' in error) || ![404, 410].includes(error.status_code)) return undefined;
  if ((await finishedBytes(deps, version)) === undefined) return undefined;
  return { status_code: method === 'PATCH' ? 409 : 423, body: 'The upload has just been completed' };
}

/** `bucketName <base64>,objectName <base64>`: checked before by the library. */
function announced(header: string | null): Record<string, string> {
  const pairs = (header ?? '').split(',').map((pair) => pair.trim().split(' '));
  return Object.fromEntries(pairs.map(([key = '', value = '']) => [key, Buffer.from(value, 'base64').toString()]));
}
