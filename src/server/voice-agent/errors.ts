import type { ErrorMessage } from '@elevenlabs/types';
import { VOICE_CLOSE, VOICE_REASONS, type VoiceCloseCode } from '#contract/voice.ts';
import { type Catalogue, type ErrorProtocol, errorsOf } from '#http/errors.ts';

/** Errors of the HTTP routes: a code for programs, a German text for people. */
const CATALOGUE = {
  invalid: [400, 'Die Anfrage ist ungültig.'],
  'not-authenticated': [401, 'Bitte melde dich an, um ein Interview zu starten.'],
  forbidden: [403, 'Du hast keine Berechtigung für diesen Bereich.'],
  'foreign-origin': [403, 'Diese Adresse darf keine Interviews starten.'],
  'interview-not-found': [404, 'Dieses Interview gibt es nicht, oder es gehört dir nicht.'],
  'conversation-not-found': [404, 'Dieses Gespräch gibt es nicht.'],
  'already-bound': [409, 'Dieses Gespräch gehört schon zu einem anderen Interview.'],
  'too-many': [429, 'Zu viele Interviews gleichzeitig. Bitte versuche es gleich noch einmal.'],
  capacity: [503, 'Gerade sind keine Interviews möglich. Bitte versuche es später erneut.'],
  minutes: [503, 'Die Interviewzeit dieses Tages (UTC) ist verbraucht.'],
} as const satisfies Catalogue<string>;

export class VoiceError extends errorsOf(CATALOGUE) {}

const RETRY_AFTER_S = 10;

/** `{ error: { code, message } }`; other errors are left to the application's handler. */
export const VOICE_ERRORS: ErrorProtocol<VoiceError> = {
  convert: (thrown) => {
    if (thrown instanceof VoiceError) return thrown;
    throw thrown;
  },
  answer: ({ code, message }) => ({
    headers: code === 'too-many' || code === 'capacity' ? { 'retry-after': RETRY_AFTER_S } : {},
    body: { error: { code, message } },
  }),
  log: () => undefined,
};

/** Why a conversation ends. The reason is for logs and developers: no personal data, ASCII, ≤ 123 bytes. */
export type Ending = Readonly<{ code: VoiceCloseCode; reason: string }>;

const ending = (code: VoiceCloseCode, reason: string): Ending => ({ code, reason });

export const ENDINGS = {
  done: ending(VOICE_CLOSE.done, 'interview ended'),
  goingAway: ending(VOICE_CLOSE.goingAway, 'server stops'),
  notInitiated: ending(VOICE_CLOSE.protocol, 'conversation_initiation_client_data must come first'),
  initiatedTwice: ending(VOICE_CLOSE.protocol, 'conversation already initiated'),
  binary: ending(VOICE_CLOSE.unsupported, 'binary frames are not supported'),
  audioFormat: ending(VOICE_CLOSE.unsupported, 'audio is not in the announced format'),
  malformed: ending(VOICE_CLOSE.malformed, 'malformed message'),
  ticket: ending(VOICE_CLOSE.policy, 'ticket unknown, used or expired'),
  sessions: ending(VOICE_CLOSE.policy, VOICE_REASONS.sessions),
  silent: ending(VOICE_CLOSE.policy, 'no first message in time'),
  rights: ending(VOICE_CLOSE.policy, VOICE_REASONS.rights),
  idle: ending(VOICE_CLOSE.policy, 'no activity'),
  tooLong: ending(VOICE_CLOSE.policy, 'maximum length reached'),
  tooFast: ending(VOICE_CLOSE.policy, 'too many messages'),
  tooMuchAudio: ending(VOICE_CLOSE.policy, 'too much audio'),
  textOnly: ending(VOICE_CLOSE.policy, 'this conversation is text only'),
  engine: ending(VOICE_CLOSE.engine, 'voice agent failed'),
  capacity: ending(VOICE_CLOSE.later, 'capacity reached, try again later'),
  minutes: ending(VOICE_CLOSE.later, VOICE_REASONS.minutes),
} as const satisfies Record<string, Ending>;

/** The message before the close; undefined for an end without an error. */
export function createErrorMessage({ code, reason }: Ending): ErrorMessage | undefined {
  if (code === VOICE_CLOSE.done || code === VOICE_CLOSE.goingAway) return undefined;
  return {
    type: 'error',
    error_event: { code: getErrorCode(code), error_type: getErrorType({ code, reason }), message: reason },
  };
}

function getErrorCode(code: VoiceCloseCode): ErrorMessage['error_event']['code'] {
  if (code === VOICE_CLOSE.policy || code === VOICE_CLOSE.later) return 1008;
  return code === VOICE_CLOSE.engine ? 1011 : 1002;
}

function getErrorType({ code, reason }: Ending): NonNullable<ErrorMessage['error_event']['error_type']> {
  if (reason === ENDINGS.tooLong.reason) return 'max_duration_exceeded';
  if (code === VOICE_CLOSE.policy) return 'value_error';
  return code === VOICE_CLOSE.engine || code === VOICE_CLOSE.later ? 'unknown' : 'invalid_message';
}
