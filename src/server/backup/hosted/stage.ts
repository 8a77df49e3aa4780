import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import { createSecretBox, fullName, qualified, quoted, type Snapshot } from '#backend/maintenance.ts';
import { MoveFault } from './faults.ts';
import { list, staged, type MovedTable } from './moved-table.ts';
import type { Queries } from './queries.ts';
import type { Target } from './target.ts';

/** Brings the rows into temporary tables of the target's session, where everything else is done by SQL. */
export async function stageRows(
  snapshot: Snapshot,
  { db, client }: Target,
  tables: readonly MovedTable[],
  signal: AbortSignal,
): Promise<void> {
  for (const [place, table] of tables.entries()) {
    await checkColumns(db, table);
    const columns = list(table.columns);
    const read = table.columns.map((column) => table.read[column] ?? quoted(column)).join(', ');
    await db.query(`drop table if exists ${staged(place)}`);
    await db.query(`create temp table moving_${place} as select ${columns} from ${qualified(table)} with no data`);
    const rows = snapshot.copyAnswer(`select ${read} from ${qualified(table)} where ${table.rows}`);
    const into = client.query(from(`copy ${staged(place)} (${columns}) from stdin`));
    await pipeline(rows, into, { signal });
    if (fullName(table) === 'auth.mfa_factors') await openSecrets(snapshot, db, staged(place));
    await db.query(`analyze ${staged(place)}`);
  }
}

async function checkColumns(db: Queries, table: MovedTable): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    `select a.attname as name from pg_attribute as a where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped`,
    [qualified(table)],
  );
  const there = new Set(rows.map(({ name }) => name));
  const missing = [...table.columns, ...Object.keys(table.given)].filter((name) => !there.has(name));
  if (missing.length > 0) throw new MoveFault('columns_missing', `${fullName(table)} (${missing.join(', ')})`);
}

/**
 * Secrets of authenticator apps are sealed under this installation's key, which nobody else has. Upstream takes them as they
 * are and seals them with its own, where it is told to.
 */
async function openSecrets(snapshot: Snapshot, db: Queries, table: string): Promise<void> {
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
