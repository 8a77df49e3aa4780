import type { Database } from '#backend/index.ts';
import type { Env } from '../env.ts';

/** Writes which roles require a second factor to where row-level security reads it. */
export async function applyAccountSettings(database: Database, env: Env): Promise<void> {
  await database.asOwner(async (tx) => {
    // Another project's folder (SUPABASE_DIR) has no such settings.
    const known = await tx.query(
      `select where_it_is from to_regprocedure('private.require_second_factor(text[])') as where_it_is`,
    );
    if (known.rows[0]?.['where_it_is'] === null) return;
    await tx.query('select private.require_second_factor($1)', [env.MFA_REQUIRED_ROLES]);
  });
}
