import { MoveFault } from './faults.ts';
import { runCommand } from './run.ts';

/** `npm run move-to-hosted`. Exit code 0: done and the same on both sides, 1: failed or not the same, 2: not understood. */
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort(new MoveFault('stopped')));

const exit = await runCommand(process.argv.slice(2), {
  variables: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  signal: stopping.signal,
});
// A service that hangs in the middle of an answer would keep the process alive.
process.exit(exit);
