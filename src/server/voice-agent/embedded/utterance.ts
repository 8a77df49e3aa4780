import { SERVICE_LIMITS } from '../../service-request.ts';
import { pcmDurationMs } from '../audio/pcm.ts';
import type { Clock } from '../clock.ts';
import type { TtsService } from '../settings.ts';
import type { ServerMessage } from '../wire.ts';
import { synthesize } from '../services.ts';
import { AudioPacer } from './audio-pacer.ts';

export type CutTurn = Readonly<{
  /** Corrects the record to the words heard. */
  correct: () => void;
  /** The sentences that were not heard to their end. */
  rest: readonly string[];
}>;

export type UtteranceOptions = Readonly<{
  eventId: number;
  /** The record has these words already. */
  repeats?: boolean;
  send: (message: ServerMessage) => void;
  clock: Clock;
  /** silent: text only. browser: the browser reads the text out. service: the service makes the audio. */
  voice: Readonly<{ kind: 'silent' | 'browser' } | { kind: 'service'; service: TtsService }>;
  onError: (error: unknown) => void;
}>;

/** Reading speed of German. */
const CHARACTERS_PER_S = 15;

/** One turn of the interviewer, as text and, where there is a voice, as speech. */
export class Utterance {
  readonly #options: UtteranceOptions;
  readonly #sentences: string[] = [];
  readonly #speech: ReturnType<typeof createSentenceSpeaker>;
  #shown: string | undefined;
  #shownAt = 0;
  #over = false;
  /** The record has this text already, and no browser needs it to read. */
  readonly #isRecorded: boolean;

  constructor(options: UtteranceOptions) {
    this.#options = options;
    this.#speech = createSentenceSpeaker(options);
    this.#isRecorded = options.repeats === true && this.#speech !== undefined;
  }

  /** Adds a sentence and speaks it; `finish` sends the text. */
  readonly say = (sentence: string): void => {
    this.#sentences.push(sentence);
    this.#speech?.say(sentence);
  };

  /**
   * Completes the turn: the text goes out once the reply is whole. `onHeard` runs when its last word was heard, without
   * a voice at once.
   */
  readonly finish = (onHeard: () => void): void => {
    if (this.#over) return;
    this.#show();
    const heard = (): void => {
      if (!this.#over) onHeard();
    };
    const { clock, voice } = this.#options;
    if (this.#speech !== undefined) this.#speech.finish(heard);
    else clock.after(voice.kind === 'browser' ? estimateReadingMs(this.#shown ?? '') : 0, heard);
  };

  /** Stops at once; undefined where nothing of it was shown or heard. */
  readonly cut = (): CutTurn | undefined => {
    this.#over = true;
    const heard =
      this.#speech?.cut() ?? (this.#options.voice.kind === 'browser' ? this.#estimateHeard() : (this.#shown ?? ''));
    if (this.#shown === undefined && this.#speech?.begun() !== true) return undefined;
    this.#options.send({ type: 'interruption', interruption_event: { event_id: this.#options.eventId } });
    if (this.#shown === undefined) this.#show();
    return { correct: () => this.#correct(heard), rest: findRest(this.#sentences, heard) };
  };

  /**
   * Ends with the conversation; sends the text of a turn that was heard but not yet shown, for the record. Returns
   * whether any of it was shown or heard.
   */
  readonly close = (): boolean => {
    this.#over = true;
    this.#speech?.cut();
    if (this.#shown === undefined && this.#speech?.begun() === true) this.#show();
    return this.#shown !== undefined;
  };

  #show(): void {
    this.#shown ??= this.#sentences.join(' ');
    if (this.#shown !== '' && !this.#isRecorded)
      this.#options.send({
        type: 'agent_response',
        agent_response_event: { agent_response: this.#shown, event_id: this.#options.eventId },
      });
    this.#shownAt = this.#options.clock.now();
  }

  #estimateHeard(): string {
    const words = (this.#shown ?? '').split(' ');
    const share = (this.#options.clock.now() - this.#shownAt) / estimateReadingMs(this.#shown ?? '');
    return words.slice(0, Math.floor(words.length * Math.min(share, 1))).join(' ');
  }

  #correct(heard: string): void {
    if (this.#shown === undefined || heard === this.#shown || this.#isRecorded) return;
    this.#options.send({
      type: 'agent_response_correction',
      agent_response_correction_event: {
        original_agent_response: this.#shown,
        corrected_agent_response: `${heard} …`.trim(),
        event_id: this.#options.eventId,
      },
    });
  }
}

function findRest(sentences: readonly string[], heard: string): readonly string[] {
  const at = sentences.findIndex((_, index) => !heard.startsWith(sentences.slice(0, index + 1).join(' ')));
  return at === -1 ? [] : sentences.slice(at);
}

function estimateReadingMs(text: string): number {
  return (text.length / CHARACTERS_PER_S) * 1000;
}

/** Speaks one sentence after the other, and synthesizes the next one during playback. */
function createSentenceSpeaker(options: UtteranceOptions) {
  const { eventId, send, clock, voice, onError } = options;
  if (voice.kind !== 'service') return undefined;
  const { service } = voice;
  const abort = new AbortController();
  let begun = false;
  let last: Promise<void> = Promise.resolve();
  const pacer = new AudioPacer({
    sampleRate: service.sampleRate,
    clock,
    send: (pcm) => {
      begun = true;
      send({ type: 'audio', audio_event: { audio_base_64: pcm.toString('base64'), event_id: eventId } });
    },
  });
  const speak = createSynthesis(service, pacer, abort.signal, onError);
  return {
    say: (sentence: string): void => void (last = last.then(() => speak(sentence))),
    finish: (onHeard: () => void): void => void last.then(() => pacer.finish(onHeard)),
    cut: (): string => {
      abort.abort();
      return pacer.cut();
    },
    begun: (): boolean => begun,
  };
}

/** Lets the service read sentences out. A turn that is too long goes on as text: its audio would fill the memory. */
function createSynthesis(
  service: TtsService,
  pacer: AudioPacer,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): (sentence: string) => Promise<void> {
  let audioMs = 0;
  return async (sentence) => {
    if (signal.aborted || audioMs > SERVICE_LIMITS.turnAudioMs) return;
    pacer.beginSentence(sentence);
    try {
      for await (const pcm of synthesize(service, sentence, signal)) {
        audioMs += pcmDurationMs(pcm.length, service.sampleRate);
        pacer.push(pcm);
      }
    } catch (error) {
      // Without its audio the sentence is still shown as text.
      if (!signal.aborted) onError(error);
    }
    pacer.endSentence();
  };
}
