import { clsx } from 'clsx';
import { type ReactNode, useEffect, useReducer, useRef, useState } from 'react';
import { useSessionStore } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { FieldError } from '#web/ui/field.tsx';
import { RotateCw } from '#web/ui/icons.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { captchaTexts as texts } from '../texts.ts';
import { ASK_AGAIN, type FromFrame, readMessage } from './messages.ts';

/** Shows the provider's widget if the backend requires a captcha. */
export function CaptchaField({ captcha }: Readonly<{ captcha: ReturnType<typeof useCaptcha> }>): ReactNode {
  const { needed, state, turn, frame, reload } = captcha;
  if (!needed) return null;
  if (state.status === 'failed') {
    return (
      <Notice
        tone="error"
        title={texts.failedTitle}
        live
        action={
          <Button variant="secondary" icon={RotateCw} onClick={reload}>
            {texts.reload}
          </Button>
        }
      >
        {texts.failed}
      </Notice>
    );
  }
  return (
    <div className="flex flex-col gap-1.5">
      {/* oxlint-disable-next-line react/iframe-missing-sandbox -- our own page (decision 0085) */}
      <iframe
        key={turn}
        ref={frame}
        src="/captcha.html"
        title={texts.title}
        style={{ height: state.height }}
        className={clsx('w-full scheme-light-dark', state.status === 'loading' && 'rounded-control bg-sunken')}
      />
      <output className="text-sm text-muted empty:sr-only">{state.status === 'loading' ? texts.loading : ''}</output>
      <Missing state={state} />
    </div>
  );
}

function Missing({ state: { status, asked } }: Readonly<{ state: CaptchaState }>): ReactNode {
  if (status !== 'expired' && (!asked || status === 'solved')) return null;
  return (
    <FieldError>
      {status === 'expired' ? texts.expired : status === 'loading' ? texts.notYet : texts.missing}
    </FieldError>
  );
}

/** A widget that takes longer to load counts as blocked. */
const TIMEOUT_MS = 20_000;

/** Permission to submit: a token for one request, or none if no captcha is required. */
type CaptchaProof = Readonly<{ ok: true; token: string | undefined }> | Readonly<{ ok: false }>;

/** Connects a form to the widget in its frame. */
export function useCaptcha() {
  const needed = useSessionStore().config.captcha !== undefined;
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, dispatch] = useReducer(reduceCaptcha, FIRST);
  /** Counts the attempts to load the widget. */
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const onMessage = ({ origin, source, data }: MessageEvent<unknown>): void => {
      if (origin !== location.origin || source === null || source !== frame.current?.contentWindow) return;
      const message = readMessage(data);
      if (message !== undefined) dispatch(message);
    };
    window.addEventListener('message', onMessage);
    return () => window.removeEventListener('message', onMessage);
  }, []);
  const waiting = needed && state.status === 'loading';
  useEffect(() => {
    if (!waiting) return undefined;
    const timer = setTimeout(() => dispatch({ kind: 'silence' }), TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  /** Consumes the token. Without one, shows what is missing and focuses the widget. */
  const take = (): CaptchaProof => {
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
  const reload = (): void => {
    dispatch({ kind: 'again' });
    setTurn((before) => before + 1);
  };
  return { needed, state, turn, frame, take, reload };
}

/**
 * loading · open: waits for the person · solved: with a token for one use · expired: solved too long ago · failed: not
 * loaded or broken. `asked`: the form was submitted without a token, so the field says what is missing.
 */
type CaptchaState = Readonly<{ asked: boolean; height: number }> &
  (Readonly<{ status: 'loading' | 'open' | 'expired' | 'failed' }> | Readonly<{ status: 'solved'; token: string }>);

export type CaptchaEvent = FromFrame | Readonly<{ kind: 'asked' | 'spent' | 'silence' | 'again' }>;

const HEIGHT = 78;

export const FIRST: CaptchaState = { status: 'loading', asked: false, height: HEIGHT };

export function reduceCaptcha(state: CaptchaState, event: CaptchaEvent): CaptchaState {
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
