import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { contextOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { afterPrefix } from '../names.ts';
import { parse } from '../parse.ts';
import type { Entry } from './list.ts';

const MAX_ENTRIES = 1_000;

const SortBy = z.object({
  column: z.enum(['name', 'updated_at', 'created_at']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
});
const Body = z.object({
  prefix: z.string().default(''),
  limit: z.number().int().min(1).default(MAX_ENTRIES),
  cursor: z.string().nullish(),
  with_delimiter: z.boolean().default(false),
  sortBy: SortBy.prefault({}),
});
/** Where the page before ended. It carries the order too, so that pages always fit together. */
const Cursor = SortBy.extend({
  name: z.string(),
  time: z.iso.datetime({ offset: true }).or(z.enum(['-infinity', 'infinity'])),
});
type Cursor = z.infer<typeof Cursor>;

type Row = Entry & Readonly<{ time: string }>;

/** POST /object/list-v2/{bucket}: pages by cursor, with folders (`with_delimiter`) or flat. Names are whole paths. */
export function listObjectsV2(app: FastifyInstance, { database, keys }: StorageDeps): void {
  app.post('/object/list-v2/:bucket', async (request: FastifyRequest<{ Params: { bucket: string } }>) => {
    const caller = await requireCaller(request, keys);
    const body = parse(Body, request.body, 'body');
    const cursor = body.cursor == null || body.cursor === '' ? undefined : decodeCursor(body.cursor);
    const { column, order } = cursor ?? body.sortBy;
    const end = body.prefix === '' ? undefined : afterPrefix(body.prefix);
    if (body.prefix !== '' && end === undefined) return { hasNext: false, folders: [], objects: [] };
    const limit = Math.min(body.limit, MAX_ENTRIES);
    const context = { ...contextOf(request, caller, 'storage.object.list_v2'), readOnly: true };
    // prettier-ignore
    const values = [
      request.params.bucket, body.prefix, end ?? null, body.with_delimiter,
      cursor?.time ?? null, cursor?.name ?? null, limit + 1,
    ];
    const result = await database.asCaller(context, (tx) => tx.query<Row>(query(column, order), values));
    return page(result.rows, limit, { column, order });
  });
}

/** A folder has no time: it comes before every file in either order. */
function query(column: Cursor['column'], order: Cursor['order']): string {
  const earliest = order === 'asc' ? `'-infinity'::timestamptz` : `'infinity'::timestamptz`;
  const time = column === 'name' ? earliest : column;
  return `with found as (
      select name, id, updated_at, created_at, last_accessed_at, metadata,
             case when $4::bool then strpos(substr(name, length($2) + 1), '/') else 0 end as slash
      from storage.objects
      where bucket_id = $1 and name collate "C" >= $2 and ($3::text is null or name collate "C" < $3)
    ), entries as (
      select left(name, length($2) + slash) as name, null::uuid as id, null::timestamptz as updated_at,
             null::timestamptz as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata,
             ${earliest} as time
      from found where slash > 0 group by 1
      union all
      select name, id, updated_at, created_at, last_accessed_at, metadata, ${time} from found where slash = 0
    )
    select name, id, updated_at, created_at, last_accessed_at, metadata,
           case when isfinite(time) then to_char(time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
             else time::text end as time
    from entries
    where $6::text is null or (time, name collate "C") ${order === 'asc' ? '>' : '<'} ($5::timestamptz, $6::text)
    order by entries.time ${order}, name collate "C" ${order} limit $7`;
}

function page(rows: readonly Row[], limit: number, sort: z.infer<typeof SortBy>): Record<string, unknown> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasNext = rows.length > limit;
  return {
    hasNext,
    ...(hasNext && last !== undefined
      ? { nextCursor: encodeCursor({ ...sort, name: last.name, time: last.time }) }
      : {}),
    folders: shown.filter((row) => row.id === null).map(({ name }) => ({ name, key: name.split('/').at(-2) ?? '' })),
    objects: shown.filter((row) => row.id !== null).map(({ time: _time, ...row }) => ({ ...row, key: row.name })),
  };
}

function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

function decodeCursor(text: string): Cursor {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch (cause) {
    throw new StorageError('InvalidRequest', 'Invalid Parameter cursor', { cause });
  }
}
