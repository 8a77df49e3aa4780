import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { getErrorCode } from '#lib/error-code.ts';

/** Exit codes, as sysexits.h names them; 1 is a start or a stop that failed. */
export const EXIT = { stopped: 0, failed: 1, databaseFailed: 69, uncaughtError: 70 } as const;

export type Ending = (code: number) => Promise<never>;

/** Service managers kill after 10 s and more. */
const STOP_MS = 9_000;

/**
 * Stops in order and ends the process. A stop that takes too long is cut off, with exit code 1 instead of 0. Only the
 * first call decides the code.
 */
export function endProcess(log: FastifyBaseLogger, stop: () => Promise<void>): Ending {
  const tryStop = async (): Promise<boolean> => {
    try {
      await stop();
      return true;
    } catch (error) {
      log.error(describeError(error), 'stop failed');
      return false;
    }
  };
  const finish = async (code: number): Promise<never> => {
    if (await Promise.race([tryStop(), wait(STOP_MS, false)])) process.exit(code);
    log.fatal({ afterMs: STOP_MS }, 'stop incomplete, exiting');
    process.exit(code === EXIT.stopped ? EXIT.failed : code);
  };
  let ending: Promise<never> | undefined;
  return (code) => (ending ??= finish(code));
}

/**
 * Logs what no code caught. After an uncaught exception the state of the process is unknown: it stops accepting, ends
 * with code 70 and leaves the new start to the service manager. A rejected promise stopped only its own work.
 */
export function catchUncaughtErrors(log: FastifyBaseLogger, end: Ending): void {
  process.on('uncaughtException', (error) => {
    log.fatal(describeError(error), 'uncaught exception, stopping');
    void end(EXIT.uncaughtError);
  });
  process.on('unhandledRejection', (reason) => log.error(describeError(reason), 'unhandled rejection'));
}

/** Name, code and places in the code: a message may quote what a person typed. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { cause: typeof error };
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const code = getErrorCode(error);
  return { cause: error.name, ...(code === undefined ? {} : { code }), stack: places.map((line) => line.trim()) };
}
