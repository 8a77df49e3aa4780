export type Command = Readonly<{ kind: 'list' | 'rotate' | 'help' } | { kind: 'withdraw'; id: string }>;

export class UsageError extends Error {}

/** Throws UsageError. */
export function readCommand(args: readonly string[]): Command {
  const [word, id, ...more] = args;
  if (word === undefined) throw new UsageError(TEXTS.missing);
  if (word === 'help' || word === '--help' || word === '-h') return { kind: 'help' };
  const surplus = word === 'withdraw' ? more[0] : id;
  if (surplus !== undefined) throw new UsageError(TEXTS.unknown(surplus));
  if (word === 'list' || word === 'rotate') return { kind: word };
  if (word !== 'withdraw') throw new UsageError(TEXTS.unknown(word));
  if (id === undefined) throw new UsageError(TEXTS.missing);
  return { kind: 'withdraw', id };
}

/** Everything `npm run keys` prints. */
export const TEXTS = {
  usage: `Schlüssel für Anmeldungen verwalten

  npm run keys -- list            Schlüssel zeigen
  npm run keys -- rotate          neuer Schlüssel; Anmeldungen mit dem alten gelten, bis sie ablaufen
  npm run keys -- withdraw ID     Schlüssel zurückziehen: was er unterschrieben hat, gilt ab sofort nicht mehr

Der Befehl arbeitet auf DATA_DIR (auch während der Server läuft) oder auf DATABASE_URL. Alle Server auf derselben
Datenbank folgen innerhalb einer Minute. Wer angemeldet ist, bleibt es: der Browser holt sich von selbst ein neues Token.
`,
  missing: 'Es fehlt, was zu tun ist.',
  unknown: (word: string) => `Das wird nicht verstanden: ${word}`,
  hosted: 'Die Schlüssel eines gehosteten Projekts verwaltet dessen Anbieter.',
  fromFile: 'Die Schlüssel stehen in der Datei aus auth.signing_keys_path. Ändere sie dort und starte den Server neu.',
  noSuchKey: (id: string) => `Es gibt keinen Schlüssel ${id}.`,
  inBetween: 'Der Server startet oder endet gerade. Versuche es gleich noch einmal.',
  signs: 'unterschreibt',
  until: (time: string) => `gilt noch bis ${time} (UTC)`,
} as const;
