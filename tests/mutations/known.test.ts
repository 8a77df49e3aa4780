import { expect, test } from 'vitest';
import { findKnown, findNeedless } from './known.ts';
import type { Mutation } from './mutation.ts';

const guard = (name: string): Mutation => ({ kind: 'guard removed', name, sql: '', about: [] });
const known = guard('private.member_id(), line 8, 171: caller is null → false');
const unknown = guard('private.member_id(), line 9, 200: x → true');

test('A survivor is known by the beginning of its name and by its change', () => {
  expect(findKnown(known)?.objects).toEqual(['private.member_id()']);
  expect(findKnown(unknown)).toBeUndefined();
  expect(findKnown({ ...known, kind: 'definer removed' })).toBeUndefined();
});

test('A known survivor is needless once its mutation is noticed', () => {
  expect(findNeedless([known, unknown], [known])).toEqual([]);
  expect(findNeedless([known, unknown], [unknown])).toEqual([findKnown(known)]);
  expect(findNeedless([unknown], [])).toEqual([]);
});
