import { HttpError, type Catalogue, type ErrorProtocol } from '#http/errors.ts';

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
} as const satisfies Catalogue<string>;

type VoiceErrorCode = keyof typeof CATALOGUE;

export class VoiceError extends HttpError<VoiceErrorCode> {
  constructor(code: VoiceErrorCode, options?: ErrorOptions) {
    const [status, message] = CATALOGUE[code];
    super(status, code, message, options);
  }
}

const RETRY_AFTER_S = 10;

/** `{ error: { code, message } }`; other errors are left to the application's handler. */
export const VOICE_ERRORS: ErrorProtocol<VoiceError> = {
  convert: (thrown) => {
    if (thrown instanceof VoiceError) return thrown;
    throw thrown;
  },
  answer: ({ status, code, message }) => ({
    headers: status === 429 || status === 503 ? { 'retry-after': RETRY_AFTER_S } : {},
    body: { error: { code, message } },
  }),
  log: () => undefined,
};
