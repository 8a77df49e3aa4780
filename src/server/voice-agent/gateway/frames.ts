import { WebSocket, type RawData } from 'ws';
import type { Clock } from '../clock.ts';
import type { VoiceLimits } from '../settings.ts';
import { ENDINGS, type Ending } from '../errors.ts';
import { decodeFrame, readClientMessage, type ClientMessage } from '../wire.ts';

type FrameResult = Readonly<{ ok: true; message: ClientMessage } | { ok: false; ending: Ending }>;

/** Checks the frames of one client: order, shape, size and rate. */
export function createFrameReader(limits: VoiceLimits, clock: Clock) {
  const messages = createTokenBucket(limits.messagesPerSecond * 2, limits.messagesPerSecond / 1000, clock.now());
  const audio = createTokenBucket(limits.audioBytesPerMinute, limits.audioBytesPerMinute / 60_000, clock.now());
  let initiated = false;
  const reject = (ending: Ending): FrameResult => ({ ok: false, ending });
  return (data: RawData, isBinary: boolean): FrameResult => {
    if (isBinary) return reject(ENDINGS.binary);
    if (!messages.take(1, clock.now())) return reject(ENDINGS.tooFast);
    const message = readClientMessage(decodeFrame(data));
    if (message === undefined) return reject(ENDINGS.malformed);
    const initiation = message.type === 'conversation_initiation_client_data';
    if (initiation && initiated) return reject(ENDINGS.initiatedTwice);
    if (!initiation && !initiated) return reject(ENDINGS.notInitiated);
    initiated = true;
    if (message.type === 'user_audio_chunk' && !audio.take(message.audio.length, clock.now())) {
      return reject(ENDINGS.tooMuchAudio);
    }
    return { ok: true, message };
  };
}

/** Longest delay by a database that does not answer; the turn is written later. */
const SHOW_AFTER_MS = 5_000;

/** Delivers messages in order; one that waits for the database holds back those behind it. */
export function createDelivery<T>(put: (message: T) => void, clock: Clock) {
  let waiting = 0;
  let last = Promise.resolve();
  const hurried = Promise.withResolvers<void>();

  const enqueue = (until: Promise<void>, work: () => void): void => {
    waiting += 1;
    last = runAfter([last, until], () => {
      waiting -= 1;
      work();
    });
  };

  const limitWait = (until: Promise<void>): Promise<void> => {
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(SHOW_AFTER_MS, late.resolve);
    return Promise.race([runAfter([until], cancel), late.promise, hurried.promise]);
  };

  return {
    /** Waits for `until`, but no longer than SHOW_AFTER_MS. */
    send: (message: T, until?: Promise<void>): void => {
      if (until !== undefined) enqueue(limitWait(until), () => put(message));
      else if (waiting > 0) enqueue(Promise.resolve(), () => put(message));
      else put(message);
    },
    /** Runs `work` after all messages so far; at once where none waits. */
    afterAll: (work: () => void): void => {
      if (waiting > 0) enqueue(Promise.resolve(), work);
      else work();
    },
    /** From now on nothing waits for the database. */
    hurry: hurried.resolve,
  };
}

async function runAfter(before: readonly Promise<void>[], work: () => void): Promise<void> {
  await Promise.all(before);
  work();
}

/** Bytes buffered for a peer that does not read. */
const UNREAD_MAX = 4 * 1024 * 1024;

/** Sends, and cuts off a peer that leaves too much unread. */
export function sendOrCut(socket: WebSocket, text: string): void {
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.send(text);
  if (socket.bufferedAmount > UNREAD_MAX) socket.terminate();
}

/** The official client replaces its listener at the metadata and misses messages that arrive together with it. */
const AFTER_METADATA_MS = 30;

/** Sends messages to one client in order, the metadata first. */
export function createSendQueue(socket: WebSocket) {
  let metadataSent = false;
  let waiting: string[] | undefined;

  const send = (text: string): void => sendOrCut(socket, text);

  const flush = (): void => {
    const texts = waiting ?? [];
    waiting = undefined;
    for (const text of texts) send(text);
  };

  const sendMetadata = (metadata: string): void => {
    metadataSent = true;
    send(metadata);
    waiting = [];
    // Real time instead of the injected clock: the delay concerns packets.
    setTimeout(flush, AFTER_METADATA_MS);
  };

  return {
    put: (message: Readonly<{ type?: unknown }>): void => {
      const text = JSON.stringify(message);
      if (message.type === 'conversation_initiation_metadata') sendMetadata(text);
      // The client swallows messages before the metadata, and its start hangs.
      else if (!metadataSent) return;
      else if (waiting === undefined) send(text);
      else waiting.push(text);
    },
    /** Sends waiting messages at once. */
    flush,
  };
}

/**
 * A rate limit whose tokens come back with time: `perMs` a millisecond, up to `capacity`. The caller gives the time.
 * `take` is false where too few are left.
 */
export function createTokenBucket(capacity: number, perMs: number, startMs: number) {
  let level = capacity;
  let last = startMs;
  return {
    take: (amount: number, nowMs: number): boolean => {
      level = Math.min(capacity, level + Math.max(0, nowMs - last) * perMs);
      last = nowMs;
      if (amount > level) return false;
      level -= amount;
      return true;
    },
  };
}
