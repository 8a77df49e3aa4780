import { MoveError } from './errors.ts';
import { runCommand } from './run.ts';

/**
 * `npm run move-to-hosted`. Exit code 0: done and both sides are the same, 1: failed or they differ, 2: wrong
 * arguments.
 */
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort(new MoveError('stopped')));

const exit = await runCommand(process.argv.slice(2), {
  variables: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  signal: stopping.signal,
});
// Without this a service that hangs in the middle of an answer keeps the process alive.
process.exit(exit);
