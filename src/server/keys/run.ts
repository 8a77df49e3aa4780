import {
  listKeysInUse,
  renewKeys,
  rotateSigningKey,
  UnknownKeyError,
  withdrawKey,
  type Backend,
  type KeyInUse,
} from '#backend/index.ts';
import { getMessage } from '#lib/error-code.ts';
import { endWithCode, UsageError } from '../command.ts';
import { lockFolder } from '../data-folder.ts';
import { readEnv, type Env } from '../env.ts';
import { openOwnBackend, type OwnBackend } from '../own-backend.ts';
import { describeStartError } from '../start-error.ts';

/** `npm run keys -- …`. Exit code 0: done, 1: failed, 2: wrong arguments. */
export function runKeysCommand(args: readonly string[], source: NodeJS.ProcessEnv): Promise<number> {
  const work = async (): Promise<void> => void process.stdout.write(await run(readCommand(args), source));
  return endWithCode(work, { usage: TEXTS.usage, describe: describeError });
}

async function run(command: Command, source: NodeJS.ProcessEnv): Promise<string> {
  if (command.kind === 'help') return TEXTS.usage;
  const env = readEnv(source);
  if (env.SUPABASE_URL !== undefined) throw new Error(TEXTS.hosted);
  const { backend, close } = await open(command, env, source).catch((error: unknown) => {
    throw new Error(describeStartError(error, env), { cause: error });
  });
  try {
    const { signing_keys_path: file } = backend.config.auth;
    if (file !== undefined && command.kind !== 'replace') throw new Error(TEXTS.fromFile);
    const keys = formatKeys(await apply(backend, command));
    return file === undefined ? keys : `${TEXTS.othersReplaced} ${TEXTS.fromFile}\n`;
  } finally {
    await close();
  }
}

async function open({ kind }: Command, env: Env, source: NodeJS.ProcessEnv): Promise<OwnBackend> {
  // A server would go on with the old keys until its next start.
  if (kind === 'replace') await (await lockFolder(env.DATA_DIR)).release();
  return openOwnBackend(env, source);
}

function apply({ database, config }: Backend, command: Exclude<Command, { kind: 'help' }>): Promise<KeyInUse[]> {
  const now = Date.now();
  switch (command.kind) {
    case 'rotate':
      return rotateSigningKey(database, { now, tokenLifetimeS: config.auth.jwt_expiry });
    case 'replace':
      return renewKeys(database);
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
  return getMessage(error);
}

type Command = Readonly<{ kind: 'list' | 'rotate' | 'replace' | 'help' } | { kind: 'withdraw'; id: string }>;

/** Throws UsageError. */
export function readCommand(args: readonly string[]): Command {
  const [word, id, ...more] = args;
  if (word === undefined) throw new UsageError(TEXTS.missing);
  if (word === 'help' || word === '--help' || word === '-h') return { kind: 'help' };
  const surplus = word === 'withdraw' ? more[0] : id;
  if (surplus !== undefined) throw new UsageError(TEXTS.unknown(surplus));
  if (word === 'list' || word === 'rotate' || word === 'replace') return { kind: word };
  if (word !== 'withdraw') throw new UsageError(TEXTS.unknown(word));
  if (id === undefined) throw new UsageError(TEXTS.missing);
  return { kind: 'withdraw', id };
}

/** Everything `npm run keys` prints. */
const TEXTS = {
  usage: `Schlüssel für Anmeldungen verwalten

  npm run keys -- list            Schlüssel zeigen
  npm run keys -- rotate          neuer Schlüssel; Anmeldungen mit dem alten gelten, bis sie ablaufen
  npm run keys -- withdraw ID     Schlüssel zurückziehen: was er unterschrieben hat, gilt ab sofort nicht mehr
  npm run keys -- replace         alle Schlüssel erneuern, wenn die Datenbank oder eine Sicherung in fremde Hände kam:
                                  vorher alle Server anhalten; danach melden sich alle neu an

Der Befehl arbeitet auf DATA_DIR (auch während der Server läuft) oder auf DATABASE_URL. Alle Server auf derselben
Datenbank folgen innerhalb einer Minute. Wer angemeldet ist, bleibt es: der Browser holt sich von selbst ein neues Token.
`,
  missing: 'Es fehlt, was zu tun ist.',
  unknown: (word: string) => `Das wird nicht verstanden: ${word}`,
  hosted: 'Die Schlüssel eines gehosteten Projekts verwaltet dessen Anbieter.',
  fromFile: 'Die Schlüssel stehen in der Datei aus auth.signing_keys_path. Ändere sie dort und starte den Server neu.',
  othersReplaced: 'Alle übrigen Schlüssel sind erneuert.',
  noSuchKey: (id: string) => `Es gibt keinen Schlüssel ${id}.`,
  signs: 'unterschreibt',
  until: (time: string) => `gilt noch bis ${time} (UTC)`,
} as const;
