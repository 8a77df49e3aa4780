import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { writeJpeg } from '#tests/support/located-media.ts';
import { createFakeDeps, createMemoryStore, VERSION, type Query } from '#tests/support/storage-fakes.ts';
import { replaceOriginals } from './originals.ts';
import { StoreFullError } from './stores/object-store.ts';

const PICTURE = writeJpeg();

test('Leaves no original open where the store takes no copy', async () => {
  const due = [{ version: VERSION, size: String(PICTURE.length), type: 'image/jpeg', tag: '' }];
  const opened: Readable[] = [];
  const { store } = createMemoryStore({
    get: async (_key, { start, end } = { start: 0, end: PICTURE.length }) => {
      const content = Readable.from([PICTURE.subarray(start, end + 1)]);
      opened.push(content);
      return content;
    },
    put: () => Promise.reject(new StoreFullError()),
  });
  const answer = ({ sql }: Query): object[] => (sql.includes('with next as') ? due.splice(0) : []);
  await replaceOriginals(createFakeDeps({ answer, store }).deps, new AbortController().signal);
  // The first was read for the plan.
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});
