import type { FastifyReply } from 'fastify';

/** Errors of the HTTP routes: a code for programs, a German text for people. */
const ERRORS = {
  invalid: { status: 400, message: 'Die Anfrage ist ungültig.' },
  'not-authenticated': { status: 401, message: 'Bitte melde dich an, um ein Interview zu starten.' },
  forbidden: { status: 403, message: 'Du hast keine Berechtigung für diesen Bereich.' },
  'foreign-origin': { status: 403, message: 'Diese Adresse darf keine Interviews starten.' },
  'interview-not-found': { status: 404, message: 'Dieses Interview gibt es nicht, oder es gehört dir nicht.' },
  'conversation-not-found': { status: 404, message: 'Dieses Gespräch gibt es nicht.' },
  'already-bound': { status: 409, message: 'Dieses Gespräch gehört schon zu einem anderen Interview.' },
  'too-many': { status: 429, message: 'Zu viele Interviews gleichzeitig. Bitte versuche es gleich noch einmal.' },
  capacity: { status: 503, message: 'Gerade sind keine Interviews möglich. Bitte versuche es später erneut.' },
} as const;

export type VoiceErrorCode = keyof typeof ERRORS;

export function sendError(reply: FastifyReply, code: VoiceErrorCode): FastifyReply {
  const { status, message } = ERRORS[code];
  if (status === 429 || status === 503) void reply.header('retry-after', '10');
  return reply.code(status).send({ error: { code, message } });
}
