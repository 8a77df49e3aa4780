import type pg from 'pg';

/** Roles that make other roles may use them since PostgreSQL 16, on which the migrations rely. */
const LEAST_VERSION = 16;

export class OldDatabaseError extends Error {
  readonly version: number;
  readonly least = LEAST_VERSION;
  constructor(version: number) {
    super(`PostgreSQL ${version} is too old: ${LEAST_VERSION} or later is needed`);
    this.name = 'OldDatabaseError';
    this.version = version;
  }
}

/** Throws OldDatabaseError, or an error with the SQLSTATE 22P05 where the database is not in UTF-8. */
export async function requireVersion(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ number: string; encoding: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_encoding') as encoding`,
  );
  const version = Math.floor(Number(rows[0]?.number) / 10_000);
  if (version < LEAST_VERSION) throw new OldDatabaseError(version);
  if (rows[0]?.encoding !== 'UTF8') throw Object.assign(new Error('The encoding has to be UTF8'), { code: '22P05' });
}
