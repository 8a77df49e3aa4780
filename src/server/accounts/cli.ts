import { runUserCommand } from './run.ts';

process.exitCode = await runUserCommand(process.argv.slice(2), {
  variables: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
