import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pageLock } from './update-notice.tsx';
import { watchUpdates } from './updates.ts';

type FakeWorker = EventTarget & { state: string; postMessage: (message: unknown) => void };

function worker(state: string): FakeWorker {
  return Object.assign(new EventTarget(), { state, postMessage: vi.fn() });
}

/** A browser's `navigator.serviceWorker`, as far as it is used. */
function container(options: Readonly<{ controlled: boolean; waiting?: FakeWorker }>) {
  const registration = Object.assign(new EventTarget(), {
    waiting: options.waiting ?? null,
    installing: null as FakeWorker | null,
    update: vi.fn(() => Promise.resolve()),
  });
  const fake = Object.assign(new EventTarget(), {
    controller: options.controlled ? {} : null,
    register: vi.fn(() => Promise.resolve(registration)),
  });
  return { fake, registration, as: fake as unknown as ServiceWorkerContainer };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', new EventTarget());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function install(registration: ReturnType<typeof container>['registration']): Promise<FakeWorker> {
  await vi.advanceTimersByTimeAsync(0);
  const next = worker('installing');
  registration.installing = next;
  registration.dispatchEvent(new Event('updatefound'));
  next.state = 'installed';
  next.dispatchEvent(new Event('statechange'));
  return next;
}

it('the first version is no update', async () => {
  const { as, registration } = container({ controlled: false });
  const updates = watchUpdates(as, vi.fn(), () => false);
  await install(registration);
  expect(updates.isWaiting()).toBe(false);
});

it('a newer version waits until it is asked for, and only then the page is loaded again', async () => {
  const { as, fake, registration } = container({ controlled: true });
  const reload = vi.fn();
  const listener = vi.fn();
  const updates = watchUpdates(as, reload, () => false);
  updates.subscribe(listener);
  const next = await install(registration);
  expect([updates.isWaiting(), listener.mock.calls.length]).toEqual([true, 1]);
  expect(next.postMessage).not.toHaveBeenCalled();
  updates.apply();
  expect(next.postMessage).toHaveBeenCalledWith({ type: 'SKIP_WAITING' });
  fake.dispatchEvent(new Event('controllerchange'));
  expect(reload).toHaveBeenCalledTimes(1);
});

it('work that begins while the new version takes its time is not ended by a reload, which comes after it', async () => {
  const { as, fake, registration } = container({ controlled: true });
  const reload = vi.fn();
  let working = false;
  const updates = watchUpdates(as, reload, () => working);
  const next = await install(registration);
  updates.apply();
  working = true;
  fake.dispatchEvent(new Event('controllerchange'));
  expect(reload).not.toHaveBeenCalled();
  next.state = 'activated';
  working = false;
  updates.apply();
  expect(reload).toHaveBeenCalledTimes(1);
});

it('an update asked for in another tab does not reload this one', async () => {
  const { as, fake } = container({ controlled: true, waiting: worker('installed') });
  const reload = vi.fn();
  const updates = watchUpdates(as, reload, () => false);
  await vi.advanceTimersByTimeAsync(0);
  expect(updates.isWaiting()).toBe(true);
  fake.dispatchEvent(new Event('controllerchange'));
  expect(reload).not.toHaveBeenCalled();
});

it('a page that the device had put to sleep for hours looks for a newer version when it is seen again', async () => {
  const { as, registration } = container({ controlled: true });
  watchUpdates(as, vi.fn(), () => false);
  await vi.advanceTimersByTimeAsync(0);
  const see = () => document.dispatchEvent(new Event('visibilitychange'));
  see();
  expect(registration.update, 'it has just been looked for').not.toHaveBeenCalled();
  // Asleep, no timer runs; and on waking there may be no network yet.
  vi.setSystemTime(Date.now() + 3 * 24 * 3_600_000);
  registration.update.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  for (const times of [1, 2, 2]) {
    see();
    await vi.advanceTimersByTimeAsync(0);
    expect(registration.update).toHaveBeenCalledTimes(times);
  }
  vi.setSystemTime(Date.now() - 2 * 24 * 3_600_000);
  see();
  expect(registration.update, 'the clock has been set back').toHaveBeenCalledTimes(3);
});

/** Web Locks of one browser, shared by its tabs. */
function fakeLocks() {
  let shared = 0;
  const request = async (_name: string, options: LockOptions, work: (lock: object | null) => unknown) => {
    if (options.mode !== 'shared') return work(shared === 0 ? {} : null);
    shared += 1;
    await work({});
    shared -= 1;
    return undefined;
  };
  return { request } as unknown as Pick<LockManager, 'request'>;
}

it('no update while a contribution is open in any tab', async () => {
  const locks = fakeLocks();
  const [here, there] = [pageLock(locks), pageLock(locks)];
  const apply = vi.fn();
  there.hold();
  expect(await here.ifFree(apply)).toBe(false);
  await there.release();
  expect(await here.ifFree(apply)).toBe(true);
  expect(apply).toHaveBeenCalledTimes(1);
});

it('without Web Locks nothing is applied by itself', async () => {
  expect(await pageLock(undefined).ifFree(vi.fn())).toBe(false);
});
