import { beforeEach, expect, test, vi } from 'vitest';
import { openDraftStore } from './use-post-draft.ts';

const CONTENT = { version: 2, body: 'Die Pumpe', pictures: [{ upload: 1, alt: '', used: true }] };
const DAY_MS = 24 * 3_600_000;

beforeEach(() => localStorage.clear());

test('Keeps a draft on the device for its account alone (posts)', () => {
  openDraftStore('ada').keep(7, CONTENT);
  expect(openDraftStore('ada').read(7)).toEqual(CONTENT);
  expect(openDraftStore('grace').read(7)).toBeUndefined();
  openDraftStore('ada').forget(7);
  expect(openDraftStore('ada').read(7)).toBeUndefined();
});

test('Forgets a draft after a week, and one it cannot read (posts)', () => {
  openDraftStore('ada').keep(7, CONTENT);
  localStorage.setItem('post_draft:ada:8', '{"body": 1}');
  openDraftStore('ada', () => Date.now() + 6 * DAY_MS);
  expect(openDraftStore('ada').read(7)).toBeDefined();
  openDraftStore('ada', () => Date.now() + 8 * DAY_MS);
  expect(Object.keys(localStorage)).toEqual([]);
});

test('Says so where the device is full (posts)', () => {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  expect(openDraftStore('ada').keep(7, CONTENT)).toBe(false);
  vi.restoreAllMocks();
});
