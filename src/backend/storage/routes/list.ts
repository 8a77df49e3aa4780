import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { buildContext, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { parseInput, StorageError } from '../errors.ts';
import { afterPrefix } from '../names.ts';
import { storageRoute, type StorageRoute } from '../route.ts';

type Request = FastifyRequest<{ Params: { bucket: string } }>;

const MAX_ENTRIES = 1_500;
const Order = z.enum(['asc', 'desc']).default('asc');

const FolderBody = z.object({
  prefix: z.string(),
  limit: z.number().int().min(1).default(100),
  offset: z.number().int().min(0).max(1_000_000_000).default(0),
  search: z.string().nullish(),
  sortBy: z
    .object({
      column: z.enum(['name', 'updated_at', 'created_at', 'last_accessed_at']).default('name'),
      order: Order,
    })
    .prefault({}),
});

/** A file, or a folder where `id` is null. */
type Entry = Readonly<{
  name: string;
  id: string | null;
  updated_at: Date | null;
  created_at: Date | null;
  last_accessed_at: Date | null;
  metadata: unknown;
}>;

const FILE = 'id, updated_at, created_at, last_accessed_at, metadata';
const FOLDER = `null::uuid as id, null::timestamptz as updated_at, null::timestamptz as created_at,
  null::timestamptz as last_accessed_at, null::jsonb as metadata`;
/** Names that begin with $2 in bucket $1; $3 bounds the range of the index. */
const WITH_PREFIX = `bucket_id = $1 and name collate "C" >= $2 and ($3::text is null or name collate "C" < $3)`;

/** Lists the files and folders of one level. */
async function listFolder({ database, keys }: StorageDeps, request: Request): Promise<Entry[]> {
  const caller = await requireCaller(request, keys);
  const { prefix, limit, offset, search, sortBy } = parseInput(FolderBody, request.body, 'body');
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const end = afterPrefix(folder);
  if (folder !== '' && end === undefined) return [];
  const start = search ?? '';
  const depth = start.split('/').length;
  const context = { ...buildContext(request, caller, 'storage.object.list'), readOnly: true };
  const page = [Math.min(limit, MAX_ENTRIES), offset];
  const values = [request.params.bucket, folder, end ?? null, start, depth, ...page];
  const result = await database.asCaller(context, (tx) => tx.query<Entry>(buildFolderQuery(sortBy), values));
  return result.rows;
}

/** $4 is the beginning of a name in the folder, upper and lower case alike, without wildcards. */
function buildFolderQuery(sortBy: z.infer<typeof FolderBody>['sortBy']): string {
  return `with found as (
      select string_to_array(substr(name, length($2) + 1), '/') as parts, ${FILE} from storage.objects
      where ${WITH_PREFIX} and starts_with(lower(substr(name, length($2) + 1)), lower($4))
    ), entries as (
      select array_to_string(parts[1:$5::int], '/') as name, ${FOLDER}
      from found where cardinality(parts) > $5::int group by 1
      union all
      select array_to_string(parts, '/'), ${FILE} from found where cardinality(parts) = $5::int
    )
    select * from entries order by ${buildOrder(sortBy)} limit $6 offset $7`;
}

/** Sorted by name, folders stand among files; by time, folders come first, as they have none. */
function buildOrder({ column, order }: z.infer<typeof FolderBody>['sortBy']): string {
  const byName = `lower(name) collate "C" ${order}, name collate "C" ${order}`;
  return column === 'name' ? byName : `(id is not null), ${column} ${order}, ${byName}`;
}

const MAX_PAGE = 1_000;

const SortBy = z.object({ column: z.enum(['name', 'updated_at', 'created_at']).default('name'), order: Order });
const PageBody = z.object({
  prefix: z.string().default(''),
  limit: z.number().int().min(1).default(MAX_PAGE),
  cursor: z.string().nullish(),
  with_delimiter: z.boolean().default(false),
  sortBy: SortBy.prefault({}),
});
/** The last entry of a page, and the order, so that all pages of a list have the same one. */
const Cursor = SortBy.extend({
  name: z.string(),
  time: z.iso.datetime({ offset: true }).or(z.enum(['-infinity', 'infinity'])),
});
type Cursor = z.infer<typeof Cursor>;

type Row = Entry & Readonly<{ time: string }>;

/** Lists whole paths in pages by cursor, with folders (`with_delimiter`) or flat. */
async function listPage({ database, keys }: StorageDeps, request: Request): Promise<Record<string, unknown>> {
  const caller = await requireCaller(request, keys);
  const body = parseInput(PageBody, request.body, 'body');
  const cursor = body.cursor == null || body.cursor === '' ? undefined : decodeCursor(body.cursor);
  const { column, order } = cursor ?? body.sortBy;
  const end = afterPrefix(body.prefix);
  if (body.prefix !== '' && end === undefined) return { hasNext: false, folders: [], objects: [] };
  const limit = Math.min(body.limit, MAX_PAGE);
  const context = { ...buildContext(request, caller, 'storage.object.list_v2'), readOnly: true };
  // prettier-ignore
  const values = [
    request.params.bucket, body.prefix, end ?? null, body.with_delimiter,
    cursor?.time ?? null, cursor?.name ?? null, limit + 1,
  ];
  const result = await database.asCaller(context, (tx) => tx.query<Row>(buildPageQuery(column, order), values));
  return presentPage(result.rows, limit, { column, order });
}

/** By either time, a folder is as old as its first file. */
function buildPageQuery(column: Cursor['column'], order: Cursor['order']): string {
  const earliest = order === 'asc' ? `'-infinity'::timestamptz` : `'infinity'::timestamptz`;
  const [time, folderTime] = column === 'name' ? [earliest, earliest] : [column, 'min(created_at)'];
  return `with found as (
      select name, ${FILE},
             case when $4::bool then strpos(substr(name, length($2) + 1), '/') else 0 end as slash
      from storage.objects where ${WITH_PREFIX}
    ), entries as (
      select left(name, length($2) + slash) as name, ${FOLDER}, ${folderTime} as time
      from found where slash > 0 group by 1
      union all
      select name, ${FILE}, ${time} from found where slash = 0
    )
    select name, ${FILE},
           case when isfinite(time) then to_char(time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
             else time::text end as time
    from entries
    where $6::text is null or (time, name collate "C") ${order === 'asc' ? '>' : '<'} ($5::timestamptz, $6::text)
    order by entries.time ${order}, name collate "C" ${order} limit $7`;
}

function presentPage(rows: readonly Row[], limit: number, sort: z.infer<typeof SortBy>): Record<string, unknown> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasNext = rows.length > limit;
  return {
    hasNext,
    ...(hasNext && last !== undefined ? presentNext(last, sort) : {}),
    folders: shown.filter((row) => row.id === null).map(({ name }) => ({ name, key: name.split('/').at(-2) ?? '' })),
    objects: shown.filter((row) => row.id !== null).map(({ time: _time, ...row }) => ({ ...row, key: row.name })),
  };
}

function presentNext({ id, name, time }: Row, sort: z.infer<typeof SortBy>): Record<string, string> {
  const nextCursorKey = id === null ? name.slice(0, -1) : name;
  return { nextCursor: Buffer.from(JSON.stringify({ ...sort, name, time })).toString('base64url'), nextCursorKey };
}

function decodeCursor(text: string): Cursor {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch (cause) {
    throw new StorageError('InvalidRequest', 'Invalid Parameter cursor', { cause });
  }
}

/** A hidden or missing bucket is empty. */
export const LIST_ROUTES: readonly StorageRoute[] = [
  storageRoute({ method: 'POST', url: '/object/list/:bucket', body: FolderBody }, listFolder),
  storageRoute({ method: 'POST', url: '/object/list-v2/:bucket', body: PageBody }, listPage),
];
