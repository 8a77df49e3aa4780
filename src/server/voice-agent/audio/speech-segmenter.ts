import { pcmDurationMs, pcmToFloats, BYTES_PER_SAMPLE } from './pcm.ts';
import { VAD_FRAME, VAD_FRAME_MS, VAD_SAMPLE_RATE, type VoiceStream } from './vad.ts';

/** Cuts one user's audio into frames, tells speech from silence and collects the audio of the current segment. */
export type SpeechSegmenter = Readonly<{
  /** 16 kHz PCM in pieces of any size. */
  push: (pcm: Buffer) => void;
  /** Starts to collect audio, with the pre-roll. */
  startSegment: () => void;
  /** The audio of the segment so far. */
  peekSegment: () => Buffer;
  /** Ends the segment and returns its audio. */
  takeSegment: () => Buffer;
  dropSegment: () => void;
}>;

const PRE_ROLL_MS = 300;
const PRE_ROLL_FRAMES = Math.ceil(PRE_ROLL_MS / VAD_FRAME_MS);
/** Transcription services limit their input; 3 minutes without a pause are not speech. */
const SEGMENT_MAX_BYTES = 180 * VAD_SAMPLE_RATE * BYTES_PER_SAMPLE;
const FRAME_BYTES = VAD_FRAME * BYTES_PER_SAMPLE;
/** Hysteresis: speech begins above the first and ends below the second. */
const SPEECH_FROM = 0.5;
const SPEECH_UNTIL = 0.35;
/** Audio that arrives after a longer silence of the line was spoken after a gap. */
const GAP_MS = 2_500;
/** The clock of the microphone and ours drift apart by less than this share. */
const DRIFT = 0.02;

export type HeardFrame = Readonly<{
  speech: boolean;
  ms: number;
  /** When its last sample was spoken, by `now`; it never decreases. */
  spokenAt: number;
  /** When that sample arrived: later than it was spoken on a late line. */
  arrivedAt: number;
}>;

export type SpeechSegmenterOptions = Readonly<{
  stream: VoiceStream;
  now: () => number;
  onFrame: (frame: HeardFrame) => void;
}>;

export function createSpeechSegmenter({ stream, now, onFrame }: SpeechSegmenterOptions): SpeechSegmenter {
  let rest = Buffer.alloc(0);
  let preRoll: Buffer[] = [];
  let segment: Buffer[] | undefined;
  let segmentBytes = 0;
  let speech = false;
  let spokenUntil = -Infinity;
  let arrivedAt = -Infinity;
  let lastFrameAt = -Infinity;

  const collect = (frame: Buffer): void => {
    if (segment !== undefined && segmentBytes < SEGMENT_MAX_BYTES) {
      segment.push(frame);
      segmentBytes += frame.length;
    }
    preRoll = [...preRoll.slice(-(PRE_ROLL_FRAMES - 1)), frame];
  };

  /** A piece arrives when its last sample was spoken, or late: then it directly follows the one before it. */
  const advanceTime = (pcm: Buffer): void => {
    const following = spokenUntil + pcmDurationMs(pcm.length, VAD_SAMPLE_RATE) * (1 + DRIFT);
    spokenUntil = now() - arrivedAt > GAP_MS ? now() : Math.min(following, now());
    arrivedAt = now();
  };

  const addFrame = (frame: Buffer, probability: number, spokenAt: number): void => {
    speech = probability >= (speech ? SPEECH_UNTIL : SPEECH_FROM);
    collect(frame);
    onFrame({ speech, ms: VAD_FRAME_MS, spokenAt, arrivedAt: spokenAt + arrivedAt - spokenUntil });
  };

  return {
    push: (pcm) => {
      advanceTime(pcm);
      rest = Buffer.concat([rest, pcm]);
      while (rest.length >= FRAME_BYTES) {
        const frame = rest.subarray(0, FRAME_BYTES);
        rest = rest.subarray(FRAME_BYTES);
        const at = Math.max(lastFrameAt, spokenUntil - pcmDurationMs(rest.length, VAD_SAMPLE_RATE));
        lastFrameAt = at;
        addFrame(frame, stream.judge(pcmToFloats(frame)), at);
      }
    },
    startSegment: () => {
      segment ??= [...preRoll];
      segmentBytes = segment.reduce((sum, frame) => sum + frame.length, 0);
    },
    peekSegment: () => Buffer.concat(segment ?? []),
    takeSegment: () => {
      const audio = Buffer.concat(segment ?? []);
      segment = undefined;
      segmentBytes = 0;
      return audio;
    },
    dropSegment: () => {
      segment = undefined;
      segmentBytes = 0;
    },
  };
}
