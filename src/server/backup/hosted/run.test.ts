import { expect, test } from 'vitest';
import { readAction } from './run.ts';

test.each([
  [[], 'move'],
  [['--dry-run'], 'dry-run'],
  [['--compare'], 'compare'],
  [['--finish'], 'finish'],
  [['-h'], 'help'],
  [['--dryrun'], undefined],
  [['--compare', '--finish'], undefined],
  [['postgres://geheim@host/db'], undefined],
])('npm run move-to-hosted -- %j: %s', (args, action) => expect(readAction(args)).toBe(action));
