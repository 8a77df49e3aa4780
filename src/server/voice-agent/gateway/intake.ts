import type { RawData } from 'ws';
import type { Clock } from '../clock.ts';
import type { VoiceLimits } from '../settings.ts';
import { ENDINGS, type Ending } from '../wire/ending.ts';
import { textOf } from '../wire/frames.ts';
import { readClientMessage, type ClientMessage } from '../wire/messages.ts';
import { createBucket } from './rate.ts';

/** What one frame from a client amounts to. */
type Taken = Readonly<{ ok: true; message: ClientMessage } | { ok: false; ending: Ending }>;

/** Takes frames from one client: order, shape, size and rate. */
export type Intake = (data: RawData, isBinary: boolean) => Taken;

export function createIntake(limits: VoiceLimits, clock: Clock): Intake {
  const messages = createBucket(limits.messagesPerSecond * 2, limits.messagesPerSecond / 1000, clock.now());
  const audio = createBucket(limits.audioBytesPerMinute, limits.audioBytesPerMinute / 60_000, clock.now());
  let initiated = false;
  return (data, isBinary) => {
    if (isBinary) return refused(ENDINGS.binary);
    if (!messages.take(1, clock.now())) return refused(ENDINGS.tooFast);
    const read = readClientMessage(textOf(data));
    if (!read.ok) return refused(ENDINGS.malformed);
    const { message } = read;
    const initiation = message.type === 'conversation_initiation_client_data';
    if (initiation && initiated) return refused(ENDINGS.initiatedTwice);
    if (!initiation && !initiated) return refused(ENDINGS.notInitiated);
    initiated = true;
    if (message.type === 'user_audio_chunk' && !audio.take(message.audio.length, clock.now())) {
      return refused(ENDINGS.tooMuchAudio);
    }
    return { ok: true, message };
  };
}

function refused(ending: Ending): Taken {
  return { ok: false, ending };
}
