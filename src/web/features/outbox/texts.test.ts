import { expect, it } from 'vitest';
import type { BackendErrorKind } from '#web/backend/errors.ts';
import { reasonText } from './texts.ts';

const REFUSALS: readonly BackendErrorKind[] = [
  'quota',
  'wrong-type',
  'no-bucket',
  'too-large',
  'contribution-full',
  'unreadable',
];

it.each(REFUSALS)('Says in words of its own why a part was refused: %s (§8)', (kind) => {
  expect(reasonText(kind)).not.toBe(reasonText('schema'));
});

it('Sends nobody whose link has ended to a login: a login that has lost its rights waits instead (D9)', () => {
  expect(reasonText('refused')).not.toContain('Melde dich');
});
