import { pino } from 'pino';
import { makeFirstAccounts } from './accounts/index.ts';
import { readEnv } from './env.ts';
import { startServer } from './start.ts';

/** Service managers kill after 10 s and more. */
const STOP_MS = 9_000;

/** environment → app → listen → orderly stop */
try {
  const env = readEnv(process.env);
  const log = pino({ level: env.LOG_LEVEL });
  const giveUp = (): never => {
    log.fatal({ afterMs: STOP_MS }, 'stop incomplete, exiting');
    process.exit(1);
  };
  const server = await startServer(env, log, process.env);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      setTimeout(giveUp, STOP_MS).unref();
      void server.stop().then(() => process.exit(0));
    });
  }
  await makeFirstAccounts({ env, server, print: (text) => void process.stdout.write(text) });
  // Last, so that whoever waits for the address finds everything there.
  process.stdout.write(`\n  ${env.BRAND_PRODUCT}: ${env.PUBLIC_URL ?? server.url}\n\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
