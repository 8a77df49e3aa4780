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

test.each([
  ['npm_config_dry_run', 'dry-run'],
  ['npm_config_compare', 'compare'],
  ['npm_config_finish', 'finish'],
])('npm run move-to-hosted without the two dashes, of which npm leaves %s: %s, and no move', (name, action) => {
  expect(readAction([], { [name]: 'true' })).toBe(action);
  expect(readAction(['--help'], { [name]: 'true' })).toBeUndefined();
});
