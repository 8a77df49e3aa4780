import path from 'node:path';
import { getMessage } from '#lib/error-code.ts';

/** What a command gets from its process. */
export type CommandContext = Readonly<{
  variables: NodeJS.ProcessEnv;
  out: (text: string) => void;
  err: (text: string) => void;
  /** Aborted when the process is told to stop. */
  signal: AbortSignal;
}>;

/** The arguments of a command are wrong. */
export class UsageError extends Error {}

type Ending = Readonly<{ usage: string; err?: CommandContext['err']; describe?: (error: unknown) => string }>;

/** Resolves to the exit code. 0: done, 1: failed, 2: wrong arguments, which `usage` explains. */
export async function endWithCode(
  work: () => Promise<void>,
  { usage, err = (text) => void process.stderr.write(text), describe = getMessage }: Ending,
): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    err(isUsage ? `${error.message}\n\n${usage}` : `${describe(error)}\n`);
    return isUsage ? 2 : 1;
  }
}

type Command = (args: readonly string[], context: CommandContext) => Promise<number>;

/** The whole path of a file that an argument names: npm changes to the project's folder, INIT_CWD is the caller's. */
export function resolveArgument(file: string, variables: NodeJS.ProcessEnv): string {
  return path.resolve(variables['INIT_CWD'] ?? '.', file);
}

/** Aborts at SIGINT and SIGTERM, which from now on no longer end the process. */
export function abortOnSignal(reason?: Error): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort(reason));
  return stopping.signal;
}

/** Runs a command and ends the process with its exit code. SIGINT and SIGTERM abort it with `stopped`. */
export async function runInProcess(run: Command, stopped: Error): Promise<void> {
  const exit = await run(process.argv.slice(2), {
    variables: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    signal: abortOnSignal(stopped),
  });
  // The exit would cut off what is still on its way into a pipe.
  for (const stream of [process.stdout, process.stderr]) await new Promise((written) => stream.write('', written));
  // Without this a service that hangs in the middle of an answer keeps the process alive.
  process.exit(exit);
}

const UNITS = ['Byte', 'KB', 'MB', 'GB', 'TB'];

/** As the pages name them: 1 KB = 1,024 bytes. */
export function formatBytes(bytes: number): string {
  // A size that rounds up to the next unit is given in that unit.
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes * 1.0001)) / Math.log(1024)));
  return `${(bytes / 1024 ** power).toLocaleString('de-DE', { maximumFractionDigits: 1 })} ${UNITS[power]}`;
}
