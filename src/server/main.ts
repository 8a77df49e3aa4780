import { pino } from 'pino';
import { ClusterStartError } from '#backend/index.ts';
import { makeFirstAccounts } from './accounts/index.ts';
import { catchUncaughtErrors, endProcess, EXIT } from './end-process.ts';
import { readEnv } from './env.ts';
import { describeTranscription } from './speech/index.ts';
import { startServer, type RunningServer } from './start.ts';

// Files, mails and first passwords are readable for the server's account only.
process.umask(0o077);

/** environment → app → listen → orderly stop */
try {
  const env = readEnv(process.env);
  const log = pino({ level: env.LOG_LEVEL });
  let running: RunningServer | undefined;
  const end = endProcess(log, async () => running?.stop());
  catchUncaughtErrors(log, end);
  running = await startServer(env, log, process.env, (server) =>
    makeFirstAccounts({ env, server, print: (text) => void process.stdout.write(text) }),
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(EXIT.stopped));
  void running.backend?.databaseFailed?.then((error) => {
    process.stderr.write(`${error.message}\n`);
    return end(EXIT.databaseFailed);
  });
  // Printed last, so a script that waits for the address can use everything.
  const transcription = await describeTranscription(env);
  process.stdout.write(`\n  ${transcription}\n  ${env.BRAND_PRODUCT}: ${env.PUBLIC_URL ?? running.url}\n\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof ClusterStartError ? EXIT.databaseFailed : EXIT.failed);
}
