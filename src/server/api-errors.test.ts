import { expect, test, vi } from 'vitest';
import { createApiErrors } from './api-errors.ts';
import { DeskError } from './desk/error.ts';

function logged(thrown: unknown) {
  const error = vi.fn();
  const protocol = createApiErrors('desk', DeskError);
  const request = { log: { error, info: error } } as never;
  protocol.log(protocol.convert(thrown, request), { request, thrown, status: 500 });
  return error.mock.calls;
}

test('An error of ours is logged with its places in the code, without what somebody typed', () => {
  const calls = logged(new TypeError('Frau Muster\n    at Haus'));
  const stack = expect.arrayContaining([expect.stringMatching(/^at .*api-errors\.test\.ts/)]);
  expect(calls).toEqual([[{ code: 'internal_error', cause: 'TypeError', stack }, 'desk: failed']]);
  expect(JSON.stringify(calls)).not.toMatch(/Muster|Haus/);
});

test('What the backend refused is logged by its code, without its message', () => {
  const calls = logged(
    new DeskError('backend_failed', { cause: Object.assign(new Error('Muster'), { code: '42501' }) }),
  );
  expect(calls).toMatchObject([[{ code: 'backend_failed', cause: '42501' }, 'desk: failed']]);
  expect(JSON.stringify(calls)).not.toContain('Muster');
});
