import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Database } from '#backend/index.ts';
import { describeCause } from '#lib/error-code.ts';

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
    // Another project's folder (SUPABASE_DIR) has no such function.
    const known = await tx.query(`select to_regprocedure('private.forget_networks()') is not null as known`);
    if (known.rows[0]?.['known'] === true) await tx.query('select private.forget_networks()');
  });
}
