import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { contextOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { parse } from '../parse.ts';
import { BUCKET_COLUMNS, presentBucket, type Bucket } from './bucket.ts';

const Query = z.object({
  limit: z.coerce.number().int().min(1).max(10_000).optional(),
  offset: z.coerce.number().int().min(0).max(1_000_000_000).optional(),
  sortColumn: z.enum(['id', 'name', 'created_at', 'updated_at']).default('name'),
  sortOrder: z.enum(['asc', 'desc']).default('asc'),
  search: z.string().default(''),
});

/** GET /bucket: those the caller may see. `search` is looked for anywhere in the name, letter by letter. */
export function listBuckets(app: FastifyInstance, { database, keys }: StorageDeps): void {
  app.get('/bucket', async (request) => {
    const caller = await requireCaller(request, keys);
    const query = parse(Query, request.query, 'querystring');
    const context = { ...contextOf(request, caller, 'storage.bucket.list'), readOnly: true };
    const sql = `select ${BUCKET_COLUMNS} from storage.buckets where strpos(lower(name), lower($1)) > 0
      order by ${query.sortColumn} ${query.sortOrder}, id limit $2 offset $3`;
    const values = [query.search, query.limit ?? null, query.offset ?? 0];
    const result = await database.asCaller(context, (tx) => tx.query<Bucket>(sql, values));
    return result.rows.map((bucket) => ({ ...presentBucket(bucket), type: bucket.type }));
  });
}
