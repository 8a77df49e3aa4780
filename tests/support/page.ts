import { builtinEnvironments } from 'vitest/runtime';

type Page = Awaited<ReturnType<typeof builtinEnvironments.jsdom.setup>>;

declare global {
  /** Outlasts the modules of the file that opened it. */
  var pageBefore: Page | undefined;
}

/** Nothing has this address, so no server of this machine answers for a backend that a test has left out. */
const ADDRESS = 'http://beitraege.invalid';

/** Opens a new page in place of the one that an earlier file of this worker had. */
export async function openPage(): Promise<void> {
  await closePage();
  const { Request, URL } = globalThis;
  const page = await builtinEnvironments.jsdom.setup(globalThis, { jsdom: { url: ADDRESS } });
  globalThis.pageBefore = {
    teardown: async (global) => {
      await page.teardown(global);
      // A page leaves its own in their place.
      Object.assign(global, { Request, URL });
    },
  };
}

export async function closePage(): Promise<void> {
  await globalThis.pageBefore?.teardown(globalThis);
  globalThis.pageBefore = undefined;
}

type Ending = () => void;

/** Remembers what would outlast the page, timers and channels, until the returned function ends it. */
export function watchPage(): Ending {
  const endings = [watchTimers('setTimeout'), watchTimers('setInterval', holdPolls), watchChannels()];
  return () => endings.forEach((end) => end());
}

/** Polls come by the clock of a test only: by that of a busy machine one may come in the middle of any test. */
function holdPolls(ms: number): number {
  return ms < 10_000 ? ms : 2 ** 31 - 1;
}

function watchTimers(name: 'setTimeout' | 'setInterval', pace = (ms: number): number => ms): Ending {
  const original = globalThis[name];
  const started: NodeJS.Timeout[] = [];
  const watched = new Proxy(original, {
    apply: (target, self, [work, ms = 0, ...given]: Parameters<typeof setTimeout>) => {
      const timer = Reflect.apply(target, self, [work, pace(ms), ...given]);
      started.push(timer);
      return timer;
    },
  });
  Object.assign(globalThis, { [name]: watched });
  return () => {
    Object.assign(globalThis, { [name]: original });
    for (const timer of started) clearTimeout(timer);
  };
}

/** A module of an earlier file would go on answering what a later one says. */
function watchChannels(): Ending {
  const original = globalThis.BroadcastChannel;
  const opened: BroadcastChannel[] = [];
  globalThis.BroadcastChannel = class extends original {
    constructor(name: string) {
      super(name);
      opened.push(this);
    }
  };
  return () => {
    globalThis.BroadcastChannel = original;
    for (const channel of opened) channel.close();
  };
}
