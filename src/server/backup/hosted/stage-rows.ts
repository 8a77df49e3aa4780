import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import { createSecretBox, formatName, qualifyName, quoteName, type Snapshot } from '#backend/maintenance.ts';
import { MoveError } from './errors.ts';
import { columnList, type MovedTable, stagingTable } from './tables.ts';
import type { Queries, Target } from './target.ts';

/** Copies the source's rows into temporary tables of the target's session; SQL does the rest there. */
export async function stageRows(
  snapshot: Snapshot,
  { db, client }: Target,
  tables: readonly MovedTable[],
  signal: AbortSignal,
): Promise<void> {
  for (const [place, table] of tables.entries()) {
    await checkColumns(db, table);
    const columns = columnList(table.columns);
    const read = table.columns.map((column) => table.read[column] ?? quoteName(column)).join(', ');
    await db.query(`drop table if exists ${stagingTable(place)}`);
    await db.query(`create temp table moving_${place} as select ${columns} from ${qualifyName(table)} with no data`);
    const rows = snapshot.copyAnswer(`select ${read} from ${qualifyName(table)} where ${table.rows}`);
    const into = client.query(from(`copy ${stagingTable(place)} (${columns}) from stdin`));
    await pipeline(rows, into, { signal });
    if (formatName(table) === 'auth.mfa_factors') await decryptSecrets(snapshot, db, stagingTable(place));
    await db.query(`analyze ${stagingTable(place)}`);
  }
}

async function checkColumns(db: Queries, table: MovedTable): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    `select a.attname as name from pg_attribute as a
      where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped`,
    [qualifyName(table)],
  );
  const there = new Set(rows.map(({ name }) => name));
  const missing = [...table.columns, ...Object.keys(table.given)].filter((name) => !there.has(name));
  if (missing.length > 0) throw new MoveError('columns_missing', `${formatName(table)} (${missing.join(', ')})`);
}

/**
 * Decrypts the secrets of authenticator apps, because only this installation has the key. Upstream reads plain secrets
 * and encrypts them with its own key where that is configured.
 */
async function decryptSecrets(snapshot: Snapshot, db: Queries, table: string): Promise<void> {
  const [keys] = await snapshot.rows<{ url: string }>(
    `select value ->> 'url' as url from _backend.secrets where name = 'keys'`,
  );
  if (keys === undefined) return;
  const box = createSecretBox(Buffer.from(keys.url, 'base64url'));
  const { rows } = await db.query<{ id: string; secret: string }>(
    `select id, secret from ${table} where factor_type = 'totp' and starts_with(secret, '{')`,
  );
  for (const { id, secret } of rows)
    await db.query(`update ${table} set secret = $2 where id = $1`, [id, box.open(id, secret)]);
}
