import { createEarlyTranscription, SpeechSegmenter, type EarlyTranscription } from './segments.ts';
import { decodeChunk } from '../audio/pcm.ts';
import type { VoiceDetector } from '../audio/vad.ts';
import { repeat, type Clock } from '../clock.ts';
import type { EngineContext } from '../engines/engine.ts';
import { ENDINGS } from '../errors.ts';
import type { InterviewRunner } from './interview-runner.ts';
import { describeError, TooSlowError, type TurnTranscriber } from '../services.ts';
import {
  endsInHesitation,
  isInTurn,
  getSilenceEnd,
  startTurnTaking,
  TURN_TAKING,
  stepTurnTaking,
  type TurnInput,
  type TurnOutput,
  type TurnState,
} from './turn-taking.ts';

export type ListenerOptions = Readonly<{
  context: EngineContext;
  transcriber: TurnTranscriber;
  detector: VoiceDetector;
  runner: () => InterviewRunner;
}>;

const TICK_MS = 250;
const ERRORS_MAX = 3;
const NOT_UNDERSTOOD = 'Das habe ich leider nicht verstanden. Magst du es bitte noch einmal sagen?';
const TOO_SLOW = 'Gesprochenes kann ich hier gerade nicht schnell genug verstehen. Bitte schreib mir deine Antwort.';

/** Turns the user's audio into turns of the interview. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #clock: Clock;
  #stopped = false;
  #turns: TurnState;
  #words: string[] = [];
  #errors = 0;
  #last: Promise<void> = Promise.resolve();
  #cancelSilenceEnd = (): void => undefined;
  readonly #cancelTick: () => void;
  readonly #early: EarlyTranscription;
  readonly #segmenter: SpeechSegmenter;

  constructor(options: ListenerOptions) {
    const { context, transcriber, detector } = options;
    this.#options = options;
    this.#clock = context.clock;
    this.#turns = startTurnTaking(this.#clock.now());
    this.#early = createEarlyTranscription(transcriber.transcribe);
    this.#segmenter = new SpeechSegmenter({
      stream: detector.open(),
      now: this.#clock.now,
      onFrame: (frame) => {
        if (!this.#stopped) this.#step({ kind: 'frame', ...frame });
      },
    });
    this.#cancelTick = repeat(this.#clock, TICK_MS, () => this.#step({ kind: 'tick' }));
  }

  readonly push = (base64: string): void => {
    const pcm = decodeChunk(base64);
    if (pcm === undefined) this.#options.context.end(ENDINGS.audioFormat);
    else this.#segmenter.push(pcm);
  };

  readonly setAgentTurn = (hasTurn: boolean): void =>
    this.#step({ kind: hasTurn ? 'agent-turn-begins' : 'agent-turn-ends' });

  /** Whether the user is in the middle of a turn. */
  readonly isInTurn = (): boolean => isInTurn(this.#turns);

  /** Postpones the next reprompt. */
  readonly noteActivity = (): void => this.#step({ kind: 'activity' });

  /** Resolves once what was spoken until now is recorded. */
  readonly stop = async (): Promise<void> => {
    this.#stopped = true;
    this.#cancelTick();
    this.#cancelSilenceEnd();
    // Words without an answer are recorded as well.
    if (this.#turns.speechSince !== undefined && this.#turns.speechMs >= TURN_TAKING.speechMinMs)
      this.#transcribeSegment(this.#segmenter.takeSegment());
    await this.#last;
    if (this.#words.length > 0) this.#options.runner().record(this.#words.join(' '));
  };

  #step(input: TurnInput): void {
    const { state, outputs } = stepTurnTaking(this.#turns, input, this.#clock.now());
    this.#turns = state;
    for (const output of outputs) this.#handle(output);
    if (input.kind !== 'tick') this.#scheduleSilenceEnd();
  }

  /** Audio arrives every 250 ms; the end of a turn does not wait for the next piece. */
  #scheduleSilenceEnd(): void {
    this.#cancelSilenceEnd();
    const endsAt = this.#stopped ? undefined : getSilenceEnd(this.#turns);
    if (endsAt === undefined) return;
    this.#cancelSilenceEnd = this.#clock.after(Math.max(0, Math.ceil(endsAt - this.#clock.now())), () =>
      this.#step({ kind: 'tick' }),
    );
  }

  #handle(output: TurnOutput): void {
    switch (output) {
      case 'segment-begins':
        return this.#segmenter.startSegment();
      case 'segment-dropped':
        return this.#segmenter.dropSegment();
      case 'pause-begins':
        return this.#options.transcriber.startsEarly ? this.#early.start(this.#segmenter.peekSegment()) : undefined;
      case 'pause-ends':
        return this.#early.cancel();
      case 'segment-ends':
        return this.#transcribeSegment(this.#segmenter.takeSegment());
      case 'barge-in':
        return this.#options.runner().interrupt();
      case 'reprompt':
        return this.#options.runner().reprompt();
      case 'turn-ends': {
        const whole = this.#words.join(' ');
        this.#words = [];
        return this.#options.runner().answer(whole);
      }
    }
  }

  /** Keeps the order in which the segments were spoken. */
  #transcribeSegment(audio: Buffer): void {
    this.#last = this.#addInOrder(this.#last, this.#early.take(audio));
  }

  async #addInOrder(before: Promise<void>, heard: Promise<string>): Promise<void> {
    const [, result] = await Promise.allSettled([before, heard]);
    if (result.status === 'fulfilled') this.#addWords(result.value);
    else this.#handleError(result.reason);
  }

  #addWords(text: string): void {
    this.#errors = 0;
    if (text !== '') this.#words.push(text);
    if (this.#stopped) return;
    const hesitates = endsInHesitation(text);
    if (hesitates) this.#sendTentative();
    this.#step({ kind: 'words', empty: text === '', hesitates });
    if (this.#words.length === 0 && text === '' && !isInTurn(this.#turns)) this.#options.runner().resume();
  }

  #sendTentative(): void {
    this.#options.context.send({
      type: 'tentative_user_transcript',
      tentative_user_transcription_event: {
        user_transcript: this.#words.join(' '),
        event_id: this.#options.context.nextEventId(),
      },
    });
  }

  #handleError(error: unknown): void {
    this.#errors += 1;
    this.#options.context.log.warn({ cause: describeError(error), errors: this.#errors }, 'transcription failed');
    if (this.#stopped) return;
    // The step may end the turn and take its words.
    const hadWords = this.#words.length > 0;
    this.#step({ kind: 'words', empty: true, hesitates: false });
    if (this.#errors >= ERRORS_MAX) return this.#options.context.end(ENDINGS.engine);
    const why = error instanceof TooSlowError ? TOO_SLOW : NOT_UNDERSTOOD;
    if (!hadWords) this.#options.runner().interject(why);
  }
}
