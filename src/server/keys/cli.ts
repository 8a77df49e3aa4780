import {
  type Backend,
  type KeyInUse,
  listKeysInUse,
  rotateSigningKey,
  UnknownKeyError,
  withdrawKey,
} from '#backend/index.ts';
import { readEnv } from '../env.ts';
import { openOwnBackend, ServerStartingError } from '../own-backend.ts';
import { type Command, readCommand, TEXTS, UsageError } from './command.ts';

/** `npm run keys -- …`. Exit code 0: done, 1: failed, 2: wrong arguments. */
process.exitCode = await main(process.argv.slice(2), process.env);

async function main(args: readonly string[], source: NodeJS.ProcessEnv): Promise<number> {
  try {
    process.stdout.write(await run(readCommand(args), source));
    return 0;
  } catch (error) {
    const usage = error instanceof UsageError;
    process.stderr.write(usage ? `${error.message}\n\n${TEXTS.usage}` : `${describeError(error)}\n`);
    return usage ? 2 : 1;
  }
}

async function run(command: Command, source: NodeJS.ProcessEnv): Promise<string> {
  if (command.kind === 'help') return TEXTS.usage;
  const env = readEnv(source);
  if (env.SUPABASE_URL !== undefined) throw new Error(TEXTS.hosted);
  const { backend, close } = await openOwnBackend(env, source);
  try {
    if (backend.config.auth.signing_keys_path !== undefined) throw new Error(TEXTS.fromFile);
    return formatKeys(await apply(backend, command));
  } finally {
    await close();
  }
}

function apply({ database, config }: Backend, command: Exclude<Command, { kind: 'help' }>): Promise<KeyInUse[]> {
  const now = Date.now();
  switch (command.kind) {
    case 'rotate':
      return rotateSigningKey(database, { now, tokenLifetimeS: config.auth.jwt_expiry });
    case 'withdraw':
      return withdrawKey(database, command.id);
    default:
      return listKeysInUse(database, now);
  }
}

function formatKeys(keys: readonly KeyInUse[]): string {
  return keys
    .map(({ id, until }) => `${id}  ${until === undefined ? TEXTS.signs : TEXTS.until(formatTime(until))}\n`)
    .join('');
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

function describeError(error: unknown): string {
  if (error instanceof UnknownKeyError) return TEXTS.noSuchKey(error.message);
  if (error instanceof ServerStartingError) return TEXTS.inBetween;
  return error instanceof Error ? error.message : String(error);
}
