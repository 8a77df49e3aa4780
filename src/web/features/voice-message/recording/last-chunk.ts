import type { StoredChunks } from './chunk-store.ts';
import type { MicrophoneSession } from './microphone.ts';

/** A recorder without a 'stop' event for this long counts as stopped. */
export const STOP_TIMEOUT_MS = 3_000;

/** Leaves a running recording: its last chunk comes after the stop and is stored before the recording is offered. */
export function leaveSession(
  session: MicrophoneSession,
  stored: StoredChunks,
  seconds: number,
  every: (ms: number, call: () => void) => () => void,
): void {
  const letGo = stored.hold();
  let stopWaiting = (): void => undefined;
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    stopWaiting();
    letGo();
  };
  stopWaiting = every(STOP_TIMEOUT_MS, end);
  session.release({ onChunk: (chunk) => ended || stored.append(chunk, seconds), onStopped: end });
}
