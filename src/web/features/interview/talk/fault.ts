import { VOICE_CLOSE } from '#contract/voice.ts';
import { faultOfMicrophone } from '#web/speech/microphone-fault.ts';
import { TicketError } from '../voice/ticket.ts';

/**
 * Why there is no conversation. `dropped`: there was one. microphone-…: §4 'Microphone denial leads to the error
 * state'. interrupted: the page was reloaded or left. service: the engine behind the gateway failed. limit: closed for
 * its length or its silence. busy: places or minutes are used up. refused: this person may not.
 */
export type TalkFault =
  | 'connection'
  | 'timeout'
  | 'dropped'
  | 'interrupted'
  | 'service'
  | 'limit'
  | 'busy'
  | 'refused'
  | 'microphone-denied'
  | 'microphone-missing'
  | 'microphone-broken'
  | 'unsupported';

const OF_MICROPHONE = {
  permission: 'microphone-denied',
  'no-microphone': 'microphone-missing',
  microphone: 'microphone-broken',
  unsupported: 'unsupported',
} as const;

/** Errors of `getUserMedia`; what the client throws besides is no microphone's fault. */
// prettier-ignore
const MICROPHONE_ERRORS = new Set<unknown>([
  'NotAllowedError', 'SecurityError', 'NotFoundError', 'OverconstrainedError', 'NotReadableError', 'AbortError',
]);

const OF_CLOSE_CODE: ReadonlyMap<unknown, TalkFault> = new Map([
  [VOICE_CLOSE.engine, 'service'],
  [VOICE_CLOSE.later, 'busy'],
] as const);

/** Why a start failed. */
export function faultOfStart(error: unknown): TalkFault {
  if (error instanceof TicketError) return error.fault === 'failed' ? 'connection' : error.fault;
  const name = field(error, 'name');
  if (name === 'TimeoutError') return 'timeout';
  if (MICROPHONE_ERRORS.has(name)) return OF_MICROPHONE[faultOfMicrophone(error)];
  if (!('mediaDevices' in navigator)) return 'unsupported';
  return OF_CLOSE_CODE.get(field(error, 'closeCode')) ?? 'connection';
}

/** Why a conversation broke off. */
export function faultOfDrop(closeCode: number | undefined): TalkFault {
  return closeCode === VOICE_CLOSE.policy ? 'limit' : (OF_CLOSE_CODE.get(closeCode) ?? 'dropped');
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
