import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/** Smaller contents are hashed sooner than a thread is told of them. */
export const LARGE_BYTES = 1024 * 1024;

type Checksum = Readonly<{
  /** Resolves when the chunk before is hashed: a chunk has to stay as it is until the next one is taken. */
  update: (chunk: Buffer) => Promise<void>;
  /** Hexadecimal. */
  digest: () => Promise<string>;
}>;

/**
 * Computes SHA-256 of one content after another; of large ones on another thread, while this one reads and writes
 * (decision 0433). Chunks in shared memory are not copied.
 */
export function createChecksums() {
  let thread: HashThread | undefined;
  let closed = false;
  return {
    begin: (size: number): Checksum => {
      if (closed) throw new Error('the checksums are given up');
      return size < LARGE_BYTES ? hashHere() : hashElsewhere((thread ??= startThread()));
    },
    /** Ends the thread; a content that is not complete gets no checksum. */
    close: async (): Promise<void> => {
      closed = true;
      await thread?.stop();
    },
  };
}

export type Checksums = ReturnType<typeof createChecksums>;

function hashHere(): Checksum {
  const hash = createHash('sha256');
  return { update: async (chunk) => void hash.update(chunk), digest: async () => hash.digest('hex') };
}

function hashElsewhere({ ask }: HashThread): Checksum {
  let last = Promise.resolve('');
  return {
    update: async (chunk) => {
      const before = last;
      last = ask(chunk);
      last.catch(() => undefined);
      await before;
    },
    digest: async () => {
      await last;
      return ask(null);
    },
  };
}

type HashThread = ReturnType<typeof startThread>;

function startThread() {
  const worker = new Worker(new URL('sha256-thread.ts', import.meta.url));
  const asked: PromiseWithResolvers<string>[] = [];
  let failure: unknown;
  worker.on('message', (answer: string) => asked.shift()?.resolve(answer));
  worker.on('error', (error) => {
    failure = error;
    for (const { reject } of asked) reject(error);
  });
  return {
    /** Answers come in the order of the questions. Rejects when the thread has failed. */
    ask: async (chunk: Buffer | null): Promise<string> => {
      if (failure !== undefined) throw failure;
      const answer = Promise.withResolvers<string>();
      asked.push(answer);
      worker.postMessage(chunk, []);
      return answer.promise;
    },
    stop: async (): Promise<void> => void (await worker.terminate()),
  };
}
