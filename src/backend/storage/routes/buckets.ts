import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  BUCKET_COLUMNS,
  BucketSettingsSchema,
  findBucket,
  parseBucketSettings,
  presentBucket,
  type Bucket,
} from '../bucket.ts';
import { buildContext, getOwner, requireCaller, toOwnerColumns } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { isBrokenReference, isDuplicate, parseInput, StorageError } from '../errors.ts';
import { checkBucketName } from '../names.ts';
import { storageRoute, type StorageRoute } from '../route.ts';
import { removeUnclaimed } from '../unclaimed-files.ts';

type Request = FastifyRequest<{ Params: { bucket: string } }>;

const ListQuery = z.object({
  limit: z.number().int().min(1).max(10_000).optional(),
  offset: z.number().int().min(0).max(1_000_000_000).optional(),
  sortColumn: z.enum(['id', 'name', 'created_at', 'updated_at']).default('name'),
  sortOrder: z.enum(['asc', 'desc']).default('asc'),
  search: z.string().default(''),
});

/** Lists the buckets that the caller may see. `search` matches anywhere in the name, without wildcards. */
async function listBuckets({ database, keys }: StorageDeps, request: FastifyRequest) {
  const caller = await requireCaller(request, keys);
  const query = parseInput(ListQuery, request.query, 'querystring');
  const context = { ...buildContext(request, caller, 'storage.bucket.list'), readOnly: true };
  const sql = `select ${BUCKET_COLUMNS} from storage.buckets where strpos(lower(name), lower($1)) > 0
    order by ${query.sortColumn} ${query.sortOrder}, id limit $2 offset $3`;
  const values = [query.search, query.limit ?? null, query.offset ?? 0];
  const result = await database.asCaller(context, (tx) => tx.query<Bucket>(sql, values));
  return result.rows.map((bucket) => ({ ...presentBucket(bucket), type: bucket.type }));
}

async function getBucket({ database, keys }: StorageDeps, request: Request) {
  const caller = await requireCaller(request, keys);
  const context = buildContext(request, caller, 'storage.bucket.get');
  return presentBucket(await findBucket(database, context, request.params.bucket));
}

const CreateBody = BucketSettingsSchema.extend({ name: z.string(), id: z.string().optional() });

const INSERT = `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types, owner, owner_id)
  values ($1, $2, $3, $4, $5, $6, $7)`;

async function createBucket({ database, keys, config }: StorageDeps, request: FastifyRequest) {
  const caller = await requireCaller(request, keys);
  const body = parseInput(CreateBody, request.body, 'body');
  const name = checkBucketName(body.name);
  const id = checkBucketName(body.id ?? name);
  const settings = parseBucketSettings(body, config.storage.file_size_limit);
  const owner = toOwnerColumns(getOwner(caller));
  // prettier-ignore
  const values = [
    id, name, settings.public ?? false, settings.file_size_limit, settings.allowed_mime_types, owner.uuid, owner.text,
  ];
  try {
    await database.asCaller(buildContext(request, caller, 'storage.bucket.create'), (tx) => tx.query(INSERT, values));
  } catch (error) {
    throw isDuplicate(error) ? new StorageError('BucketAlreadyExists', undefined, { cause: error }) : error;
  }
  return { name };
}

/** Changes only the settings that the body names. */
async function updateBucket({ database, keys, config }: StorageDeps, request: Request) {
  const caller = await requireCaller(request, keys);
  const body = parseInput(BucketSettingsSchema, request.body, 'body');
  const settings = parseBucketSettings(body, config.storage.file_size_limit);
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw new StorageError('InvalidRequest', 'No content provided');
  const assignments = given.map(([column], index) => `${column} = $${index + 2}`).join(', ');
  const sql = `update storage.buckets set ${assignments}, updated_at = now() where id = $1 returning id`;
  const values = [checkBucketName(request.params.bucket), ...given.map(([, value]) => value)];
  const context = buildContext(request, caller, 'storage.bucket.update');
  const result = await database.asCaller(context, (tx) => tx.query(sql, values));
  if (result.rowCount === 0) throw new StorageError('NoSuchBucket');
  return { message: 'Successfully updated' };
}

/** Removes every object at once, for the service alone; upstream queues the work, the answer is the same. */
async function emptyBucket(deps: StorageDeps, request: Request) {
  const caller = await requireCaller(request, deps.keys);
  if (caller.role !== 'service_role') throw new StorageError('AccessDenied', 'Access denied: Invalid role', {}, 403);
  const context = buildContext(request, caller, 'storage.bucket.empty');
  const { id } = await findBucket(deps.database, context, request.params.bucket);
  await deps.database.asCaller(context, (tx) => tx.query('delete from storage.objects where bucket_id = $1', [id]));
  await removeUnclaimed(deps);
  return { message: 'Empty bucket has been queued. Completion may take up to an hour.' };
}

/** Deletes an empty bucket. */
async function deleteBucket({ database, keys }: StorageDeps, request: Request) {
  const caller = await requireCaller(request, keys);
  const context = buildContext(request, caller, 'storage.bucket.delete');
  const { id } = await findBucket(database, context, request.params.bucket);
  try {
    const sql = 'delete from storage.buckets where id = $1';
    const result = await database.asCaller(context, (tx) => tx.query(sql, [id]));
    if (result.rowCount === 0) throw new StorageError('NoSuchBucket');
  } catch (error) {
    throw isBrokenReference(error) ? new StorageError('ResourceNotEmpty', undefined, { cause: error }) : error;
  }
  return { message: 'Successfully deleted' };
}

/** /bucket: policies on storage.buckets decide about each request. */
export const BUCKET_ROUTES: readonly StorageRoute[] = [
  storageRoute({ method: 'GET', url: '/bucket' }, listBuckets),
  storageRoute({ method: 'POST', url: '/bucket', body: CreateBody }, createBucket),
  storageRoute({ method: 'GET', url: '/bucket/:bucket' }, getBucket),
  storageRoute({ method: 'PUT', url: '/bucket/:bucket', body: BucketSettingsSchema }, updateBucket),
  storageRoute({ method: 'POST', url: '/bucket/:bucket/empty' }, emptyBucket, 'service key'),
  storageRoute({ method: 'DELETE', url: '/bucket/:bucket' }, deleteBucket),
];
