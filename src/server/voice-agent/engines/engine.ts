import type { FastifyBaseLogger } from 'fastify';
import type { Turn } from '#contract/transcript.ts';
import type { AreaId } from '#contract/areas.ts';
import type { InterviewSubject } from '#contract/voice.ts';
import type { Clock } from '../clock.ts';
import type { Ending } from '../errors.ts';
import type { ClientMessage, Initiation, ServerMessage } from '../wire.ts';

/** The subject of the interview, from the ticket. */
export type Brief = Readonly<{
  area: AreaId;
  topic: InterviewSubject;
  /** Background for the interviewer. */
  context: string;
  /** The turns of an earlier conversation that this one continues. */
  earlier: readonly Turn[];
}>;

/** The choices of the client's first message. */
export type ConversationStart = Readonly<{
  firstMessage: string | undefined;
  language: string;
  textOnly: boolean;
  variables: Readonly<Record<string, string | number | boolean>>;
}>;

/** What the gateway provides to an engine. */
export type EngineContext = Readonly<{
  conversationId: string;
  brief: Brief;
  start: ConversationStart;
  /** Sends to the client and records the turns. The first message must be the metadata. */
  send: (message: ServerMessage) => void;
  /** Sends a message of another service, of any kind. */
  forward: (message: Readonly<Record<string, unknown>>) => void;
  /** Increasing from 1. */
  nextEventId: () => number;
  end: (ending: Ending) => void;
  clock: Clock;
  log: FastifyBaseLogger;
}>;

/** One running conversation. */
export type Engine = Readonly<{
  receive: (message: ClientMessage) => void;
  /** Closes everything open; the conversation has ended. Resolves once its last words are understood. */
  stop: () => Promise<void> | void;
  /** Whether the engine sends pings itself. */
  pings: boolean;
}>;

/** Starts a conversation. May send at once; an error ends it through `context.end`. */
export type StartEngine = (context: EngineContext) => Engine;

export function readConversationStart(initiation: Initiation, textOnly: boolean): ConversationStart {
  const overrides = initiation.conversation_config_override;
  const variables = initiation.dynamic_variables ?? {};
  const first = overrides?.agent?.first_message ?? undefined;
  return {
    firstMessage: first === undefined || first.trim() === '' ? undefined : fillTemplate(first.trim(), variables),
    language: overrides?.agent?.language ?? 'de',
    textOnly: overrides?.conversation?.text_only ?? textOnly,
    variables,
  };
}

/** Replaces `{{name}}` by the dynamic variable of that name; unknown ones vanish. */
function fillTemplate(text: string, variables: ConversationStart['variables']): string {
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => String(variables[name] ?? '')).trim();
}

/** Shows the user's words to the client and records them as a turn. */
export function sendUserTranscript({ send, nextEventId }: EngineContext, words: string): void {
  send({
    type: 'user_transcript',
    user_transcription_event: { user_transcript: words, event_id: nextEventId() },
  });
}
