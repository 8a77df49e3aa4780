import { act, renderHook } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { getBrowserRecognition, type RecognitionConstructor, type RecognitionEvents } from './browser-recognition.ts';
import { LiveRecognition, joinText } from './live-recognition.ts';
import { useLiveRecognition } from './use-live-recognition.ts';

type Words = readonly [text: string, isFinal: boolean];

class FakeRecognition extends EventTarget {
  static made: FakeRecognition[] = [];
  lang = '';
  continuous = false;
  interimResults = false;
  maxAlternatives = 0;
  start = vi.fn();
  stop = vi.fn();
  abort = vi.fn();
  constructor() {
    super();
    FakeRecognition.made.push(this);
  }
  hears(...words: Words[]): void {
    const results = words.map(([transcript, isFinal]) => Object.assign([{ transcript }], { isFinal }));
    this.#say('result', { resultIndex: 0, results });
  }
  fails(error: string): void {
    this.#say('error', { error });
  }
  ends(): void {
    this.#say('end', {});
  }
  #say(type: keyof RecognitionEvents, event: object): void {
    this.dispatchEvent(Object.assign(new Event(type), event));
  }
}

/** Chrome and Edge ≥ 139. */
class OnDevice extends FakeRecognition {
  processLocally = false;
}

const asConstructor = (fake: typeof FakeRecognition): RecognitionConstructor =>
  fake as unknown as RecognitionConstructor;

let timers: Map<() => void, number>;
const after = (ms: number, call: () => void): (() => void) => {
  timers.set(call, ms);
  return () => void timers.delete(call);
};
function elapse(): void {
  const due = [...timers.keys()];
  timers.clear();
  for (const call of due) call();
}
const current = (): FakeRecognition => {
  const last = FakeRecognition.made.at(-1);
  if (last === undefined) throw new Error('none made');
  return last;
};
const make = (fake: typeof FakeRecognition = OnDevice, cloud = false): LiveRecognition =>
  new LiveRecognition({ Recognition: asConstructor(fake), cloud, after });

beforeEach(() => {
  FakeRecognition.made = [];
  timers = new Map();
});

describe('Recognition off the device needs the consent of the operator', () => {
  test('Runs on the device', () => {
    const live = make();
    live.start();
    expect(current()).toMatchObject({ processLocally: true, lang: 'de-DE', continuous: true, interimResults: true });
    expect(current().start).toHaveBeenCalledOnce();
    expect(live.snapshot().status).toBe('listening');
  });

  test('Does not use a browser that needs a cloud', () => {
    const live = make(FakeRecognition);
    live.start();
    expect(current().start).not.toHaveBeenCalled();
    expect(live.snapshot().status).toBe('unavailable');
  });

  test('Uses it with the consent of the operator', () => {
    const live = make(FakeRecognition, true);
    live.start();
    expect(current().start).toHaveBeenCalledOnce();
    const local = make(OnDevice, true);
    local.start();
    expect(current()).toMatchObject({ processLocally: false });
  });

  test('Is unavailable in Firefox', async () => {
    const live = new LiveRecognition({ Recognition: undefined, cloud: true, after });
    live.start();
    expect(live.snapshot().status).toBe('unavailable');
    expect(await live.stop()).toBe('');
  });
});

describe('Recognized text', () => {
  test('Shows interim words and keeps final ones', () => {
    const live = make();
    live.start();
    current().hears(['Guten', false]);
    expect(live.snapshot()).toMatchObject({ final: '', interim: 'Guten' });
    current().hears(['Guten Tag.', true], [' Wir haben', false]);
    expect(live.snapshot()).toMatchObject({ final: 'Guten Tag.', interim: 'Wir haben' });
  });

  test('Restarts after a pause and continues the text', async () => {
    const live = make();
    live.start();
    current().hears(['Guten Tag.', true]);
    current().ends();
    expect(live.snapshot().status).toBe('listening');
    elapse();
    expect(FakeRecognition.made).toHaveLength(2);
    current().hears([' Wir haben', true]);
    const done = live.stop();
    current().ends();
    expect(await done).toBe('Guten Tag. Wir haben');
    expect(live.snapshot()).toEqual({ status: 'off', final: 'Guten Tag. Wir haben', interim: '' });
  });

  test('Waits for the last words after the end of the recording', async () => {
    const live = make();
    live.start();
    current().hears(['die Prüfmaschine', false]);
    const done = live.stop();
    expect(current().stop).toHaveBeenCalledOnce();
    current().hears(['die Prüfmaschine.', true]);
    current().ends();
    expect(await done).toBe('die Prüfmaschine.');
  });

  test('Stops waiting for the last words after 2 s', async () => {
    const live = make();
    live.start();
    current().hears(['Eins.', true]);
    const done = live.stop();
    expect([...timers.values()]).toEqual([2_000]);
    elapse();
    expect(await done).toBe('Eins.');
    expect(current().abort).toHaveBeenCalled();
  });

  test.each<[string, (live: LiveRecognition) => void]>([
    ['does not finish in time', () => elapse()],
    ['ends without', () => current().ends()],
    ['fails meanwhile', () => current().fails('network')],
    ['goes on after a short pause', (live) => live.start()],
  ])('Keeps the last words that were shown where a browser %s making them final', async (_how, end) => {
    const live = make();
    live.start();
    current().hears(['Eins.', true], [' die Prüf', false]);
    const done = live.stop();
    end(live);
    expect(await done).toBe('Eins. die Prüf');
    expect(live.snapshot()).toMatchObject({ final: 'Eins. die Prüf', interim: '' });
  });

  test('Goes on before the last words of a short pause have come, and keeps those it had', async () => {
    const live = make();
    live.start();
    current().hears(['Eins.', true]);
    const paused = live.stop();
    live.start();
    expect(await paused).toBe('Eins.');
    current().hears(['Zwei.', true]);
    expect(live.snapshot()).toMatchObject({ status: 'listening', final: 'Eins. Zwei.' });
  });

  test('Ignores results of an ended run', () => {
    const live = make();
    live.start();
    const first = current();
    first.ends();
    elapse();
    first.hears(['Geist', true]);
    expect(live.snapshot().final).toBe('');
  });

  test('Ends at once between two runs', async () => {
    const live = make();
    live.start();
    current().hears(['Eins.', true]);
    current().ends();
    expect(await live.stop()).toBe('Eins.');
    elapse();
    expect(FakeRecognition.made).toHaveLength(1);
  });

  test('Starts a new recording without text', () => {
    const live = make();
    live.start();
    current().hears(['alt', true]);
    live.clear();
    expect(live.snapshot()).toEqual({ status: 'off', final: '', interim: '' });
    live.start();
    current().hears(['neu', true]);
    expect(live.snapshot().final).toBe('neu');
  });
});

describe('Errors of the browser', () => {
  test.each(['network', 'not-allowed', 'service-not-allowed', 'language-not-supported', 'audio-capture'])(
    '%s: it is given up, what was understood stays',
    async (error) => {
      const live = make();
      live.start();
      current().hears(['Eins.', true]);
      current().fails(error);
      expect(live.snapshot()).toMatchObject({ status: 'unavailable', final: 'Eins.' });
      elapse();
      expect(FakeRecognition.made).toHaveLength(1);
      expect(await live.stop()).toBe('Eins.');
    },
  );

  test('Restarts after any number of no-speech errors', () => {
    const live = make();
    live.start();
    for (let silence = 0; silence < 20; silence++) {
      current().fails('no-speech');
      current().ends();
      elapse();
    }
    expect(live.snapshot().status).toBe('listening');
  });

  test('Gives up on a browser that ends again and again', () => {
    const live = make();
    live.start();
    for (let round = 0; round < 10; round++) {
      if (live.snapshot().status === 'listening') current().ends();
      elapse();
    }
    expect(live.snapshot().status).toBe('unavailable');
    expect(FakeRecognition.made).toHaveLength(5);
  });

  test('Gives up on a browser that throws on start', () => {
    class Throwing extends OnDevice {
      override start = vi.fn(() => {
        throw new DOMException('', 'InvalidStateError');
      });
    }
    const live = make(Throwing);
    live.start();
    for (let round = 0; round < 10; round++) elapse();
    expect(live.snapshot().status).toBe('unavailable');
  });
});

describe('useLiveRecognition', () => {
  test('follows the recorder, keeps the text over a pause and is silent after leaving', async () => {
    const track = new EventTarget() as MediaStreamTrack;
    const { result, rerender, unmount } = renderHook(
      ({ active }) => useLiveRecognition({ active, track, cloud: false, Recognition: asConstructor(OnDevice) }),
      { initialProps: { active: false } },
    );
    expect(FakeRecognition.made).toHaveLength(0);
    rerender({ active: true });
    expect(current().start).toHaveBeenCalledWith(track);
    act(() => current().hears(['Eins.', true]));
    rerender({ active: false });
    act(() => current().ends());
    expect(result.current).toMatchObject({ status: 'off', final: 'Eins.' });
    rerender({ active: true });
    act(() => current().hears(['Zwei.', true]));
    rerender({ active: false });
    act(() => current().ends());
    expect(await result.current.finish()).toBe('Eins. Zwei.');
    rerender({ active: true });
    unmount();
    expect(current().abort).toHaveBeenCalled();
  });
});

test('Finds the prefixed API of Safari', () => {
  const Recognition = asConstructor(FakeRecognition);
  expect(getBrowserRecognition({ webkitSpeechRecognition: Recognition })).toBe(Recognition);
  expect(getBrowserRecognition({})).toBeUndefined();
});

test('Joins pieces by one space', () => {
  expect(joinText([' a ', '', 'b  '])).toBe('a b');
});
