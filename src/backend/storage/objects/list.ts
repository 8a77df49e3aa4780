import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { contextOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { afterPrefix } from '../names.ts';
import { parse } from '../parse.ts';

const MAX_ENTRIES = 1_500;

const Body = z.object({
  prefix: z.string(),
  limit: z.number().int().min(1).default(100),
  offset: z.number().int().min(0).max(1_000_000_000).default(0),
  search: z.string().nullish(),
  sortBy: z
    .object({
      column: z.enum(['name', 'updated_at', 'created_at', 'last_accessed_at']).default('name'),
      order: z.enum(['asc', 'desc']).default('asc'),
    })
    .prefault({}),
});
type Listing = z.infer<typeof Body>;

export type Entry = Readonly<{
  name: string;
  id: string | null;
  updated_at: Date | null;
  created_at: Date | null;
  last_accessed_at: Date | null;
  metadata: unknown;
}>;

/** POST /object/list/{bucket}: one folder level, files and folders. A hidden or missing bucket is empty. */
export function listObjects(app: FastifyInstance, { database, keys }: StorageDeps): void {
  app.post('/object/list/:bucket', async (request: FastifyRequest<{ Params: { bucket: string } }>) => {
    const caller = await requireCaller(request, keys);
    const listing = parse(Body, request.body, 'body');
    const folder = listing.prefix === '' || listing.prefix.endsWith('/') ? listing.prefix : `${listing.prefix}/`;
    const end = folder === '' ? undefined : afterPrefix(folder);
    if (folder !== '' && end === undefined) return [];
    const search = listing.search ?? '';
    const depth = search.split('/').length;
    const context = { ...contextOf(request, caller, 'storage.object.list'), readOnly: true };
    const values = [
      request.params.bucket,
      folder,
      end ?? null,
      search,
      depth,
      Math.min(listing.limit, MAX_ENTRIES),
      listing.offset,
    ];
    const result = await database.asCaller(context, (tx) => tx.query<Entry>(query(listing), values));
    return result.rows;
  });
}

/** `search` is the beginning of a name in the folder, letter by letter, upper and lower case alike. */
function query({ sortBy }: Listing): string {
  return `with found as (
      select string_to_array(substr(name, length($2) + 1), '/') as parts,
             id, updated_at, created_at, last_accessed_at, metadata
      from storage.objects
      where bucket_id = $1 and name collate "C" >= $2 and ($3::text is null or name collate "C" < $3)
        and starts_with(lower(substr(name, length($2) + 1)), lower($4))
    ), entries as (
      select array_to_string(parts[1:$5::int], '/') as name, null::uuid as id, null::timestamptz as updated_at,
             null::timestamptz as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata
      from found where cardinality(parts) > $5::int group by 1
      union all
      select array_to_string(parts, '/'), id, updated_at, created_at, last_accessed_at, metadata
      from found where cardinality(parts) = $5::int
    )
    select * from entries order by ${orderOf(sortBy)} limit $6 offset $7`;
}

/** By name, folders and files mingle; by time, folders, which have none, come first. */
function orderOf({ column, order }: Listing['sortBy']): string {
  const byName = `lower(name) collate "C" ${order}, name collate "C" ${order}`;
  return column === 'name' ? byName : `(id is not null), ${column} ${order}, ${byName}`;
}
