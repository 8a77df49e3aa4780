import type { Database } from '#backend/index.ts';
import type { Env } from './env.ts';

/** Writes the operator's settings for contributions and files to where row-level security reads them (D9, D11). */
export async function applyContributionSettings(database: Database, env: Env): Promise<void> {
  await database.asOwner(async (tx) => {
    // Another project's folder (SUPABASE_DIR) has no such settings.
    const known = await tx.query(
      `select where_it_is from to_regprocedure('private.configure(text, jsonb)') as where_it_is`,
    );
    if (known.rows[0]?.['where_it_is'] === null) return;
    await tx.query(`select private.configure('open_contributions', to_jsonb($1::boolean))`, [env.OPEN_CONTRIBUTIONS]);
    await tx.query('select private.configure_contribution_limits($1)', [JSON.stringify(getContributionLimits(env))]);
    await tx.query('select private.configure_uploads($1, $2, $3, $4)', [
      env.UPLOAD_QUOTA_FILES,
      env.UPLOAD_QUOTA_BYTES,
      env.UPLOAD_QUOTA_NETWORK_FILES,
      env.UPLOAD_QUOTA_NETWORK_BYTES,
    ]);
    await tx.query(`update storage.buckets set public = $1 where id = 'Media'`, [env.MEDIA_BUCKET_PUBLIC]);
  });
}

function getContributionLimits(env: Env): Readonly<Record<string, number>> {
  return {
    contributions_per_hour: env.CONTRIBUTIONS_PER_HOUR,
    rows_per_hour: env.CONTRIBUTION_ROWS_PER_HOUR,
    characters_per_hour: env.CONTRIBUTION_CHARACTERS_PER_HOUR,
    files: env.LIMIT_FILES,
    turns: env.LIMIT_TURNS,
    feedback: env.LIMIT_FEEDBACK,
    transcript_characters: env.LIMIT_TRANSCRIPT_CHARACTERS,
    turn_characters: env.LIMIT_TURN_CHARACTERS,
    answer_characters: env.LIMIT_ANSWER_CHARACTERS,
  };
}

/** Writes the roles that require a second factor to where row-level security reads them. */
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
