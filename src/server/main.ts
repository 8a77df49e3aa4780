import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import { ClusterStartError } from '#backend/index.ts';
import { makeFirstAccounts } from './accounts/first-accounts.ts';
import { catchUncaughtErrors, endProcess, EXIT } from './end-process.ts';
import { readEnv, type Env } from './env.ts';
import { describeTranscription } from './speech/index.ts';
import { formatStartBlock } from './start-block.ts';
import { describeStartError } from './start-error.ts';
import { startServer, type RunningServer } from './start.ts';
import { openStartScreen, type StartScreen } from './terminal.ts';

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
  const end = endProcess(log, async () => running?.stop());
  catchUncaughtErrors(log, end);
  running = await startServer(env, log, process.env, {
    onStep: (step) => screen.step(STEPS[step]),
    prepare: (server) => {
      screen.step('Konten werden geprüft');
      return makeFirstAccounts({ env, server, print: (text) => void (accounts += text) });
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(EXIT.stopped));
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
