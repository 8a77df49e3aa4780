import { useEffect, useReducer, useRef, useState, type RefObject } from 'react';
import { useSessionStore } from '#web/backend/session.ts';
import { captchaReducer, FIRST, type CaptchaState } from './captcha-state.ts';
import { ASK_AGAIN, readMessage } from './messages.ts';

/** How long a widget may take to come before it counts as blocked. */
const PATIENCE_MS = 20_000;

/** What a form needs to go on: a token for this one call, or nothing where none is asked for. */
export type Proof = Readonly<{ ok: true; token: string | undefined }> | Readonly<{ ok: false }>;

export type UseCaptcha = Readonly<{
  needed: boolean;
  state: CaptchaState;
  /** Changes with every try to load the widget. */
  turn: number;
  frame: RefObject<HTMLIFrameElement | null>;
  /** Spends the token. Without one the widget says what is missing and gets the focus. */
  take: () => Proof;
  again: () => void;
}>;

/** The widget in its frame, as a form sees it. */
export function useCaptcha(): UseCaptcha {
  const needed = useSessionStore().config.captcha !== undefined;
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, dispatch] = useReducer(captchaReducer, FIRST);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const hear = ({ origin, source, data }: MessageEvent<unknown>): void => {
      if (origin !== location.origin || source === null || source !== frame.current?.contentWindow) return;
      const message = readMessage(data);
      if (message !== undefined) dispatch(message);
    };
    window.addEventListener('message', hear);
    return () => window.removeEventListener('message', hear);
  }, []);
  const waiting = needed && state.status === 'loading';
  useEffect(() => {
    if (!waiting) return undefined;
    const timer = setTimeout(() => dispatch({ kind: 'silence' }), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  const take = (): Proof => {
    if (!needed) return { ok: true, token: undefined };
    if (state.status !== 'solved') {
      dispatch({ kind: 'asked' });
      frame.current?.focus();
      return { ok: false };
    }
    dispatch({ kind: 'spent' });
    frame.current?.contentWindow?.postMessage(ASK_AGAIN, location.origin);
    return { ok: true, token: state.token };
  };
  const again = (): void => {
    dispatch({ kind: 'again' });
    setTurn((before) => before + 1);
  };
  return { needed, state, turn, frame, take, again };
}
