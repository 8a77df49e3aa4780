import type { FromFrame } from './messages.ts';

/**
 * loading: on its way · open: waits for the person · solved: with a token for one use · expired: was solved, too long
 * ago · failed: not there, or broken. `asked`: somebody went on without it, so it says what is missing.
 */
export type CaptchaState = Readonly<{ asked: boolean; height: number }> &
  (Readonly<{ status: 'loading' | 'open' | 'expired' | 'failed' }> | Readonly<{ status: 'solved'; token: string }>);

export type CaptchaEvent = FromFrame | Readonly<{ kind: 'asked' | 'spent' | 'silence' | 'again' }>;

const HEIGHT = 78;

export const FIRST: CaptchaState = { status: 'loading', asked: false, height: HEIGHT };

export function captchaReducer(state: CaptchaState, event: CaptchaEvent): CaptchaState {
  const { asked, height } = state;
  switch (event.kind) {
    case 'ready':
      return { status: 'open', asked, height };
    case 'solved':
      return { status: 'solved', token: event.token, asked: false, height };
    case 'expired':
      return { status: 'expired', asked, height };
    case 'failed':
      return { status: 'failed', asked, height };
    case 'silence':
      return state.status === 'loading' ? { status: 'failed', asked, height } : state;
    case 'height':
      return { ...state, height: Math.max(HEIGHT, Math.ceil(event.pixels)) };
    case 'asked':
      return { ...state, asked: true };
    case 'spent':
      return state.status === 'solved' ? { status: 'open', asked: false, height } : state;
    default:
      event.kind satisfies 'again';
      return FIRST;
  }
}
