import { readEnv } from '../env.ts';
import { connectAsAdmin } from './admin-client.ts';
import { readCommand, runCommand, USAGE, UsageError } from './commands.ts';

/** `npm run user -- …` (D14). Exit code 0: done, 1: failed, 2: wrong arguments. */
process.exitCode = await main(process.argv.slice(2), process.env);

async function main(args: readonly string[], source: NodeJS.ProcessEnv): Promise<number> {
  try {
    const command = readCommand(args);
    if (command.kind === 'help') return tell(USAGE);
    // This command needs no public key, which readEnv requires for the server's browsers.
    const env = readEnv({
      ...source,
      SUPABASE_KEY: source['SUPABASE_KEY'] ?? source['SUPABASE_SERVICE_KEY'] ?? 'none',
    });
    const connection = await connectAsAdmin(env, source);
    try {
      return tell(await runCommand(connection.supabase, command));
    } finally {
      await connection.close();
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
