import { parseArgs } from 'node:util';
import { describeUnknown, MISSING, NAME_MISSING } from './texts.ts';

export type Command =
  | Readonly<{ kind: 'help' | 'list' }>
  | Readonly<{ kind: 'install'; name: string | undefined; file: string | undefined }>
  | Readonly<{ kind: 'remove'; name: string }>
  | Readonly<{ kind: 'check'; file: string | undefined }>;

export class UsageError extends Error {}

/** Throws UsageError. */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  const [word, name, ...surplus] = positionals;
  if (values.help === true || word === 'help') return { kind: 'help' };
  if (word === undefined) throw new UsageError(MISSING);
  if (surplus[0] !== undefined) throw new UsageError(describeUnknown(surplus[0]));
  if (word !== 'install' && values.file !== undefined) throw new UsageError(describeUnknown('--file'));
  if (word === 'install') {
    if (values.file !== undefined && name === undefined) throw new UsageError(NAME_MISSING);
    return { kind: 'install', name, file: values.file };
  }
  if (word === 'remove') {
    if (name === undefined) throw new UsageError(NAME_MISSING);
    return { kind: 'remove', name };
  }
  if (word === 'check') return { kind: 'check', file: name };
  if (word !== 'list' || name !== undefined) throw new UsageError(describeUnknown(name ?? word));
  return { kind: 'list' };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { file: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : MISSING);
  }
}
