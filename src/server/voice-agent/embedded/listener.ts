import { createSpeechSegmenter, type SpeechSegmenter } from '../audio/speech-segmenter.ts';
import { decodeChunk } from '../audio/pcm.ts';
import type { VoiceActivity } from '../audio/vad.ts';
import { sendUserTranscript, type EngineContext } from '../engines/engine.ts';
import { ENDINGS } from '../wire/ending.ts';
import { createEarlyTranscription } from './early-transcription.ts';
import type { InterviewRunner } from './interview-runner.ts';
import { describeError, type TurnTranscriber } from '../services.ts';
import {
  endsInHesitation,
  isInTurn,
  getSilenceEnd,
  startTurnTaking,
  TURN_TAKING,
  takeTurn,
  type TurnInput,
  type TurnOutput,
} from './turn-taking.ts';

/** Turns the user's audio into turns of the interview. */
export type Listener = Readonly<{
  push: (base64: string) => void;
  setAgentSpeaking: (speaking: boolean) => void;
  /** Whether the user is in the middle of a turn. */
  isInTurn: () => boolean;
  /** Postpones the next reprompt. */
  noteActivity: () => void;
  stop: () => void;
}>;

export type ListenerOptions = Readonly<{
  context: EngineContext;
  transcriber: TurnTranscriber;
  activity: VoiceActivity;
  runner: () => InterviewRunner;
}>;

const TICK_MS = 250;
const ERRORS_MAX = 3;
const NOT_UNDERSTOOD = 'Das habe ich leider nicht verstanden. Magst du es bitte noch einmal sagen?';

export function createListener({ context, transcriber, activity, runner }: ListenerOptions): Listener {
  const { clock } = context;
  let stopped = false;
  let turns = startTurnTaking(clock.now());
  let words: string[] = [];
  let errors = 0;
  let last: Promise<void> = Promise.resolve();

  let cancelSilenceEnd = (): void => undefined;
  const early = createEarlyTranscription(transcriber.transcribe);

  const step = (input: TurnInput): void => {
    const { state, outputs } = takeTurn(turns, input, clock.now());
    turns = state;
    for (const output of outputs) handle(output);
    if (input.kind !== 'tick') scheduleSilenceEnd();
  };

  /** Audio arrives every 250 ms; the end of a turn does not wait for the next piece. */
  const scheduleSilenceEnd = (): void => {
    cancelSilenceEnd();
    const endsAt = stopped ? undefined : getSilenceEnd(turns);
    if (endsAt === undefined) return;
    cancelSilenceEnd = clock.after(Math.max(0, Math.ceil(endsAt - clock.now())), () => step({ kind: 'tick' }));
  };

  const handle = (output: TurnOutput): void => {
    switch (output) {
      case 'segment-begins':
        return segmenter.startSegment();
      case 'segment-dropped':
        return segmenter.dropSegment();
      case 'pause-begins':
        return transcriber.startsEarly ? early.start(segmenter.peekSegment()) : undefined;
      case 'pause-ends':
        return early.cancel();
      case 'segment-ends':
        return transcribeSegment(segmenter.takeSegment());
      case 'barge-in':
        return runner().interrupt();
      case 'reprompt':
        return runner().reprompt();
      case 'turn-ends': {
        const whole = words.join(' ');
        words = [];
        return runner().answer(whole);
      }
    }
  };

  const recordWords = (): void => {
    if (words.length === 0) return;
    sendUserTranscript(context, words.join(' '));
  };

  /** Keeps the order in which the segments were spoken. */
  const transcribeSegment = (audio: Buffer): void => {
    last = addInOrder(last, early.take(audio));
  };

  const addInOrder = async (before: Promise<void>, heard: Promise<string>): Promise<void> => {
    const [, result] = await Promise.allSettled([before, heard]);
    if (result.status === 'fulfilled') addWords(result.value);
    else handleError(result.reason);
  };

  const addWords = (text: string): void => {
    errors = 0;
    if (text !== '') words.push(text);
    if (stopped) return;
    const hesitates = endsInHesitation(text);
    if (hesitates) sendTentative();
    step({ kind: 'words', empty: text === '', hesitates });
    if (words.length === 0 && text === '' && !isInTurn(turns)) runner().resume();
  };

  const sendTentative = (): void =>
    context.send({
      type: 'tentative_user_transcript',
      tentative_user_transcription_event: { user_transcript: words.join(' '), event_id: context.nextEventId() },
    });

  const handleError = (error: unknown): void => {
    errors += 1;
    context.log.warn({ cause: describeError(error), errors }, 'transcription failed');
    if (stopped) return;
    step({ kind: 'words', empty: true, hesitates: false });
    if (errors >= ERRORS_MAX) return context.end(ENDINGS.engine);
    if (words.length === 0) runner().interject(NOT_UNDERSTOOD);
  };

  const segmenter: SpeechSegmenter = createSpeechSegmenter({
    stream: activity.open(),
    now: clock.now,
    onFrame: (frame) => {
      if (!stopped) step({ kind: 'frame', ...frame });
    },
  });

  let cancelTick = clock.after(TICK_MS, function tick() {
    step({ kind: 'tick' });
    cancelTick = clock.after(TICK_MS, tick);
  });

  return {
    push: (base64) => {
      const pcm = decodeChunk(base64);
      if (pcm === undefined) context.end(ENDINGS.audioFormat);
      else segmenter.push(pcm);
    },
    setAgentSpeaking: (speaking) => step({ kind: speaking ? 'agent-speaks' : 'agent-heard' }),
    isInTurn: () => isInTurn(turns),
    noteActivity: () => step({ kind: 'activity' }),
    stop: () => {
      stopped = true;
      cancelTick();
      cancelSilenceEnd();
      // Words without an answer are recorded as well.
      if (turns.speechSince !== undefined && turns.speechMs >= TURN_TAKING.speechMinMs)
        transcribeSegment(segmenter.takeSegment());
      void last.then(recordWords);
    },
  };
}
