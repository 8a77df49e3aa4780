import type { RawData } from 'ws';
import type { Clock } from '../clock.ts';
import type { VoiceLimits } from '../settings.ts';
import { ENDINGS, type Ending } from '../wire/ending.ts';
import { decodeFrame, readClientMessage, type ClientMessage } from '../wire/messages.ts';
import { createTokenBucket } from './token-bucket.ts';

type FrameResult = Readonly<{ ok: true; message: ClientMessage } | { ok: false; ending: Ending }>;

/** Checks the frames of one client: order, shape, size and rate. */
export type FrameReader = (data: RawData, isBinary: boolean) => FrameResult;

export function createFrameReader(limits: VoiceLimits, clock: Clock): FrameReader {
  const messages = createTokenBucket(limits.messagesPerSecond * 2, limits.messagesPerSecond / 1000, clock.now());
  const audio = createTokenBucket(limits.audioBytesPerMinute, limits.audioBytesPerMinute / 60_000, clock.now());
  let initiated = false;
  return (data, isBinary) => {
    if (isBinary) return reject(ENDINGS.binary);
    if (!messages.take(1, clock.now())) return reject(ENDINGS.tooFast);
    const read = readClientMessage(decodeFrame(data));
    if (!read.ok) return reject(ENDINGS.malformed);
    const { message } = read;
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

function reject(ending: Ending): FrameResult {
  return { ok: false, ending };
}
