import { mainButtonTexts } from '../texts.ts';
import { CONNECT_PROGRESS_CAP } from '#contract/limits.ts';
import type { Way } from '../voice/call.ts';
import type { TalkFault } from './fault.ts';

/** §4 'Voice interview connection'. `preparing`: the preload initialises. `progress` in percent. */
export type TalkState =
  | Readonly<{ status: 'idle' | 'preparing' }>
  | Readonly<{ status: 'connecting'; way: Way; progress: number }>
  | Readonly<{ status: 'connected'; way: Way; progress: 100 }>
  | Readonly<{ status: 'ended'; by: 'user' | 'agent' }>
  | Readonly<{ status: 'error'; fault: TalkFault; way: Way }>;

export type TalkEvent =
  | Readonly<{ type: 'preload-started' | 'preload-over' }>
  | Readonly<{ type: 'start'; way: Way }>
  /** §9: every 100 ms. */
  | Readonly<{ type: 'tick' }>
  | Readonly<{ type: 'connected' }>
  | Readonly<{ type: 'failed'; fault: TalkFault }>
  | Readonly<{ type: 'ended'; by: 'user' | 'agent' }>
  | Readonly<{ type: 'dropped'; fault: TalkFault }>
  /** Given up by the person while connecting. */
  | Readonly<{ type: 'cancelled' }>;

export const IDLE: TalkState = { status: 'idle' };

/** What does not fit the state changes nothing: a click too many, an answer that came too late. */
export function reduceTalk(state: TalkState, event: TalkEvent): TalkState {
  switch (state.status) {
    case 'idle':
    case 'ended':
    case 'error':
      if (event.type === 'start') return { status: 'connecting', way: event.way, progress: 0 };
      return event.type === 'preload-started' && state.status === 'idle' ? { status: 'preparing' } : state;
    case 'preparing':
      // A failed preload is no dead end: the start loads again.
      return event.type === 'preload-over' ? IDLE : state;
    case 'connecting':
      return whileConnecting(state, event);
    default:
      if (event.type === 'ended') return { status: 'ended', by: event.by };
      return event.type === 'dropped' ? { status: 'error', fault: event.fault, way: state.way } : state;
  }
}

function whileConnecting(state: TalkState & { status: 'connecting' }, event: TalkEvent): TalkState {
  switch (event.type) {
    case 'tick':
      return { ...state, progress: crept(state.progress) };
    case 'connected':
      return { status: 'connected', way: state.way, progress: 100 };
    case 'failed':
      return { status: 'error', fault: event.fault, way: state.way };
    case 'cancelled':
      return IDLE;
    default:
      return state;
  }
}

/** Slower and slower: nobody knows how long it takes (D18). */
function crept(progress: number): number {
  return Math.min(CONNECT_PROGRESS_CAP, progress + Math.max(0.5, (CONNECT_PROGRESS_CAP - progress) / 25));
}

/** §4: label of the one button, whether it is disabled, and what it does. */
export type MainButton = Readonly<{ label: string; disabled: boolean; action: 'start' | 'end' }>;

const MAIN_BUTTONS: Readonly<Record<TalkState['status'], MainButton>> = {
  idle: { label: mainButtonTexts.idle, disabled: false, action: 'start' },
  preparing: { label: mainButtonTexts.preparing, disabled: true, action: 'start' },
  connecting: { label: mainButtonTexts.connecting, disabled: true, action: 'start' },
  connected: { label: mainButtonTexts.connected, disabled: false, action: 'end' },
  ended: { label: mainButtonTexts.ended, disabled: false, action: 'start' },
  error: { label: mainButtonTexts.error, disabled: false, action: 'start' },
};

export function mainButton({ status }: TalkState): MainButton {
  return MAIN_BUTTONS[status];
}

/** Whether a microphone may be open or a line being built: nothing may be edited, and the page must not go. */
export function isActive({ status }: TalkState): boolean {
  return status === 'connecting' || status === 'connected';
}
