import { pcmDurationMs, pcmToFloats, BYTES_PER_SAMPLE } from './pcm.ts';
import { VAD_FRAME, VAD_FRAME_MS, VAD_SAMPLE_RATE, type VoiceStream } from './vad.ts';

/** Hears one user: cuts audio into frames, tells speech from silence, keeps the audio of the current segment. */
export type Ear = Readonly<{
  /** 16 kHz PCM in pieces of any size. */
  listen: (pcm: Buffer) => void;
  /** Starts to keep audio; the pre-roll comes with it. */
  begin: () => void;
  /** The audio kept since `begin`; it is kept on. */
  peek: () => Buffer;
  /** The audio kept since `begin`. */
  take: () => Buffer;
  drop: () => void;
  close: () => void;
}>;

const PRE_ROLL_MS = 300;
const PRE_ROLL_FRAMES = Math.ceil(PRE_ROLL_MS / VAD_FRAME_MS);
/** A segment longer than this is cut for the transcription service; nobody speaks 3 minutes without a breath. */
const SEGMENT_MAX_BYTES = 180 * VAD_SAMPLE_RATE * BYTES_PER_SAMPLE;
const FRAME_BYTES = VAD_FRAME * BYTES_PER_SAMPLE;
/** Hysteresis: speech begins above the first and ends below the second. */
const SPEECH_FROM = 0.5;
const SPEECH_UNTIL = 0.35;
/** Audio that comes later than this after the audio before it was not spoken without a gap. */
const JITTER_MS = 60;

export type EarOptions = Readonly<{
  stream: VoiceStream;
  now: () => number;
  /** `at`: when the last sample of the frame was spoken, by `now`; never before that of an earlier frame. */
  onFrame: (speech: boolean, ms: number, at: number) => void;
  onError: (error: unknown) => void;
}>;

export function createEar({ stream, now, onFrame, onError }: EarOptions): Ear {
  let rest = Buffer.alloc(0);
  let preRoll: Buffer[] = [];
  let segment: Buffer[] | undefined;
  let segmentBytes = 0;
  let speech = false;
  let spokenUntil = -Infinity;
  let lastFrameAt = -Infinity;

  const keep = (frame: Buffer): void => {
    if (segment !== undefined && segmentBytes < SEGMENT_MAX_BYTES) {
      segment.push(frame);
      segmentBytes += frame.length;
    }
    preRoll = [...preRoll.slice(-(PRE_ROLL_FRAMES - 1)), frame];
  };

  /** Audio comes in pieces, each when its last sample was spoken; one that is late follows the one before it. */
  const followOn = (pcm: Buffer): void => {
    const following = spokenUntil + pcmDurationMs(pcm.length, VAD_SAMPLE_RATE);
    spokenUntil = following < now() - JITTER_MS ? now() : Math.min(following, now());
  };

  const judged = (frame: Buffer, probability: number, at: number): void => {
    speech = probability >= (speech ? SPEECH_UNTIL : SPEECH_FROM);
    keep(frame);
    onFrame(speech, VAD_FRAME_MS, at);
  };

  return {
    listen: (pcm) => {
      followOn(pcm);
      rest = Buffer.concat([rest, pcm]);
      while (rest.length >= FRAME_BYTES) {
        const frame = rest.subarray(0, FRAME_BYTES);
        rest = rest.subarray(FRAME_BYTES);
        const at = Math.max(lastFrameAt, spokenUntil - pcmDurationMs(rest.length, VAD_SAMPLE_RATE));
        lastFrameAt = at;
        stream.judge(pcmToFloats(frame)).then((probability) => judged(frame, probability, at), onError);
      }
    },
    begin: () => {
      segment ??= [...preRoll];
      segmentBytes = segment.reduce((sum, frame) => sum + frame.length, 0);
    },
    peek: () => Buffer.concat(segment ?? []),
    take: () => {
      const audio = Buffer.concat(segment ?? []);
      segment = undefined;
      segmentBytes = 0;
      return audio;
    },
    drop: () => {
      segment = undefined;
      segmentBytes = 0;
    },
    close: () => stream.close(),
  };
}
