import { TEXTS } from './texts.ts';

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
