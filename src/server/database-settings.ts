import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Database, Tx } from '#backend/index.ts';
import { describeCause } from '#lib/error-code.ts';
import type { Env } from './env.ts';

/** Stores the operator's settings where row-level security reads them (D9, D11). */
export async function applySettings(database: Database, env: Env): Promise<void> {
  await database.asOwner(async (tx) => {
    if (!(await hasFunction(tx, 'private.configure(text, jsonb)'))) return;
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
  await database.asOwner(async (tx) => {
    if (!(await hasFunction(tx, 'private.require_second_factor(text[])'))) return;
    await tx.query('select private.require_second_factor($1)', [env.MFA_REQUIRED_ROLES]);
  });
  await database.asOwner(async (tx) => {
    if (!(await hasFunction(tx, 'private.require_consent(text)'))) return;
    await tx.query('select private.require_consent($1)', [env.CONSENT_TEXT?.text ?? null]);
  });
}

/** The folder of another project (SUPABASE_DIR) has none of these functions. */
async function hasFunction(tx: Tx, signature: string): Promise<boolean> {
  const found = await tx.query('select to_regprocedure($1) is not null as known', [signature]);
  return found.rows[0]?.['known'] === true;
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

const EVERY_MS = 10 * 60_000;

/** Removes the hashed addresses of contributors after their hour, until the application closes. */
export function removeNetworkCounts(app: FastifyInstance, database: Database, log: FastifyBaseLogger): void {
  const timer = setInterval(() => {
    removeExpired(database).catch((error: unknown) => {
      log.warn({ cause: describeCause(error) }, 'network counts not removed');
    });
  }, EVERY_MS);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

async function removeExpired(database: Database): Promise<void> {
  await database.asOwner(async (tx) => {
    if (await hasFunction(tx, 'private.forget_networks()')) await tx.query('select private.forget_networks()');
  });
}
