import { BackupError } from './errors.ts';
import { runCommand } from './run.ts';

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort(new BackupError('stopped')));

const exit = await runCommand(process.argv.slice(2), {
  variables: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  signal: stopping.signal,
});
// Without this a store that hangs in the middle of an answer keeps the process alive.
process.exit(exit);
