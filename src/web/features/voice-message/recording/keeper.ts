import type { ChunkSession, ChunkStore } from './chunk-store.ts';

/**
 * The recording at hand as it is kept on this device. Nothing here ever rejects: a full device must not disturb a
 * recording.
 */
export type Keeper = Readonly<{
  begin: (of: Parameters<ChunkStore['begin']>[0]) => void;
  /** Goes on with a recording of an earlier visit. */
  adopt: (session: ChunkSession) => void;
  append: (chunk: Blob, seconds: number) => void;
  /** Leaves nothing behind. */
  discard: () => void;
  /** Keeps what is there and lets go of it. */
  leave: () => void;
}>;

/** `onUnsafe`: from here on a crash would lose the recording. */
export function createKeeper(store: ChunkStore, onUnsafe: () => void): Keeper {
  let current: Promise<ChunkSession | undefined> = Promise.resolve(undefined);
  const end = (how: (session: ChunkSession) => void | Promise<void>): void => {
    const ending = current;
    current = Promise.resolve(undefined);
    void ending.then((session) => session && how(session)).catch(() => undefined);
  };
  return {
    begin: (of) => {
      current = store.begin(of).catch(() => {
        onUnsafe();
        return undefined;
      });
    },
    adopt: (session) => void (current = Promise.resolve(session)),
    append: (chunk, seconds) => void current.then((session) => session?.append(chunk, seconds)).catch(onUnsafe),
    discard: () => end((session) => session.discard()),
    leave: () => end((session) => session.leave()),
  };
}
