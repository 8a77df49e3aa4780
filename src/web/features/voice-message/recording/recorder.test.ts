import 'fake-indexeddb/auto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { FakePage, FakeRecorder } from '#tests/support/web/fake-browser.ts';
import type { RecorderDeps } from './recorder-deps.ts';
import { Recorder } from './recorder.ts';
import type { RecorderNotice } from './state.ts';

const PLACE = { owner: 'anna', area: 'generic' };
let count = 0;
let page: FakePage;
let notices: RecorderNotice[];
const openPage = (): FakePage => new FakePage(`recorder-${count}`);

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

test('Records, counts, stops and hands over the recording (§2.6)', async () => {
  const recorder = await recording();
  const native = FakeRecorder.last;
  expect(native.timeslice).toBe(1_000);
  expect(native.mimeType).toBe('audio/webm;codecs=opus');
  expect(page.awake).toBe(1);
  expect(recorder.snapshot().track).toBe(page.track);
  page.pass(1);
  native.chunk('eins ');
  expect(recorder.snapshot()).toMatchObject({ state: { status: 'recording', seconds: 1 }, bytes: 5 });
  expect(recorder.readLevel()).toBe(0.5);
  page.pass(0.7);
  recorder.stop();
  expect(native.state).toBe('inactive');
  expect(recorder.snapshot().state.status).toBe('stopping');
  native.end('zwei');
  const { state } = recorder.snapshot();
  expect(state).toMatchObject({ status: 'recorded', recording: { seconds: 1.7, bytes: 9, extension: 'webm' } });
  expect(recorder.readLevel()).toBe(0);
  expect(notices).toEqual([{ type: 'started' }, { type: 'stopped', automatic: false }]);
  expect(page.released).toBe(true);
});

test('Stops at 300 s by itself (§2.6)', async () => {
  const recorder = await recording();
  FakeRecorder.last.chunk('x');
  page.pass(299.9);
  expect(FakeRecorder.last.state).toBe('recording');
  page.pass(0.1);
  expect(FakeRecorder.last.state).toBe('inactive');
  FakeRecorder.last.end();
  expect(recorder.snapshot().state).toMatchObject({ status: 'recorded', recording: { seconds: 300 } });
  expect(notices.at(-1)).toEqual({ type: 'stopped', automatic: true });
});

test('Stops at 300 s even where timers sleep, as chunks come all the same (§2.6)', async () => {
  await recording();
  page.now = 301_000;
  FakeRecorder.last.chunk('x');
  expect(FakeRecorder.last.state).toBe('inactive');
});

test('A pause does not count (§2.6)', async () => {
  const recorder = await recording();
  page.pass(2);
  recorder.pause();
  expect(FakeRecorder.last.state).toBe('paused');
  page.pass(60);
  expect(recorder.snapshot()).toMatchObject({ state: { seconds: 2, paused: true } });
  recorder.resume();
  page.pass(1);
  expect(recorder.snapshot().state).toMatchObject({ seconds: 3, paused: false });
});

const refused = (name: string): Partial<RecorderDeps> => ({
  media: openPage().media(() => Promise.reject(new DOMException('', name))),
});

describe('§8 recording errors', () => {
  test.each([
    ['unsupported', { media: undefined }],
    ['unsupported', { MediaRecorderClass: undefined }],
    [
      'unsupported',
      { MediaRecorderClass: Object.assign(class extends FakeRecorder {}, { isTypeSupported: () => false }) },
    ],
    ['permission', refused('NotAllowedError')],
    ['no-microphone', refused('NotFoundError')],
    ['microphone', refused('NotReadableError')],
    ['audio-init', { MediaRecorderClass: throwing('constructor') }],
    ['start', { MediaRecorderClass: throwing('start') }],
  ] as unknown as [string, Partial<RecorderDeps>][])('%s', async (code, changes) => {
    const recorder = made({ ...page.deps, ...changes });
    await recorder.start();
    expect(recorder.snapshot().state).toEqual({ status: 'error', code });
    expect(notices).toEqual([{ type: 'error', code, kept: false }]);
    if (code === 'audio-init' || code === 'start') expect(page.track.stops).toBe(1);
    expect(page.timers.size).toBe(0);
  });

  test('processing: a recording without a byte', async () => {
    const recorder = await recording();
    recorder.stop();
    FakeRecorder.last.end();
    expect(recorder.snapshot().state).toEqual({ status: 'error', code: 'processing' });
    expect(page.released).toBe(true);
  });

  test('stop: a recorder that refuses to stop still gives what came', async () => {
    const recorder = await recording();
    FakeRecorder.last.chunk('x');
    FakeRecorder.last.stop = () => {
      throw new DOMException('', 'InvalidStateError');
    };
    FakeRecorder.last.state = 'inactive';
    recorder.stop();
    expect(recorder.snapshot().state).toMatchObject({ status: 'recorded', recording: { bytes: 1 } });
    expect(page.released).toBe(true);
  });

  test('stop: a recorder that refuses to stop and gave nothing', async () => {
    const recorder = await recording();
    FakeRecorder.last.stop = () => {
      throw new DOMException('', 'InvalidStateError');
    };
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    recorder.stop();
    expect(recorder.snapshot().state).toEqual({ status: 'error', code: 'stop' });
    expect(page.released).toBe(true);
  });

  test('stop: a recorder that never says it has stopped', async () => {
    const recorder = await recording();
    FakeRecorder.last.chunk('x');
    recorder.stop();
    page.pass(2.9);
    expect(recorder.snapshot().state.status).toBe('stopping');
    page.pass(0.2);
    expect(recorder.snapshot().state.status).toBe('recorded');
    expect(page.released).toBe(true);
  });

  test('recording: the browser’s recorder breaks, what came is kept', async () => {
    const recorder = await recording();
    FakeRecorder.last.chunk('x');
    FakeRecorder.last.dispatchEvent(new Event('error'));
    FakeRecorder.last.end();
    expect(recorder.snapshot().state).toMatchObject({ status: 'recorded' });
    expect(notices.at(-1)).toEqual({ type: 'error', code: 'recording', kept: true });
    expect(page.released).toBe(true);
  });

  test('microphone: unplugged in the middle, what came is kept', async () => {
    const recorder = await recording();
    FakeRecorder.last.chunk('x');
    page.track.dispatchEvent(new Event('ended'));
    FakeRecorder.last.end();
    expect(recorder.snapshot().state).toMatchObject({ status: 'recorded' });
  });

  test('the chosen microphone is gone: the default one is taken', async () => {
    const getUserMedia = vi.fn(async (constraints?: MediaStreamConstraints) => {
      if (JSON.stringify(constraints).includes('exact')) throw new DOMException('', 'OverconstrainedError');
      return page.stream;
    });
    const recorder = made({ ...page.deps, media: page.media(getUserMedia) });
    await recorder.start('headset');
    expect(getUserMedia).toHaveBeenCalledTimes(2);
    expect(recorder.snapshot().state.status).toBe('recording');
  });
});

function throwing(where: 'constructor' | 'start'): unknown {
  return class extends FakeRecorder {
    constructor(stream: MediaStream, options: MediaRecorderOptions) {
      super(stream, options);
      if (where === 'constructor') throw new DOMException('', 'NotSupportedError');
    }
    override start(): void {
      throw new DOMException('', 'InvalidStateError');
    }
  };
}

describe('§4 any order of events', () => {
  test('Opens one microphone and says so where start is pressed twice', async () => {
    const { promise, resolve } = Promise.withResolvers<MediaStream>();
    const getUserMedia = vi.fn(() => promise);
    const recorder = made({ ...page.deps, media: page.media(getUserMedia) });
    const first = recorder.start();
    await recorder.start();
    expect(notices).toEqual([{ type: 'initialising' }]);
    resolve(page.stream);
    await first;
    expect(getUserMedia).toHaveBeenCalledOnce();
  });

  test('reset while the permission is asked for: the microphone that comes late is released', async () => {
    const { promise, resolve } = Promise.withResolvers<MediaStream>();
    const recorder = made({ ...page.deps, media: page.media(() => promise) });
    const starting = recorder.start();
    recorder.discardAll();
    resolve(page.stream);
    await starting;
    expect(page.track.stops).toBe(1);
    expect(recorder.snapshot().state.status).toBe('idle');
  });

  test('reset while recording releases everything and forgets the chunks', async () => {
    const recorder = await recording();
    FakeRecorder.last.chunk('x');
    recorder.discardAll();
    expect(page.released).toBe(true);
    FakeRecorder.last.end('late');
    expect(recorder.snapshot()).toMatchObject({ state: { status: 'idle' }, bytes: 0 });
    await vi.waitFor(async () => expect(await openPage().deps.store.unfinished('anna', 'generic')).toHaveLength(0));
  });
});
