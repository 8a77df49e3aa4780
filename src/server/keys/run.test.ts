import { describe, expect, test } from 'vitest';
import { UsageError } from '../command.ts';
import { readCommand } from './run.ts';

describe('npm run keys --', () => {
  test.each([
    [['list'], { kind: 'list' }],
    [['rotate'], { kind: 'rotate' }],
    [['replace'], { kind: 'replace' }],
    [['withdraw', 'abc'], { kind: 'withdraw', id: 'abc' }],
    [['--help'], { kind: 'help' }],
  ])('%j', (args, expected) => expect(readCommand(args)).toEqual(expected));
  test.each([[[]], [['drehen']], [['withdraw']], [['withdraw', 'a', 'b']], [['rotate', 'a']], [['replace', 'a']]])(
    '%j is refused',
    (args) => expect(() => readCommand(args)).toThrow(UsageError),
  );
});
