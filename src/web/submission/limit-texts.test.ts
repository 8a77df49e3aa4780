import { expect, test } from 'vitest';
import { BackendError } from '#web/backend/errors.ts';
import { limitMessage, limitMessageOf } from './limit-texts.ts';

test.each([
  ['too-many', 'Zu viele Beiträge'],
  ['too-long', 'Text zu lang'],
  ['contribution-full', 'Beitrag voll'],
  ['quota', 'Höchstmenge erreicht'],
  ['full', 'Speicher voll'],
  ['failed', undefined],
] as const)('A refusal of kind %s is told as %s (§8)', (kind, title) => {
  expect(limitMessage(new BackendError(kind, 'x'))?.title).toBe(title);
  expect(limitMessageOf(['failed', kind])?.title).toBe(title);
});

test('Any other error has no text about limits (§8)', () => {
  expect(limitMessage(new Error('x'))).toBeUndefined();
  expect(limitMessageOf([])).toBeUndefined();
});
