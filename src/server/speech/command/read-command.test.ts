import { expect, test } from 'vitest';
import { UsageError } from '../../command.ts';
import { formatCheck, readCommand } from './read-command.ts';

test('Reads each command of `npm run speech`', () => {
  expect(readCommand(['list'])).toEqual({ kind: 'list' });
  expect(readCommand(['install'])).toEqual({ kind: 'install', name: undefined, file: undefined });
  expect(readCommand(['install', 'whisper-base', '--file', 'x.bin'])).toEqual({
    kind: 'install',
    name: 'whisper-base',
    file: 'x.bin',
  });
  expect(readCommand(['remove', 'whisper-base'])).toEqual({ kind: 'remove', name: 'whisper-base' });
  expect(readCommand(['check', 'x.wav'])).toEqual({ kind: 'check', file: 'x.wav' });
  expect(readCommand(['--help'])).toEqual({ kind: 'help' });
});

test.each([
  [[]],
  [['lists']],
  [['list', 'whisper-base']],
  [['remove']],
  [['remove', 'a', 'b']],
  [['install', '--file', 'x.bin']],
  [['remove', 'a', '--file', 'x.bin']],
  [['install', '--fast']],
])('Refuses %j', (args) => {
  expect(() => readCommand(args)).toThrow(UsageError);
});

test('The check of a recording names no length that a service does not tell', () => {
  const check = { text: 'Guten Morgen', wordErrorRate: undefined, seconds: 1.234 };
  expect(formatCheck('Dienst', { ...check, audioS: 8 })).toContain(
    'Dauer: 1,23 s für 8 s Ton, also 0,15 s je Sekunde\n',
  );
  expect(formatCheck('Dienst', { ...check, audioS: undefined })).toContain('Dauer: 1,23 s\n');
});
