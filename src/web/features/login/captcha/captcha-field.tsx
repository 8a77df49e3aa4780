import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { RotateCw } from '#web/ui/icons.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { captchaTexts as texts } from './texts.ts';
import type { UseCaptcha } from './use-captcha.ts';

/** Shows the provider's widget if the backend requires a captcha. */
export function CaptchaField({ captcha }: Readonly<{ captcha: UseCaptcha }>): ReactNode {
  const { needed, state, turn, frame, reload } = captcha;
  if (!needed) return null;
  if (state.status === 'failed') {
    return (
      <Notice
        tone="error"
        title={texts.failedTitle}
        live
        action={
          <Button variant="secondary" icon={<RotateCw aria-hidden className="size-5" />} onClick={reload}>
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
      <output className="text-sm text-muted empty:hidden">{state.status === 'loading' ? texts.loading : ''}</output>
      <Missing state={state} />
    </div>
  );
}

function Missing({ state: { status, asked } }: Pick<UseCaptcha, 'state'>): ReactNode {
  if (status !== 'expired' && (!asked || status === 'solved')) return null;
  return (
    <p role="alert" className="animate-rise text-sm text-record-ink">
      {status === 'expired' ? texts.expired : status === 'loading' ? texts.notYet : texts.missing}
    </p>
  );
}
