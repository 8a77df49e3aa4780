import type { Page } from '@playwright/test';
import { expect } from './application.ts';

/**
 * One end of a conversation as the page itself saw it: what every microphone was in the very next task, and how long it
 * took.
 */
export type SeenEnding = Readonly<{ cause: string; microphones: readonly string[]; ms: number }>;

type Watched = { microphones?: MediaStreamTrack[]; endings?: SeenEnding[] };

/**
 * Runs in the page, before anything else: notes each microphone, each thing that ends a conversation, and what follows.
 */
export function watchEndings(): void {
  const tracks: MediaStreamTrack[] = [];
  const endings: SeenEnding[] = [];
  Object.assign(globalThis, { microphones: tracks, endings } satisfies Watched);
  const states = (): string[] => tracks.map((track) => track.readyState);
  let stopped = 0;
  const stop: MediaStreamTrack['stop'] = Reflect.get(MediaStreamTrack.prototype, 'stop');
  MediaStreamTrack.prototype.stop = function stopNoted() {
    if (this.readyState === 'live') stopped = performance.now();
    stop.call(this);
  };
  const open: MediaDevices['getUserMedia'] = Reflect.get(MediaDevices.prototype, 'getUserMedia');
  MediaDevices.prototype.getUserMedia = async function openNoted(constraints) {
    const stream = await open.call(this, constraints);
    tracks.push(...stream.getTracks());
    return stream;
  };
  const note = (cause: string): void => {
    const begun = performance.now();
    // The next task, however slow the machine: messages come before any timer, and no test's clock holds them.
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      endings.push({ cause, microphones: states(), ms: Math.max(0, stopped - begun) });
      port1.close();
    });
    port1.start();
    port2.postMessage('next');
  };
  globalThis.WebSocket = class extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('close', ({ code }) => note(`close ${code}`));
      this.addEventListener('message', ({ data }) => {
        if (String(data).includes('"end_call"')) note('end_call');
      });
    }
  };
  const abort: AbortController['abort'] = Reflect.get(AbortController.prototype, 'abort');
  AbortController.prototype.abort = function abortNoted(reason) {
    if (reason instanceof DOMException && reason.name === 'TimeoutError') note('time-out');
    abort.call(this, reason);
  };
  addEventListener('click', ({ target }) => target instanceof Element && note(`click ${target.textContent}`), true);
  // Within the task that takes the screen away.
  new MutationObserver((changes) => {
    const gone = changes.flatMap((change) => [...change.removedNodes]);
    if (gone.some((node) => node.textContent?.includes('Interview Transkript') === true)) {
      endings.push({ cause: 'screen gone', microphones: states(), ms: 0 });
    }
  }).observe(document, { childList: true, subtree: true });
}

/** `readyState` of every microphone that the page has opened so far. */
export function microphones(page: Page): Promise<string[]> {
  return page.evaluate(() => ((globalThis as Watched).microphones ?? []).map((track) => track.readyState));
}

export function endings(page: Page): Promise<SeenEnding[]> {
  return page.evaluate(() => (globalThis as Watched).endings ?? []);
}

/** §4 'The microphone is always released': in the task after `cause` none was open any more. */
export async function expectReleasedBy(page: Page, cause: string): Promise<void> {
  await expect
    .poll(async () => (await endings(page)).findLast((ending) => ending.cause === cause)?.microphones)
    .toEqual((await microphones(page)).map(() => 'ended'));
}
