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

/** Throws OldDatabaseError. */
export async function requireVersion(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ number: string }>(`select current_setting('server_version_num') as number`);
  const version = Math.floor(Number(rows[0]?.number) / 10_000);
  if (version < LEAST_VERSION) throw new OldDatabaseError(version);
}
