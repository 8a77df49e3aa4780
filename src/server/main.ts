import { flushCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { pino } from 'pino';
import { ClusterStartError } from '#backend/maintenance.ts';
import { describeFault } from '#lib/error-code.ts';
import { makeFirstAccounts } from './accounts/first-accounts.ts';
import { requireMigrations } from './data-folder.ts';
import { readEnv, type Env } from './env.ts';
import { describeTranscription } from './speech/index.ts';
import { describeStartError } from './start-error.ts';
import { startServer, type RunningServer } from './start.ts';
import { formatStartBlock, openStartScreen, type StartScreen } from './terminal.ts';

// Files, mails and first passwords are readable for the server's account only.
process.umask(0o077);

const STEPS = {
  database: 'Datenbank wird gestartet',
  migrations: 'Datenbank wird eingerichtet',
  services: 'Dienste werden gestartet',
} as const;

/** environment → app → listen → orderly stop */
async function main(env: Env, screen: StartScreen): Promise<void> {
  const log = screen.log === undefined ? pino({ level: env.LOG_LEVEL }) : pino({ level: env.LOG_LEVEL }, screen.log);
  let running: RunningServer | undefined;
  let accounts = '';
  const end = endProcess(log, env.STOP_TIMEOUT_S * 1_000, async () => running?.stop());
  catchUncaughtErrors(log, end);
  if (env.SUPABASE_URL === undefined) requireMigrations(env.SUPABASE_DIR);
  running = await startServer(env, log, process.env, {
    onStep: (step) => screen.step(STEPS[step]),
    prepare: (server) => {
      screen.step('Konten werden geprüft');
      return makeFirstAccounts({ env, server, print: (text) => void (accounts += text) });
    },
  });
  // A second signal, as of a terminal and of npm at once, must not cut the stop off.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(EXIT.stopped));
  void running.backend?.databaseFailed?.then((error) => {
    process.stderr.write(`${error.message}\n`);
    return end(EXIT.databaseFailed);
  });
  // Printed last, so a script that waits for the address can use everything.
  const transcription = await describeTranscription(env);
  screen.finish(formatStartBlock({ env, url: running.url, accounts, transcription }));
  // Kept for the next start, however this one ends (compile-cache.mjs).
  flushCompileCache();
}

/** Exit codes, as sysexits.h names them; 1 is a start or a stop that failed. */
const EXIT = { stopped: 0, failed: 1, databaseFailed: 69, uncaughtError: 70 } as const;

type Ending = (code: number) => Promise<never>;

/**
 * Stops in order and ends the process. A stop that takes longer than `stopMs` is cut off, with exit code 1 instead of
 * 0. Only the first call decides the code.
 */
function endProcess(log: FastifyBaseLogger, stopMs: number, stop: () => Promise<void>): Ending {
  const tryStop = async (): Promise<boolean> => {
    try {
      await stop();
      return true;
    } catch (error) {
      log.error(describeFault(error), 'stop failed');
      return false;
    }
  };
  const finish = async (code: number): Promise<never> => {
    if (await Promise.race([tryStop(), wait(stopMs, false)])) process.exit(code);
    log.fatal({ afterMs: stopMs }, 'stop incomplete, exiting');
    process.exit(code === EXIT.stopped ? EXIT.failed : code);
  };
  let ending: Promise<never> | undefined;
  return (code) => (ending ??= finish(code));
}

/**
 * Logs what no code caught. After an uncaught exception the state of the process is unknown: it stops accepting, ends
 * with code 70 and leaves the new start to the service manager. A rejected promise stopped only its own work.
 */
function catchUncaughtErrors(log: FastifyBaseLogger, end: Ending): void {
  process.on('uncaughtException', (error) => {
    log.fatal(describeFault(error), 'uncaught exception, stopping');
    void end(EXIT.uncaughtError);
  });
  process.on('unhandledRejection', (reason) => log.error(describeFault(reason), 'unhandled rejection'));
}

/**
 * Nothing of a module waits for it: what is loaded later may import from the file that this one is bundled into.
 * `--load` ends here: the build keeps what was compiled until now for the first start (compile-cache.mjs).
 */
async function run(): Promise<void> {
  if (process.argv.includes('--load')) return;
  try {
    const env = readEnv(process.env);
    const screen = openStartScreen(process.stdout, env.LOG_FORMAT);
    await main(env, screen).catch((error: unknown) => {
      screen.fail();
      process.stderr.write(`${describeStartError(error, env)}\n`);
      process.exit(error instanceof ClusterStartError ? EXIT.databaseFailed : EXIT.failed);
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(EXIT.failed);
  }
}

void run();
