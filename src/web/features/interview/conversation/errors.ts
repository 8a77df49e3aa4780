import { VOICE_CLOSE, VOICE_REASONS } from '#contract/voice.ts';
import { classifyMicrophoneError } from '#web/speech/microphone-error.ts';
import { TicketError } from '../voice/ticket.ts';

/**
 * Why there is no conversation. dropped: it broke off. microphone-…: §4 'Microphone denial leads to the error
 * state'. interrupted: the page was reloaded or left. service: the engine behind the gateway failed. limit: closed for
 * its length or its silence. busy, used-up, too-many, refused: as in TicketError.
 */
export type InterviewErrorCode =
  | 'connection'
  | 'timeout'
  | 'dropped'
  | 'interrupted'
  | 'service'
  | 'limit'
  | 'busy'
  | 'used-up'
  | 'too-many'
  | 'refused'
  | 'microphone-denied'
  | 'microphone-missing'
  | 'microphone-broken'
  | 'unsupported';

const MICROPHONE_CODES = {
  permission: 'microphone-denied',
  'no-microphone': 'microphone-missing',
  microphone: 'microphone-broken',
  unsupported: 'unsupported',
} as const;

/** Errors of `getUserMedia`, in contrast to those of the client. */
// prettier-ignore
const MICROPHONE_ERRORS = new Set<unknown>([
  'NotAllowedError', 'SecurityError', 'NotFoundError', 'OverconstrainedError', 'NotReadableError', 'AbortError',
]);

const CLOSE_CODES: ReadonlyMap<unknown, InterviewErrorCode> = new Map([
  [VOICE_CLOSE.engine, 'service'],
  [VOICE_CLOSE.later, 'busy'],
] as const);

const CLOSE_REASONS: ReadonlyMap<unknown, InterviewErrorCode> = new Map([
  [VOICE_REASONS.rights, 'refused'],
  [VOICE_REASONS.sessions, 'too-many'],
  [VOICE_REASONS.minutes, 'used-up'],
] as const);

/** Why a start failed. */
export function classifyStartError(error: unknown): InterviewErrorCode {
  if (error instanceof TicketError) return error.code === 'failed' ? 'connection' : error.code;
  const name = readField(error, 'name');
  if (name === 'TimeoutError') return 'timeout';
  if (MICROPHONE_ERRORS.has(name)) return MICROPHONE_CODES[classifyMicrophoneError(error)];
  if (!('mediaDevices' in navigator)) return 'unsupported';
  return (
    CLOSE_REASONS.get(readField(error, 'closeReason')) ?? CLOSE_CODES.get(readField(error, 'closeCode')) ?? 'connection'
  );
}

/** Why a conversation broke off. */
export function classifyDrop(closeCode: number | undefined, closeReason?: string): InterviewErrorCode {
  if (closeCode !== VOICE_CLOSE.policy) return CLOSE_CODES.get(closeCode) ?? 'dropped';
  return CLOSE_REASONS.get(closeReason) ?? 'limit';
}

/** The reason of a start that the person cancelled. */
export const CANCELLED = 'cancelled';

export function isCancelled(error: unknown): boolean {
  return readField(error, 'message') === CANCELLED;
}

/** Some browsers throw objects that are no Error. */
function readField(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}
