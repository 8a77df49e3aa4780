import { createEar, type Ear } from '../audio/ear.ts';
import { readChunk } from '../audio/pcm.ts';
import type { VoiceActivity } from '../audio/vad.ts';
import type { Stage } from '../engines/engine.ts';
import type { TranscriptionService } from '../settings.ts';
import { ENDINGS } from '../wire/ending.ts';
import { createEarlyWords } from './early-words.ts';
import type { Interview } from './interview.ts';
import { nameOf } from './interview.ts';
import { transcribe } from './services.ts';
import {
  endsInHesitation,
  isInTurn,
  silenceEndsAt,
  startTurnTaking,
  TURN_TAKING,
  takeTurn,
  type TurnInput,
  type TurnOutput,
} from './turn-taking.ts';

/** Listens to the user: audio in, turns of the interview out. */
export type Hearing = Readonly<{
  listen: (base64: string) => void;
  onFloor: (taken: boolean) => void;
  /** The user is in the middle of a turn. */
  inTurn: () => boolean;
  activity: () => void;
  stop: () => void;
}>;

export type HearingOptions = Readonly<{
  stage: Stage;
  service: TranscriptionService;
  activity: VoiceActivity;
  interview: () => Interview;
}>;

const TICK_MS = 250;
const FAILURES_MAX = 3;
const NOT_UNDERSTOOD = 'Das habe ich leider nicht verstanden. Magst du es bitte noch einmal sagen?';

export function createHearing({ stage, service, activity, interview }: HearingOptions): Hearing {
  const { clock } = stage;
  let stopped = false;
  let turns = startTurnTaking(clock.now());
  let words: string[] = [];
  let failures = 0;
  let last: Promise<void> = Promise.resolve();

  let cancelSilenceEnd = (): void => undefined;
  const early = createEarlyWords((audio, signal) => transcribe(service, audio, signal));

  const step = (input: TurnInput, at = clock.now()): void => {
    const { state, outputs } = takeTurn(turns, input, at);
    turns = state;
    for (const output of outputs) act(output);
    if (input.kind !== 'tick') awaitSilenceEnd();
  };

  /** Audio comes in quarters of a second: the end of a turn does not wait for the next one. */
  const awaitSilenceEnd = (): void => {
    cancelSilenceEnd();
    const endsAt = stopped ? undefined : silenceEndsAt(turns);
    if (endsAt === undefined) return;
    cancelSilenceEnd = clock.after(Math.max(0, Math.ceil(endsAt - clock.now())), () => step({ kind: 'tick' }));
  };

  const act = (output: TurnOutput): void => {
    switch (output) {
      case 'segment-begins':
        return ear.begin();
      case 'segment-dropped':
        return ear.drop();
      case 'pause-begins':
        return early.begin(ear.peek());
      case 'pause-ends':
        return early.cancel();
      case 'segment-ends':
        return understand(ear.take());
      case 'barge-in':
        return interview().interrupt();
      case 'reprompt':
        return interview().reprompt();
      case 'turn-ends': {
        const whole = words.join(' ');
        words = [];
        return interview().answer(whole);
      }
    }
  };

  const keepWords = (): void => {
    if (words.length === 0) return;
    const whole = words.join(' ');
    stage.send({
      type: 'user_transcript',
      user_transcription_event: { user_transcript: whole, event_id: stage.nextEventId() },
    });
  };

  /** Segments become words in the order in which they were spoken. */
  const understand = (audio: Buffer): void => {
    last = inOrder(last, early.take(audio));
  };

  const inOrder = async (before: Promise<void>, heard: Promise<string>): Promise<void> => {
    const [, result] = await Promise.allSettled([before, heard]);
    if (result.status === 'fulfilled') understood(result.value);
    else failed(result.reason);
  };

  const understood = (text: string): void => {
    failures = 0;
    if (text !== '') words.push(text);
    if (stopped) return;
    const hesitates = endsInHesitation(text);
    if (hesitates) tentative();
    step({ kind: 'words', empty: text === '', hesitates });
  };

  const tentative = (): void =>
    stage.send({
      type: 'tentative_user_transcript',
      tentative_user_transcription_event: { user_transcript: words.join(' '), event_id: stage.nextEventId() },
    });

  const failed = (error: unknown): void => {
    failures += 1;
    stage.log.warn({ cause: nameOf(error), failures }, 'transcription failed');
    if (stopped) return;
    step({ kind: 'words', empty: true, hesitates: false });
    if (failures >= FAILURES_MAX) return stage.end(ENDINGS.engine);
    if (words.length === 0) interview().interject(NOT_UNDERSTOOD);
  };

  const ear: Ear = createEar({
    stream: activity.open(),
    now: clock.now,
    onFrame: (speech, ms, at) => {
      if (!stopped) step({ kind: 'frame', speech, ms }, at);
    },
    onError: (error) => {
      stage.log.error({ cause: nameOf(error) }, 'voice activity detection failed');
      stage.end(ENDINGS.engine);
    },
  });

  let cancelTick = clock.after(TICK_MS, function tick() {
    step({ kind: 'tick' });
    cancelTick = clock.after(TICK_MS, tick);
  });

  return {
    listen: (base64) => {
      const pcm = readChunk(base64);
      if (pcm === undefined) stage.end(ENDINGS.audioFormat);
      else ear.listen(pcm);
    },
    onFloor: (taken) => step({ kind: taken ? 'agent-speaks' : 'agent-heard' }),
    inTurn: () => isInTurn(turns),
    activity: () => step({ kind: 'activity' }),
    stop: () => {
      stopped = true;
      cancelTick();
      cancelSilenceEnd();
      // What was said until now is kept, although nobody will answer it.
      if (turns.speechSince !== undefined && turns.speechMs >= TURN_TAKING.speechMinMs) understand(ear.take());
      ear.close();
      void last.then(keepWords);
    },
  };
}
