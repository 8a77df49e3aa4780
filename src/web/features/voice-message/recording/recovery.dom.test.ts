import { act, renderHook } from '@testing-library/react';
import '#tests/support/indexed-db.ts';
import { StrictMode } from 'react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeLocks, FakePage, FakeRecorder } from '#tests/support/web/fake-browser.ts';
import { createChunkStore, lockLiveness } from './chunk-store.ts';
import type { RecorderDeps } from './recorder-deps.ts';
import { Recorder } from './recorder.ts';
import type { RecorderNotice } from './state.ts';
import { useRecorder } from './use-recorder.ts';

const PLACE = { owner: 'anna', area: 'generic' };
let count = 0;
let page: FakePage;
let notices: RecorderNotice[];
const openPage = (): FakePage => new FakePage(`recovery-${count}`);

beforeEach(() => {
  count += 1;
  page = openPage();
  notices = [];
});

function made(deps: RecorderDeps = page.deps): Recorder {
  const recorder = new Recorder(deps, PLACE);
  recorder.listen((notice) => void notices.push(notice));
  return recorder;
}

async function recording(deps: RecorderDeps = page.deps): Promise<Recorder> {
  const recorder = made(deps);
  await recorder.start();
  expect(recorder.snapshot().state.status).toBe('recording');
  return recorder;
}

describe('Recovers when the browser is killed while recording', () => {
  test('the recording is offered again, with all that had come', async () => {
    await recording();
    page.pass(1);
    FakeRecorder.last.chunk('eins ');
    page.pass(1);
    FakeRecorder.last.chunk('zwei');
    await vi.waitFor(async () => {
      expect((await openPage().deps.store.unfinished('anna', 'generic'))[0]?.bytes).toBe(9);
    });
    const next = made(openPage().deps);
    await next.refresh();
    const [found] = next.snapshot().recovered;
    const restored = next.restore(found?.id ?? '');
    expect(next.snapshot()).toMatchObject({ state: { status: 'idle' }, restoring: true });
    await restored;
    expect(next.snapshot()).toMatchObject({
      state: { status: 'recorded', recording: { seconds: 2, bytes: 9 } },
      recovered: [],
      restoring: false,
      bytes: 9,
    });
    next.discardAll();
    await vi.waitFor(async () => expect(await openPage().deps.store.unfinished('anna', 'generic')).toHaveLength(0));
  });

  test('a running recording is not given up for it', async () => {
    await recording();
    FakeRecorder.last.chunk('old');
    await vi.waitFor(async () => expect(await openPage().deps.store.unfinished('anna', 'generic')).toHaveLength(1));
    const next = await recording(openPage().deps);
    await next.refresh();
    await next.restore(next.snapshot().recovered[0]?.id ?? '');
    expect(next.snapshot()).toMatchObject({ state: { status: 'recording' }, recovered: [{ bytes: 3 }] });
  });

  test('and can be discarded', async () => {
    await recording();
    FakeRecorder.last.chunk('x');
    await vi.waitFor(async () => expect(await openPage().deps.store.unfinished('anna', 'generic')).toHaveLength(1));
    const next = made(openPage().deps);
    await next.refresh();
    await next.discard(next.snapshot().recovered[0]?.id ?? '');
    expect(next.snapshot().recovered).toEqual([]);
  });

  test('A recording deleted meanwhile is an error', async () => {
    const recorder = made();
    await recorder.restore('gone');
    expect(notices).toEqual([{ type: 'error', code: 'processing', kept: false }]);
  });

  test('Offers a recording once the other page has released it', async () => {
    const locks = new FakeLocks();
    const inBrowser = (): RecorderDeps => {
      const liveness = lockLiveness(locks.manager);
      return { ...page.deps, store: createChunkStore({ liveness, name: `recovery-${count}` }) };
    };
    const before = made(inBrowser());
    const leaveBefore = before.open();
    await before.start();
    FakeRecorder.last.chunk('x');
    await vi.waitFor(async () => expect(await openPage().deps.store.unfinished('anna', 'generic')).toHaveLength(1));
    const [left, next] = [made(inBrowser()), made(inBrowser())];
    const leave = left.open();
    next.open();
    await vi.waitFor(() => expect(locks.waiting).toBe(2));
    leave();
    await vi.waitFor(() => expect(locks.waiting).toBe(1));
    expect([before.snapshot().state.status, next.snapshot().recovered]).toEqual(['recording', []]);
    leaveBefore();
    FakeRecorder.last.end();
    await vi.waitFor(() => expect(next.snapshot().recovered).toMatchObject([{ bytes: 1 }]));
    expect(left.snapshot().recovered).toEqual([]);
  });

  test.each([['recording'], ['stopping']])('Keeps the last second of one that is left while %s', async (status) => {
    const recorder = made();
    const leave = recorder.open();
    await recorder.start();
    const native = FakeRecorder.last;
    native.chunk('eins ');
    page.pass(1.5);
    if (status === 'stopping') recorder.stop();
    leave();
    expect(page.track.stops).toBeGreaterThan(0);
    native.end('zwei');
    const next = made(page.deps);
    await vi.waitFor(async () => {
      await next.refresh();
      expect(next.snapshot().recovered).toMatchObject([{ bytes: 9, seconds: 1.5 }]);
    });
    expect(page.timers.size).toBe(0);
  });

  test('Offers a recording that was left although its recorder never says that it has stopped', async () => {
    const recorder = made();
    const leave = recorder.open();
    await recorder.start();
    FakeRecorder.last.chunk('eins ');
    leave();
    page.pass(3.1);
    FakeRecorder.last.end('zwei');
    const next = made(page.deps);
    await vi.waitFor(async () => {
      await next.refresh();
      expect(next.snapshot().recovered).toMatchObject([{ bytes: 5 }]);
    });
  });

  test.each([
    ['arrived: it is gone', true, 0],
    ['failed: it is offered', false, 1],
  ])('What is sent when its screen is left is not offered meanwhile. It %s', async (_end, arrives, left) => {
    const recorder = made();
    const leave = recorder.open();
    await recorder.start();
    FakeRecorder.last.chunk('x');
    recorder.stop();
    FakeRecorder.last.end();
    await vi.waitFor(async () => expect(await openPage().deps.store.unfinished('anna', 'generic')).toHaveLength(1));
    const letGo = recorder.hold();
    leave();
    const again = made();
    await again.refresh();
    expect(again.snapshot().recovered).toEqual([]);
    if (arrives) recorder.discardAll();
    letGo();
    await vi.waitFor(async () => expect(await page.deps.store.unfinished('anna', 'generic')).toHaveLength(left));
    expect(await openPage().deps.store.unfinished('anna', 'generic')).toHaveLength(left);
  });

  test('a device that keeps nothing does not disturb the recording, and it shows', async () => {
    const store = { ...page.deps.store, begin: () => Promise.reject(new DOMException('', 'QuotaExceededError')) };
    const recorder = await recording({ ...page.deps, store });
    FakeRecorder.last.chunk('x');
    await vi.waitFor(() => expect(recorder.snapshot().safe).toBe(false));
    recorder.stop();
    FakeRecorder.last.end();
    expect(recorder.snapshot().state.status).toBe('recorded');
  });
});

describe('A new recording replaces the last one only once it is finished', () => {
  const offered = () => openPage().deps.store.unfinished('anna', 'generic');
  const recordOne = async (): Promise<Recorder> => {
    const recorder = await recording();
    page.pass(300);
    FakeRecorder.last.chunk('five minutes');
    recorder.stop();
    FakeRecorder.last.end();
    expect(recorder.snapshot().state.status).toBe('recorded');
    return recorder;
  };

  test('the last one can be kept while the new one runs', async () => {
    const recorder = await recordOne();
    recorder.putAside();
    expect(recorder.snapshot()).toMatchObject({ state: { status: 'idle' }, previous: { bytes: 12 } });
    await recorder.start();
    FakeRecorder.last.chunk('no');
    recorder.keepPrevious();
    expect(page.released).toBe(true);
    expect(recorder.snapshot()).toMatchObject({
      state: { status: 'recorded', recording: { seconds: 300, bytes: 12 } },
      previous: undefined,
    });
    await vi.waitFor(async () => expect(await offered()).toMatchObject([{ bytes: 12 }]));
  });

  test('the finished new one takes its place, on this device too', async () => {
    const recorder = await recordOne();
    recorder.putAside();
    await recorder.start();
    FakeRecorder.last.chunk('new');
    recorder.stop();
    FakeRecorder.last.end();
    expect(recorder.snapshot()).toMatchObject({ state: { recording: { bytes: 3 } }, previous: undefined });
    await vi.waitFor(async () => expect(await offered()).toMatchObject([{ bytes: 3 }]));
  });

  test('leaving the screen keeps both to be offered again', async () => {
    const recorder = made();
    const leave = recorder.open();
    await recorder.start();
    FakeRecorder.last.chunk('five minutes');
    recorder.stop();
    FakeRecorder.last.end();
    recorder.putAside();
    leave();
    expect(recorder.snapshot().previous).toBeUndefined();
    await vi.waitFor(async () => expect(await page.deps.store.unfinished('anna', 'generic')).toHaveLength(1));
  });
});

describe('useRecorder', () => {
  const open = () => renderHook(() => useRecorder({ ...PLACE, deps: page.deps }), { wrapper: StrictMode });

  test('Gives state, seconds and recording (§2.6)', async () => {
    const { result } = open();
    await act(async () => result.current.start());
    act(() => {
      page.pass(61);
      FakeRecorder.last.chunk('x');
    });
    expect(result.current).toMatchObject({ seconds: 61, bytes: 1, safe: true, recording: undefined });
    expect(result.current.readLevel()).toBe(0.5);
    act(() => {
      result.current.stop();
      FakeRecorder.last.end();
    });
    expect(result.current.recording).toMatchObject({ seconds: 61, bytes: 1 });
  });

  test('leaving the screen releases the microphone, and what was recorded is offered on the way back', async () => {
    const { result, unmount } = open();
    await act(async () => result.current.start());
    act(() => FakeRecorder.last.chunk('x'));
    unmount();
    FakeRecorder.last.end();
    expect(page.released).toBe(true);
    await vi.waitFor(async () => expect(await page.deps.store.unfinished('anna', 'generic')).toHaveLength(1));
    const again = open();
    await vi.waitFor(() => expect(again.result.current.recovered).toHaveLength(1));
  });
});
