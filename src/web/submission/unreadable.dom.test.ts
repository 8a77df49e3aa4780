import { expect, it, test, vi } from 'vitest';
import { loadTus, RESUMABLE_FROM_BYTES } from '#web/backend/upload.ts';
import { entryAfter, nextStep } from './outbox/entry-life.ts';
import type { Entry, FileContent } from './outbox/entry.ts';
import { createOutboxStore } from './outbox/store.ts';
import { NETWORK } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { loseFile } from '#tests/support/web/fixtures.ts';
import { freezeTime, pass, waitForRetry, waitForState } from '#tests/support/web/render-flow.tsx';
import { failureReason } from './texts.ts';
import { uploadFile } from './uploads.ts';
import '#tests/support/indexed-db.ts';

const fake = fakeBackendForEach();

const sized = (bytes: number) => new File(['a'.repeat(bytes)], 'film.mp4', { type: 'video/mp4', lastModified: 5 });
const send = (file: File) => uploadFile(fake.backend, { blob: file, path: '7/film.mp4' }, { interviewId: 7 });

it.each([5, RESUMABLE_FROM_BYTES])('§8 a file that the device no longer gives is not sent: %i bytes', async (bytes) => {
  await expect(send(loseFile(sized(bytes)))).rejects.toMatchObject({ kind: 'unreadable' });
  expect(fake.calls).toEqual([]);
});

it('§8 a file lost between two attempts is no lost connection', async () => {
  freezeTime();
  fake.fail('POST object', NETWORK);
  const file = sized(5);
  const ended = expect(send(file)).rejects.toMatchObject({ kind: 'unreadable' });
  await waitForRetry();
  loseFile(file);
  await pass(1_000);
  await ended;
  expect(fake.called('POST object')).toHaveLength(1);
});

it('§8 a file lost in the middle of a resumable upload is no lost connection', async () => {
  await loadTus();
  freezeTime();
  fake.fail('PATCH resumable', NETWORK, 99);
  const file = sized(RESUMABLE_FROM_BYTES);
  const ended = expect(send(file)).rejects.toMatchObject({ kind: 'unreadable' });
  await waitForState(() => expect(fake.called('PATCH resumable')).toHaveLength(1));
  loseFile(file);
  await pass(60_000);
  await ended;
});

it('§8 a file lost in the middle of a resumable upload is named at once, not after every attempt', async () => {
  await loadTus();
  freezeTime();
  const file = sized(RESUMABLE_FROM_BYTES + 1);
  const ended = vi.fn();
  const onProgress = (fraction: number) => void (fraction > 0 && loseFile(file));
  uploadFile(fake.backend, { blob: file, path: '7/film.mp4' }, { interviewId: 7, onProgress }).catch(ended);
  await waitForState(() => expect(ended).toHaveBeenCalledWith(expect.objectContaining({ kind: 'unreadable' })));
  expect(fake.called('HEAD resumable')).toEqual([]);
  await pass(60_000);
  expect(fake.calls.at(-1)?.call).toBe('PATCH resumable');
});

test('§8 an unreadable file has a text of its own beside its name', () => {
  expect(failureReason('unreadable')).toContain('Lässt sich nicht mehr lesen');
});

test('§4 in the outbox an unreadable file waits for its user, and keeps no other part back', () => {
  const content = { kind: 'file', name: 'a', fileName: 'a', type: '', bytes: 1 } as const;
  const answers = { kind: 'answers', answers: { who: '', what: '', when: '', where: '', why: '' } } as const;
  const part = (id: string, given: FileContent | typeof answers) =>
    ({ id, revision: 1, content: given, state: { status: 'waiting' } }) as const;
  const parts = [part('a', content), part('answers', answers)];
  const row = { status: 'known', id: 7 } as const;
  const entry: Entry = { id: 'e', owner: 'ada', area: 'generic', contentId: '7', key: 'k', createdAt: 0, row, parts };
  const failed = entryAfter(entry, { type: 'failed', part: 'a', revision: 1, reason: 'unreadable' });
  expect(nextStep(failed)).toMatchObject({ step: 'send', part: { id: 'answers' } });
  const rest = entryAfter(failed, { type: 'sent', part: 'answers', revision: 1 });
  expect(nextStep(rest)).toEqual({ step: 'stuck' });
});

test('§4 a full device says so, though the request that was cut off does not', async () => {
  const store = createOutboxStore({ name: 'full' });
  const content = { kind: 'file', name: 'a', fileName: 'a', type: '', bytes: 1 } as const;
  await store.list('ada');
  const full = new DOMException('full', 'QuotaExceededError');
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore) {
    this.transaction.abort();
    Object.defineProperty(this.transaction, 'error', { value: full });
    throw new DOMException('cut off', 'AbortError');
  });
  await expect(store.putFile('e', 'a', content, new Blob(['x']))).rejects.toBe(full);
});
