import type { SupabaseClient } from '@supabase/supabase-js';
import { createBackendClient } from '../backend-client.ts';
import { endWithCode, type CommandContext } from '../command.ts';
import { readEnv, type Env } from '../env.ts';
import { AccountError } from './accounts.ts';
import { readCommand, runCommand, USAGE } from './commands.ts';

/** The official client with the service key. */
type AdminConnection = Readonly<{ supabase: SupabaseClient; close: () => Promise<void> }>;

/** `npm run user -- …` (D14). Resolves to the exit code, 0: done, 1: failed, 2: wrong arguments. */
export function runUserCommand(
  args: readonly string[],
  { variables: source, out, err }: Omit<CommandContext, 'signal'>,
): Promise<number> {
  const work = async (): Promise<void> => {
    const command = readCommand(args);
    if (command.kind === 'help') return out(USAGE);
    // This command needs no public key, which readEnv requires for the server's browsers.
    const env = readEnv({
      ...source,
      SUPABASE_KEY: source['SUPABASE_KEY'] ?? 'none',
    });
    const connection = await connectAsAdmin(env, source);
    try {
      out(await runCommand(connection.supabase, command));
    } finally {
      await connection.close();
    }
  };
  return endWithCode(work, { usage: USAGE, err });
}

/** Connects to a hosted project or to the embedded backend. Throws AccountError. */
async function connectAsAdmin(env: Env, source: NodeJS.ProcessEnv): Promise<AdminConnection> {
  if (env.SUPABASE_URL !== undefined) return connectToHosted(env.SUPABASE_URL, env.SUPABASE_SERVICE_KEY);
  // Loaded only here: a hosted project needs no backend.
  const [{ serveOwnBackend }, { describeStartError }] = await Promise.all([
    import('../own-backend.ts'),
    import('../start-error.ts'),
  ]);
  const { url, backend, close } = await serveOwnBackend(env, source).catch((error: unknown) => {
    throw new Error(describeStartError(error, env), { cause: error });
  });
  return { supabase: createBackendClient({ url }, backend.keys.secretKey), close };
}

function connectToHosted(url: string, key: string | undefined): AdminConnection {
  if (key === undefined) {
    throw new AccountError('no_key', 'Für SUPABASE_URL wird auch SUPABASE_SERVICE_KEY gebraucht.');
  }
  return { supabase: createBackendClient({ url }, key), close: async () => undefined };
}
