import type { FastifyBaseLogger } from 'fastify';
import type { Turn } from '#contract/transcript.ts';
import type { AreaId } from '#contract/areas.ts';
import type { InterviewSubject } from '#contract/voice.ts';
import type { Clock } from '../clock.ts';
import type { Ending } from '../wire/ending.ts';
import type { ClientMessage, Initiation, ServerMessage } from '../wire/messages.ts';

/** What the interview is about; from the ticket. */
export type Brief = Readonly<{
  area: AreaId;
  topic: InterviewSubject;
  /** What the interviewer should know before the first word. */
  context: string;
  /** Set where an earlier conversation goes on; its turns. */
  earlier: readonly Turn[];
}>;

/** What the client asked for with its first message. */
export type ConversationStart = Readonly<{
  firstMessage: string | undefined;
  language: string;
  textOnly: boolean;
  variables: Readonly<Record<string, string | number | boolean>>;
}>;

/** What the gateway gives an engine. */
export type Stage = Readonly<{
  conversationId: string;
  brief: Brief;
  start: ConversationStart;
  /** To the client; what was said is recorded on the way. The first message must be the metadata. */
  send: (message: ServerMessage) => void;
  /** A message of another service, of whatever kind. */
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
  /** The conversation is over, whoever ended it: everything open is closed. */
  stop: () => void;
  /** Whether the engine sends pings itself. */
  pings: boolean;
}>;

/** Starts a conversation. May send at once; a failure is told through `stage.end`. */
export type StartEngine = (stage: Stage) => Engine;

export function conversationStart(initiation: Initiation, textOnly: boolean): ConversationStart {
  const overrides = initiation.conversation_config_override;
  const variables = initiation.dynamic_variables ?? {};
  const first = overrides?.agent?.first_message ?? undefined;
  return {
    firstMessage: first === undefined || first.trim() === '' ? undefined : fillIn(first.trim(), variables),
    language: overrides?.agent?.language ?? 'de',
    textOnly: overrides?.conversation?.text_only ?? textOnly,
    variables,
  };
}

/** `{{name}}` → the dynamic variable of that name; unknown ones vanish. */
function fillIn(text: string, variables: ConversationStart['variables']): string {
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => String(variables[name] ?? '')).trim();
}
