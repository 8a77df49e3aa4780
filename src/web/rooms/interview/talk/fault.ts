import { VOICE_CLOSE } from '#contract/voice.ts';
import { faultOfMicrophone } from '#web/speech/microphone-fault.ts';
import { TicketError } from '../voice/ticket.ts';
import type { TalkFault } from './state.ts';

const OF_MICROPHONE = {
  permission: 'microphone-denied',
  'no-microphone': 'microphone-missing',
  microphone: 'microphone-broken',
  unsupported: 'unsupported',
} as const;

/** Errors of `getUserMedia`; what the client throws besides is no microphone's fault. */
const MICROPHONE_ERRORS = new Set<unknown>([
  'NotAllowedError', 'SecurityError', 'NotFoundError', 'OverconstrainedError', 'NotReadableError', 'AbortError',
]); // prettier-ignore

/** Why a start failed. */
export function faultOfStart(error: unknown): TalkFault {
  if (error instanceof TicketError) return error.fault === 'failed' ? 'connection' : error.fault;
  const name = field(error, 'name');
  if (name === 'TimeoutError') return 'timeout';
  if (MICROPHONE_ERRORS.has(name)) return OF_MICROPHONE[faultOfMicrophone(error)];
  if (!('mediaDevices' in navigator)) return 'unsupported';
  return field(error, 'closeCode') === VOICE_CLOSE.later ? 'busy' : 'connection';
}

/** The person has called the start off. */
export const LEFT = 'called off';

export function isLeft(error: unknown): boolean {
  return field(error, 'message') === LEFT;
}

/** What browsers throw is not an Error everywhere. */
function field(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}
