import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Database } from '#backend/index.ts';

const EVERY_MS = 10 * 60_000;

/** Removes the hashed addresses of contributors whose hour has ended. Ends with the application. */
export function forgetNetworks(app: FastifyInstance, database: Database, log: FastifyBaseLogger): void {
  const timer = setInterval(() => {
    forget(database).catch((error: unknown) => {
      log.warn({ cause: error instanceof Error ? error.name : '' }, 'counts of addresses not removed');
    });
  }, EVERY_MS);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

async function forget(database: Database): Promise<void> {
  await database.asOwner(async (tx) => {
    // Another project's folder (SUPABASE_DIR) has no such function.
    const known = await tx.query(`select to_regprocedure('private.forget_networks()') is not null as known`);
    if (known.rows[0]?.['known'] === true) await tx.query('select private.forget_networks()');
  });
}
