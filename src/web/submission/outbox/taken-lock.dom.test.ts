import '#tests/support/indexed-db.ts';
import { expect, test, vi } from 'vitest';
import { startFakeBackend } from '#tests/support/web/fake-backend.ts';
import type { PartDraft } from './entry.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createOutboxStore } from './store.ts';
import { createPulse, type Locks, startWorker } from './worker.ts';

const ADA = { owner: 'ada', area: 'generic', contentId: '7' } as const;
const write = (text: string): PartDraft => ({ kind: 'transcript', text });

/** The lock of a tab until it is taken: then the browser refuses the request, and the tab's round goes on. */
function createLock() {
  const taken = Promise.withResolvers<unknown>();
  const round = Promise.withResolvers<unknown>();
  const request = (_name: string, _options: LockOptions, work: () => Promise<unknown>) => {
    const running = work();
    round.resolve(running);
    return Promise.race([taken.promise, running]);
  };
  taken.promise.catch(() => undefined);
  const take = () => taken.reject(new DOMException('', 'AbortError'));
  return { locks: { request } as unknown as Locks, take, round: round.promise };
}

function start(tab: Outbox, locks: Locks, isReachable = true) {
  const fake = startFakeBackend();
  fake.interviews.set(7, { id: 7 });
  const reachable = vi.fn(async () => isReachable);
  const later = vi.fn((_call: () => void, _ms: number) => () => undefined);
  const worker = startWorker(
    {
      store: tab.store,
      locks,
      pulse: createPulse(undefined),
      reachable,
      later,
      now: Date.now,
      currentOwner: () => 'ada',
      clientFor: (key) => ({ ...fake.backend, interviewKey: key }),
      changed: tab.changed,
      onProgress: tab.progressed,
    },
    'ada',
  );
  worker.kick();
  const askAgain = () =>
    vi.waitFor(() => {
      later.mock.calls.at(-1)?.[0]();
      expect(reachable.mock.calls.length).toBeGreaterThan(1);
    });
  return { fake, worker, askAgain, later };
}

test('A worker whose lock is taken meanwhile asks again for what its round has left (§4)', async () => {
  const tab = createOutbox(createOutboxStore({ name: 'left' }));
  await tab.keep(ADA, [write('Hallo')]);
  const { locks, take } = createLock();
  take();
  const { fake, worker, askAgain } = start(tab, locks, false);
  await askAgain();
  worker.stop();
  fake.close();
});

test('A worker whose lock is taken before its round begins again by itself (§4)', async () => {
  const tab = createOutbox(createOutboxStore({ name: 'before' }));
  await tab.keep(ADA, [write('Hallo')]);
  let asked = 0;
  const request = async (_name: string, _options: LockOptions, work: () => Promise<unknown>) => {
    asked += 1;
    if (asked === 1) throw new DOMException('', 'AbortError');
    return work();
  };
  const { fake, worker, later } = start(tab, { request } as unknown as Locks);
  await vi.waitFor(() => expect(later.mock.calls.at(-1)?.[1]).toBe(1_000));
  later.mock.calls.at(-1)?.[0]();
  await vi.waitFor(() => expect(fake.interviews.get(7)).toMatchObject({ transcript: 'Hallo' }));
  worker.stop();
  fake.close();
});

test('A tab whose lock was taken while it slept sends no older text when it wakes (§4)', async () => {
  const tab = createOutbox(createOutboxStore({ name: 'slept' }));
  await tab.keep(ADA, [write('Hallo')]);
  const { locks, take, round } = createLock();
  const { fake, worker } = start(tab, locks);
  const slept = Promise.withResolvers<void>();
  fake.fail('POST object', slept.promise);
  await vi.waitFor(() => expect(fake.called('POST object')).toHaveLength(1));
  take();
  // Another tab has sent the correction meanwhile.
  await tab.keep(ADA, [write('Besser')]);
  const [entry] = await tab.store.list('ada');
  await tab.store.apply(entry?.id ?? '', { type: 'sent', part: 'transcript', revision: 2 });
  fake.interviews.set(7, { id: 7, transcript: 'Besser' });
  slept.resolve();
  await round;
  expect(fake.interviews.get(7)).toMatchObject({ transcript: 'Besser' });
  worker.stop();
  fake.close();
});

test('What was refused counts as activity when first sent, not each time that it is tried again (D17)', async () => {
  const tab = createOutbox(createOutboxStore({ name: 'refused' }));
  await tab.keep(ADA, [{ kind: 'file', name: 'a.jpg', blob: new Blob(['bild'], { type: 'image/jpeg' }) }]);
  const { fake, worker, later } = start(tab, createLock().locks);
  fake.fail('POST object', { status: 429, body: {} }, 99);
  const round = (number: number) =>
    vi.waitFor(() => expect(later.mock.calls.filter(([, ms]) => ms === 1_000)).toHaveLength(number));
  await round(1);
  expect(localStorage.getItem('last_activity')).not.toBeNull();
  const before = String(Date.now() - 60_000);
  localStorage.setItem('last_activity', before);
  worker.kick();
  await round(2);
  expect(fake.called('POST object')).toHaveLength(2);
  expect(localStorage.getItem('last_activity')).toBe(before);
  worker.stop();
  fake.close();
});
