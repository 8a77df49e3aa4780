import { readEnv } from '../env.ts';
import { openAdminDoor } from './admin-door.ts';
import { readCommand, USAGE, UsageError } from './command.ts';
import { runCommand } from './run.ts';

/** `npm run user -- …` (D14). Exit code 0: done, 1: failed, 2: not understood. */
process.exitCode = await main(process.argv.slice(2), process.env);

async function main(args: readonly string[], source: NodeJS.ProcessEnv): Promise<number> {
  try {
    const command = readCommand(args);
    if (command.kind === 'help') return tell(USAGE);
    // The public key, which the server needs for its browsers, plays no part here.
    const env = readEnv({
      ...source,
      SUPABASE_KEY: source['SUPABASE_KEY'] ?? source['SUPABASE_SERVICE_KEY'] ?? 'none',
    });
    const door = await openAdminDoor(env, source);
    try {
      return tell(await runCommand(door.supabase, command));
    } finally {
      await door.close();
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const usage = error instanceof UsageError;
    process.stderr.write(usage ? `${message}\n\n${USAGE}` : `${message}\n`);
    return usage ? 2 : 1;
  }
}

function tell(text: string): number {
  process.stdout.write(text);
  return 0;
}
