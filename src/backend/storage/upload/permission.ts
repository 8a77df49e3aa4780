import type { CallerContext, Database } from '../../database/index.ts';
import { ownerColumns } from '../owner.ts';

/** The row that will be written, as far as it is known before the bytes. */
export type PlannedObject = Readonly<{
  bucket: string;
  name: string;
  owner: string | undefined;
  upsert: boolean;
  metadata: Readonly<{ mimetype?: string | undefined; contentLength?: number | undefined }>;
  userMetadata: Record<string, unknown> | undefined;
}>;

const INSERT = `insert into storage.objects (bucket_id, name, owner, owner_id, metadata, user_metadata, version)
  values ($1, $2, $3, $4, $5, $6, '1')`;
const OVERWRITE = `on conflict (bucket_id, name) do update set owner = excluded.owner, owner_id = excluded.owner_id,
  metadata = excluded.metadata, user_metadata = excluded.user_metadata, version = excluded.version`;

const ALLOWED = Symbol('allowed');

/**
 * Tries the write in the caller's name and takes it back: row-level security decides before the first byte is read.
 * Throws what PostgreSQL says (42501, 23505, 23503).
 */
export async function tryWrite(database: Database, context: CallerContext, planned: PlannedObject): Promise<void> {
  const owner = ownerColumns(planned.owner);
  const values = [
    planned.bucket,
    planned.name,
    owner.uuid,
    owner.text,
    JSON.stringify(planned.metadata),
    planned.userMetadata === undefined ? null : JSON.stringify(planned.userMetadata),
  ];
  try {
    await database.asCaller(context, async (tx) => {
      await tx.query(planned.upsert ? `${INSERT} ${OVERWRITE}` : INSERT, values);
      // Only a throw rolls back.
      throw ALLOWED;
    });
  } catch (outcome) {
    if (outcome !== ALLOWED) throw outcome;
  }
}
