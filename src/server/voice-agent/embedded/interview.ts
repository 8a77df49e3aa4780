import { END_CALL_TOOL, SET_W_ANSWER_TOOL } from '#contract/voice.ts';
import type { Stage } from '../engines/engine.ts';
import type { Brain, Part } from '../interviewer/brain.ts';
import { ENDINGS } from '../wire/ending.ts';
import { createUtterance, type Utterance, type UtteranceOptions } from './utterance.ts';

/** The course of one embedded interview: answers in, the interviewer's turns out. The same for voice and typing. */
export type Interview = Readonly<{
  open: () => void;
  /** The user's turn is complete. Words that nobody has answered yet come before it. */
  answer: (words: string) => void;
  /** The user speaks over the interviewer. */
  interrupt: () => void;
  reprompt: () => void;
  /** Says something that is no part of the interview's course. */
  interject: (sentence: string) => void;
  stop: () => void;
}>;

export type InterviewOptions = Readonly<{
  stage: Stage;
  brain: Brain;
  voice: UtteranceOptions['voice'];
  /** The interviewer has the floor, or has given it back. */
  onFloor: (taken: boolean) => void;
  /** The user is in the middle of a turn. */
  userSpeaks: () => boolean;
}>;

type Reply = {
  utterance: Utterance;
  abort: AbortController;
  answered: string;
  heard: boolean;
  /** These are the interviewer's last words. */
  ends: Extract<Part, { kind: 'end' }>['because'] | undefined;
};

/** Whoever speaks over the closing words is heard out, but not for ever. */
const LAST_WORDS_MS = 10_000;

export function createInterview({ stage, brain, voice, onFloor, userSpeaks }: InterviewOptions): Interview {
  let current: Reply | undefined;
  let unanswered = '';
  let over = false;

  const perform = async (parts: AsyncIterable<Part> | Iterable<Part>, reply: Reply): Promise<void> => {
    for await (const part of parts) {
      if (reply.abort.signal.aborted || over) return;
      if (part.kind === 'say') reply.utterance.say(part.sentence);
      else if (part.kind === 'end') reply.ends = part.because;
      else callTool(stage, part);
    }
    if (reply.abort.signal.aborted || over) return;
    reply.utterance.finish(() => {
      reply.heard = true;
      onFloor(false);
      if (reply.ends === undefined) return;
      if (userSpeaks()) stage.clock.after(LAST_WORDS_MS, () => current === reply && hangUp());
      else hangUp();
    });
  };

  const hangUp = (): void => {
    if (over) return;
    endCall(stage);
    stage.end(ENDINGS.done);
  };

  /** After the closing words nothing is asked and nothing answered any more. */
  const isClosing = (): boolean => current?.ends === 'finished';

  const start = (parts: (signal: AbortSignal) => AsyncIterable<Part> | Iterable<Part>, answered: string): void => {
    const abort = new AbortController();
    const utterance = createUtterance({
      eventId: stage.nextEventId(),
      send: stage.send,
      clock: stage.clock,
      voice,
      onTrouble: (error) => stage.log.warn({ cause: nameOf(error) }, 'speech service failed'),
    });
    const reply: Reply = { utterance, abort, answered, heard: false, ends: undefined };
    current = reply;
    onFloor(true);
    perform(parts(abort.signal), reply).catch((error: unknown) => {
      stage.log.error({ cause: nameOf(error) }, 'interviewer failed');
      stage.end(ENDINGS.engine);
    });
  };

  const tell = (words: string): void =>
    stage.send({
      type: 'user_transcript',
      user_transcription_event: { user_transcript: words, event_id: stage.nextEventId() },
    });

  const interrupt = (): void => {
    // Who says goodbye over the goodbye does not silence it.
    if (isClosing()) return;
    const reply = current;
    current = undefined;
    if (reply === undefined || reply.heard) return;
    reply.abort.abort();
    const outcome = reply.utterance.cut();
    onFloor(false);
    if (outcome === 'cut' || reply.answered === '') return;
    // Nobody noticed the reply: its answer is still waiting for one.
    brain.retract();
    unanswered = reply.answered;
  };

  return {
    open: () => start((signal) => brain.open(signal), ''),
    answer: (words) => {
      if (over) return;
      if (isClosing()) {
        tell(words);
        return hangUp();
      }
      interrupt();
      const whole = `${unanswered} ${words}`.trim();
      unanswered = '';
      tell(whole);
      start((signal) => brain.reply(whole, signal), whole);
    },
    interrupt,
    reprompt: () => (isClosing() ? hangUp() : start(() => brain.reprompt(), '')),
    interject: (sentence) => (isClosing() ? hangUp() : start(() => [{ kind: 'say', sentence }], '')),
    stop: () => {
      over = true;
      current?.abort.abort();
      if (current?.heard === false) current.utterance.close();
    },
  };
}

function callTool(stage: Stage, part: Extract<Part, { kind: 'w-answer' }>): void {
  const eventId = stage.nextEventId();
  stage.send({
    type: 'client_tool_call',
    client_tool_call: {
      tool_name: SET_W_ANSWER_TOOL,
      tool_call_id: `${SET_W_ANSWER_TOOL}_${eventId}`,
      parameters: { ...part.answer },
      event_id: eventId,
    },
  });
}

function endCall(stage: Stage): void {
  const eventId = stage.nextEventId();
  stage.send({
    type: 'agent_tool_response',
    agent_tool_response: {
      tool_name: END_CALL_TOOL,
      tool_call_id: `${END_CALL_TOOL}_${eventId}`,
      tool_type: 'system',
      is_error: false,
      is_called: true,
      event_id: eventId,
    },
  });
}

/** For the log: messages of services may repeat what was said. */
export function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.name === 'ServiceError' ? error.message : error.name;
}
