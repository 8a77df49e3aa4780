import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS, type Locker, Metadata, type Upload } from '@tus/utils';
import { isDiskFull } from '#lib/error-code.ts';
import type { StorageDeps } from '../deps.ts';
import { isBeyondQuota, isDuplicate, StorageError } from '../errors.ts';
import { describeError, toStorageError } from '../render-error.ts';
import { DirectServer } from './direct-body.ts';
import { findFinishedSize, finishUpload, findRepeated } from './finish.ts';
import { createDatabaseLocker } from './locks.ts';
import { abandonVersion, registerVersion } from '../unclaimed-files.ts';
import { type Permit, planUpload, toCacheControl, type UploadPlan } from './plan.ts';
import { findEarlierUploads, releaseUpload, reserveUpload } from './reservations.ts';

/** The request that a hook of the library is called for; `address` is the base of the uploads' URLs. */
type TusRequest = Readonly<{ permit: Permit | undefined; address: string }>;

/** `ended`: the versions that became objects in this request, or never will. */
type OpenRequest = TusRequest & Readonly<{ ended: Set<string> }>;

/** The tus library with names, permissions and limits of this service; its last byte makes the object. */
export function createTusServer(deps: StorageDeps) {
  const { partials } = deps;
  const current = new AsyncLocalStorage<OpenRequest>();
  const getOpenRequest = (): OpenRequest => {
    const request = current.getStore();
    if (request === undefined) throw new Error('outside of a request');
    return request;
  };
  const locker = createDatabaseLocker(deps);
  const server = new DirectServer({
    path: '/storage/v1/upload/resumable',
    datastore: partials.datastore,
    locker,
    maxSize: deps.config.storage.file_size_limit,
    namingFunction: () => partials.toId(randomUUID()),
    getFileIdFromRequest: (_request, last) => {
      const version = decodeAddress(last ?? '');
      return version === undefined ? undefined : partials.toId(version);
    },
    generateUrl: (request, { id }) => {
      const { bucketName, objectName } = Metadata.parse(request.headers.get('upload-metadata') ?? undefined);
      return `${getOpenRequest().address}/${encodeAddress(bucketName ?? '', objectName ?? '', partials.toVersion(id))}`;
    },
    onUploadCreate: (_request, upload) => withPlainErrors(() => admitUpload(deps, locker, getOpenRequest(), upload)),
    onIncomingRequest: (request, id) =>
      withPlainErrors(() => checkContinuation(deps, getOpenRequest(), request.method, id)),
    onUploadFinish: (_request, upload) => withPlainErrors(() => finish(deps, getOpenRequest(), upload)),
    onResponseError: (request, error) => answerError(deps, request, error),
  });
  adaptLibrary(deps, server, getOpenRequest);
  return async (request: IncomingMessage, response: ServerResponse, about: TusRequest): Promise<void> => {
    const open = { ...about, ended: new Set<string>() };
    const handle = partials.takesBodies && DirectServer.accepts(request) ? 'handleDirectly' : 'handle';
    await current.run(open, () => server[handle](request, response));
    // A GET sends the bytes after the library knows the answer.
    await forgetUploads(deps, open.ended);
  };
}

function adaptLibrary(deps: StorageDeps, server: DirectServer, getOpenRequest: () => OpenRequest): void {
  hideServerMetadata(server);
  endUncreatedUploads(deps, getOpenRequest);
  releaseEndedUploads(deps, server);
  forgetEndedUploads(deps, server, getOpenRequest);
}

/**
 * The library reads its notes once more after the last byte, so they stay until it knows the answer; that the answer is
 * sent it never says where the client has gone.
 */
function forgetEndedUploads(deps: StorageDeps, server: DirectServer, getOpenRequest: () => OpenRequest): void {
  const { HEAD, PATCH, POST } = server.handlers;
  for (const handler of [HEAD, PATCH, POST]) {
    const send = handler.send.bind(handler);
    handler.send = async (...request) => {
      try {
        return await send(...request);
      } finally {
        await forgetUploads(deps, getOpenRequest().ended);
      }
    };
  }
}

async function forgetUploads({ partials, log }: StorageDeps, versions: Set<string>): Promise<void> {
  for (const version of versions) {
    versions.delete(version);
    await partials.forget(version).catch(() => log.warn({ version }, 'metadata of an upload not removed'));
  }
}

/** Shows a client its own metadata alone: the library keeps `owner` and `upsert` of the server with them. */
function hideServerMetadata({ handlers: { HEAD: head } }: DirectServer): void {
  const send = head.send.bind(head);
  head.send = async (...request) => {
    const answer = await send(...request);
    const pairs = (answer.headers.get('upload-metadata') ?? '').split(',');
    answer.headers.set('upload-metadata', pairs.filter((pair) => !/^(?:owner|upsert)(?: |$)/.test(pair)).join(','));
    return answer;
  };
}

/** An upload counts before its files are there: where these cannot be created, or may no longer be, neither stays. */
function endUncreatedUploads(deps: StorageDeps, getOpenRequest: () => OpenRequest): void {
  const { datastore, toVersion } = deps.partials;
  const create = datastore.create.bind(datastore);
  datastore.create = async (upload) => {
    try {
      const created = await create(upload);
      // An erasure may have looked for files of unfinished uploads after this one was admitted.
      const recheck = async (): Promise<void> =>
        checkPermit(deps, getOpenRequest().permit, await planUpload(deps, upload.metadata), upload.size);
      await withPlainErrors(recheck);
      return created;
    } catch (error) {
      const version = toVersion(upload.id);
      await endUpload(deps, version).catch(() => deps.log.warn({ version }, 'unfinished upload not removed'));
      throw error;
    }
  };
}

/** Removes what there is of an unfinished upload. The caller holds its lock. */
async function endUpload(deps: StorageDeps, version: string): Promise<void> {
  await deps.partials.remove(version);
  await abandonVersion(deps, version);
  await releaseUpload(deps, version);
}

/** An upload that its client ends is taken off the quota before the client gets its answer. */
function releaseEndedUploads(deps: StorageDeps, { handlers: { DELETE: end } }: DirectServer): void {
  const send = end.send.bind(end);
  end.send = async (request, ...rest) => {
    const version = decodeAddress(new URL(request.url).pathname.split('/').at(-1) ?? '');
    const release = async (): Promise<void> => {
      if (version !== undefined) await releaseUpload(deps, version);
    };
    const answer = await send(request, ...rest).catch(async (error: unknown) => {
      // An earlier request may have failed after it removed the bytes.
      if (error === ERRORS.FILE_NOT_FOUND || error === ERRORS.FILE_NO_LONGER_EXISTS) await release();
      throw error;
    });
    await release();
    return answer;
  };
}

async function admitUpload(deps: StorageDeps, locker: Locker, { permit }: OpenRequest, upload: Upload) {
  const { partials } = deps;
  const { bucketName, objectName, cacheControl } = upload.metadata ?? {};
  const terms = await permit?.getTerms(`${bucketName ?? ''}/${objectName ?? ''}`);
  const own = { owner: terms?.owner ?? null, upsert: String(terms?.upsert === true) };
  const metadata = { ...upload.metadata, cacheControl: toCacheControl(cacheControl), ...own };
  const plan = await planUpload(deps, metadata);
  await checkPermit(deps, permit, plan, upload.size);
  if ((upload.size ?? 0) > plan.maxBytes) throw new StorageError('EntityTooLarge', 'Maximum size exceeded');
  await partials.requireSpace(upload.size ?? 0);
  // The sweep removes the bytes where the last step fails and the client does not return.
  const version = partials.toVersion(upload.id);
  await registerVersion(deps, version);
  const beginning = { version, plan, size: upload.size, network: permit?.network };
  await reserveUpload(deps, beginning).catch(async (error: unknown) => {
    // A client that lost its connection begins again: its earlier attempt gives way before it is refused.
    if (!isBeyondQuota(error) || !(await endEarlierUploads(deps, locker, plan))) throw error;
    await reserveUpload(deps, beginning);
  });
  return { metadata };
}

/** Removes unfinished uploads of the same owner to the same name. Returns whether there were any. */
async function endEarlierUploads(deps: StorageDeps, locker: Locker, plan: UploadPlan): Promise<boolean> {
  const versions = await findEarlierUploads(deps, plan);
  for (const version of versions) {
    const lock = locker.newLock(deps.partials.toId(version));
    await lock.lock(new AbortController().signal, () => undefined);
    try {
      await endUpload(deps, version);
    } finally {
      await lock.unlock();
    }
  }
  return versions.length > 0;
}

/** Accepts an existing object where this upload may repeat it, which the last byte decides. */
async function checkPermit(deps: StorageDeps, permit: Permit | undefined, plan: UploadPlan, size: number | undefined) {
  await permit?.check(plan, size).catch(async (error: unknown) => {
    if (!isDuplicate(error) || (await findRepeated(deps, plan, size)) === undefined) throw error;
  });
}

/** Checks the permission again, as a key may have expired, and finishes an upload whose last step failed before. */
async function checkContinuation(deps: StorageDeps, open: OpenRequest, method: string, id: string) {
  const { partials } = deps;
  // `admitUpload` checks new uploads.
  if (method === 'POST') return;
  const upload = await partials.datastore.getUpload(id);
  const checkRights = async (): Promise<void> =>
    checkPermit(deps, open.permit, await planUpload(deps, upload.metadata), upload.size);
  // The first byte of a part waits for both.
  await Promise.all([checkRights(), method === 'PATCH' && partials.requireSpace(0)]);
  if (upload.size !== undefined && upload.offset === upload.size) {
    // Its bytes belong to an object, or will in a moment.
    if (method === 'DELETE') throw new StorageError('InvalidRequest', 'The upload is complete');
    await finish(deps, open, upload);
  }
}

async function finish(deps: StorageDeps, { ended, permit }: OpenRequest, upload: Upload) {
  const plan = await planUpload(deps, upload.metadata);
  const version = deps.partials.toVersion(upload.id);
  const size = upload.size ?? upload.offset;
  await finishUpload(deps, { version, size, plan, network: permit?.network }).catch(async (error: unknown) => {
    if (!refusesContent(error)) throw error;
    await abandonVersion(deps, version);
    await releaseUpload(deps, version);
    ended.add(version);
    throw error;
  });
  ended.add(version);
  return { headers: { 'tus-complete': '1' } };
}

/** No later attempt can succeed with these bytes, so they need not wait for one. */
function refusesContent(error: unknown): boolean {
  return error instanceof StorageError && (error.code === 'InvalidMimeType' || error.code === 'EntityTooLarge');
}

/** Turns errors into those of the library, which answers `status_code` and a plain-text `body`. */
async function withPlainErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'status_code' in error) throw error;
    const known = toStorageError(error);
    throw Object.assign(new Error(known.message, { cause: error }), {
      status_code: Number(known.body.statusCode),
      body: known.message,
    });
  }
}

type TusError = Error | { status_code: number; body: string };
type FailedRequest = Readonly<{ method: string; url: string }>;

/** Never rejects, because the library would not answer at all; 404 would make clients give up. */
function answerError(deps: StorageDeps, request: FailedRequest, error: TusError) {
  return answerFinishedMeanwhile(deps, request, error).then(
    (answer) => answer ?? renderTusError(deps, error),
    (failure: Error) => renderTusError(deps, failure),
  );
}

function renderTusError({ log }: StorageDeps, error: TusError) {
  if ('status_code' in error) {
    // A hook's: `withPlainErrors` kept what went wrong.
    if (error instanceof Error && error.status_code >= 500)
      log[error.status_code === 500 ? 'error' : 'warn'](
        { cause: describeError(error.cause) },
        'resumable upload failed',
      );
    return undefined;
  }
  const known = toStorageError(
    isDiskFull(error) ? new StorageError('InsufficientStorage', undefined, { cause: error }) : error,
  );
  if (known.code === 'InternalError') log.error({ cause: describeError(error) }, 'resumable upload failed');
  return { status_code: Number(known.body.statusCode), body: known.message };
}

/** Another request finished the upload meanwhile: at 409 and 423 clients ask again, at 404 they give up. */
async function answerFinishedMeanwhile(deps: StorageDeps, { method, url }: FailedRequest, error: TusError) {
  const version = decodeAddress(new URL(url).pathname.split('/').at(-1) ?? '');
  if (!['PATCH', 'HEAD'].includes(method) || version === undefined) return undefined;
  if (!('status_code' in error) || ![404, 410].includes(error.status_code)) return undefined;
  if ((await findFinishedSize(deps, version)) === undefined) return undefined;
  return { status_code: method === 'PATCH' ? 409 : 423, body: 'The upload has just been completed' };
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Last part of an upload's URL: base64url of `bucket/object/version` (supabase-contract §3.3). */
export function encodeAddress(bucket: string, name: string, version: string): string {
  return Buffer.from(`${bucket}/${name}/${version}`).toString('base64url');
}

/** Returns the version; undefined for an invalid address. */
export function decodeAddress(address: string): string | undefined {
  const version = Buffer.from(address, 'base64url').toString().split('/').at(-1) ?? '';
  return UUID.test(version) ? version : undefined;
}
