import type { Captcha } from '#contract/app-config.ts';
import { ASK_AGAIN, type FromFrame } from './messages.ts';
import { widgetOptions, type Hearer } from './provider.ts';

/** The page around the widget (captcha.html): the provider's script runs here and nowhere else (decision 0085). */
const TASK_HEIGHT = 620;

function tell(message: FromFrame): void {
  parent.postMessage(message, location.origin);
}

async function start(): Promise<void> {
  const captcha = await configured();
  globalThis.captchaReady = () => show(captcha);
  const script = document.createElement('script');
  script.src = captcha.script;
  script.async = true;
  script.addEventListener('error', () => tell({ kind: 'failed' }));
  document.head.append(script);
}

async function configured(): Promise<Captcha> {
  const response = await fetch('/config.json', { cache: 'no-cache' });
  const { captcha } = (await response.json()) as { captcha?: Captcha };
  if (captcha === undefined) throw new TypeError('no captcha');
  return captcha;
}

function show(captcha: Captcha): void {
  const widget = globalThis[captcha.provider];
  const room = document.querySelector<HTMLElement>('#widget');
  if (widget === undefined || room === null) return tell({ kind: 'failed' });
  const hearer: Hearer = {
    solved: (token) => tell({ kind: 'solved', token }),
    expired: () => tell({ kind: 'expired' }),
    failed: () => tell({ kind: 'failed' }),
    opened: () => tell({ kind: 'height', pixels: TASK_HEIGHT }),
    closed: () => tell({ kind: 'height', pixels: room.offsetHeight }),
  };
  new ResizeObserver(hearer.closed).observe(room);
  const id = widget.render(room, widgetOptions(captcha, innerWidth, hearer));
  addEventListener('message', ({ origin, source, data }: MessageEvent<unknown>) => {
    if (origin === location.origin && source === parent && data === ASK_AGAIN) widget.reset(id);
  });
  return tell({ kind: 'ready' });
}

start().catch(() => tell({ kind: 'failed' }));
