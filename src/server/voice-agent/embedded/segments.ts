import { BYTES_PER_SAMPLE, pcmDurationMs, pcmToFloats } from '../audio/pcm.ts';
import { VAD_FRAME, VAD_FRAME_MS, VAD_SAMPLE_RATE, type VoiceStream } from '../audio/vad.ts';
import { TooSlowError } from '../services.ts';

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

type HeardFrame = Readonly<{
  speech: boolean;
  ms: number;
  /** When its last sample was spoken, by `now`; it never decreases. */
  spokenAt: number;
  /** When that sample arrived: later than it was spoken on a late line. */
  arrivedAt: number;
}>;

type SpeechSegmenterOptions = Readonly<{
  stream: VoiceStream;
  now: () => number;
  onFrame: (frame: HeardFrame) => void;
}>;

/** Cuts one user's audio into frames, tells speech from silence and collects the audio of the current segment. */
export class SpeechSegmenter {
  readonly #options: SpeechSegmenterOptions;
  #rest = Buffer.alloc(0);
  #preRoll: Buffer[] = [];
  #segment: Buffer[] | undefined;
  #segmentBytes = 0;
  #speech = false;
  #spokenUntil = -Infinity;
  #arrivedAt = -Infinity;
  #lastFrameAt = -Infinity;

  constructor(options: SpeechSegmenterOptions) {
    this.#options = options;
  }

  /** 16 kHz PCM in pieces of any size. */
  readonly push = (pcm: Buffer): void => {
    this.#advanceTime(pcm);
    this.#rest = Buffer.concat([this.#rest, pcm]);
    while (this.#rest.length >= FRAME_BYTES) {
      const frame = this.#rest.subarray(0, FRAME_BYTES);
      this.#rest = this.#rest.subarray(FRAME_BYTES);
      const at = Math.max(this.#lastFrameAt, this.#spokenUntil - pcmDurationMs(this.#rest.length, VAD_SAMPLE_RATE));
      this.#lastFrameAt = at;
      this.#addFrame(frame, this.#options.stream.judge(pcmToFloats(frame)), at);
    }
  };

  /** Starts to collect audio, with the pre-roll. */
  readonly startSegment = (): void => {
    this.#segment ??= [...this.#preRoll];
    this.#segmentBytes = this.#segment.reduce((sum, frame) => sum + frame.length, 0);
  };

  /** The audio of the segment so far. */
  readonly peekSegment = (): Buffer => Buffer.concat(this.#segment ?? []);

  /** Ends the segment and returns its audio. */
  readonly takeSegment = (): Buffer => {
    const audio = this.peekSegment();
    this.dropSegment();
    return audio;
  };

  readonly dropSegment = (): void => {
    this.#segment = undefined;
    this.#segmentBytes = 0;
  };

  #collect(frame: Buffer): void {
    if (this.#segment !== undefined && this.#segmentBytes < SEGMENT_MAX_BYTES) {
      this.#segment.push(frame);
      this.#segmentBytes += frame.length;
    }
    this.#preRoll = [...this.#preRoll.slice(-(PRE_ROLL_FRAMES - 1)), frame];
  }

  /** A piece arrives when its last sample was spoken, or late: then it directly follows the one before it. */
  #advanceTime(pcm: Buffer): void {
    const following = this.#spokenUntil + pcmDurationMs(pcm.length, VAD_SAMPLE_RATE) * (1 + DRIFT);
    this.#spokenUntil =
      this.#options.now() - this.#arrivedAt > GAP_MS ? this.#options.now() : Math.min(following, this.#options.now());
    this.#arrivedAt = this.#options.now();
  }

  #addFrame(frame: Buffer, probability: number, spokenAt: number): void {
    this.#speech = probability >= (this.#speech ? SPEECH_UNTIL : SPEECH_FROM);
    this.#collect(frame);
    this.#options.onFrame({
      speech: this.#speech,
      ms: VAD_FRAME_MS,
      spokenAt,
      arrivedAt: spokenAt + this.#arrivedAt - this.#spokenUntil,
    });
  }
}

/** Audio that may be wasted before the first words. */
const WASTE_FREE_MS = 15_000;

/**
 * Transcribes a segment in its first pause, so that its words are ready at its end. A cancelled request costs as much
 * as a used one: no more audio is wasted than was spoken. After a request that fails the whole segment is sent once
 * more.
 */
export function createEarlyTranscription(transcribe: (audio: Buffer, signal?: AbortSignal) => Promise<string>) {
  let early: { abort: AbortController; ms: number; words: Promise<string> } | undefined;
  let spokenMs = 0;
  let wastedMs = 0;
  return {
    start: (audio: Buffer): void => {
      const ms = pcmDurationMs(audio.length, VAD_SAMPLE_RATE);
      if (wastedMs + ms > Math.max(WASTE_FREE_MS, spokenMs)) return;
      const abort = new AbortController();
      const words = transcribe(audio, abort.signal);
      words.catch(() => undefined);
      early = { abort, ms, words };
    },
    /** Ends the request: the user goes on speaking. */
    cancel: (): void => {
      early?.abort.abort();
      wastedMs += early?.ms ?? 0;
      early = undefined;
    },
    /** The words of the whole segment, from the request of its pause or from a new one. */
    take: (audio: Buffer): Promise<string> => {
      const words = early?.words ?? transcribe(audio);
      early = undefined;
      spokenMs += pcmDurationMs(audio.length, VAD_SAMPLE_RATE);
      return words.catch((error: unknown) => {
        if (error instanceof TooSlowError) throw error;
        return transcribe(audio);
      });
    },
  };
}

export type EarlyTranscription = ReturnType<typeof createEarlyTranscription>;
