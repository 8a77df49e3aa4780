/** The page around the widget (captcha.html), the only place that runs the provider's script (decision 0085). */
import type { Captcha } from '#contract/app-config.ts';
import { ASK_AGAIN, type FromFrame } from './messages.ts';

const TASK_HEIGHT = 620;

function send(message: FromFrame): void {
  parent.postMessage(message, location.origin);
}

async function start(): Promise<void> {
  const captcha = await fetchCaptcha();
  globalThis.captchaReady = () => show(captcha);
  const script = document.createElement('script');
  script.src = captcha.script;
  script.async = true;
  script.addEventListener('error', () => send({ kind: 'failed' }));
  document.head.append(script);
}

async function fetchCaptcha(): Promise<Captcha> {
  const response = await fetch('/config.json', { cache: 'no-cache' });
  const { captcha } = (await response.json()) as { captcha?: Captcha };
  if (captcha === undefined) throw new TypeError('no captcha');
  return captcha;
}

function show(captcha: Captcha): void {
  const widget = globalThis[captcha.provider];
  const container = document.querySelector<HTMLElement>('#widget');
  if (widget === undefined || container === null) return send({ kind: 'failed' });
  const listener: WidgetListener = {
    solved: (token) => send({ kind: 'solved', token }),
    expired: () => send({ kind: 'expired' }),
    failed: () => send({ kind: 'failed' }),
    opened: () => send({ kind: 'height', pixels: TASK_HEIGHT }),
    closed: () => send({ kind: 'height', pixels: container.offsetHeight }),
  };
  new ResizeObserver(listener.closed).observe(container);
  const id = widget.render(container, widgetOptions(captcha, innerWidth, listener));
  addEventListener('message', ({ origin, source, data }: MessageEvent<unknown>) => {
    if (origin === location.origin && source === parent && data === ASK_AGAIN) widget.reset(id);
  });
  return send({ kind: 'ready' });
}

/** The common interface of hCaptcha and Turnstile. */
type WidgetOptions = Readonly<Record<string, string | ((value?: unknown) => void)>>;
type Widget = Readonly<{
  render: (container: HTMLElement, options: WidgetOptions) => string | undefined;
  reset: (id?: string) => void;
}>;

declare global {
  // oxlint-disable no-var -- names that the providers' scripts set and call
  var hcaptcha: Widget | undefined;
  var turnstile: Widget | undefined;
  var captchaReady: (() => void) | undefined;
  // oxlint-enable no-var
}

/** Events of a widget, for both providers. */
type WidgetListener = Readonly<{
  solved: (token: string) => void;
  expired: () => void;
  failed: () => void;
  /** A task covers the page until it is closed. */
  opened: () => void;
  closed: () => void;
}>;

/** The wide form of both widgets needs this width in pixels. */
const WIDE = 303;

/** Builds the provider's options; a narrow page gets the compact form. */
function widgetOptions({ provider, siteKey }: Captcha, width: number, listener: WidgetListener): WidgetOptions {
  const common = {
    sitekey: siteKey,
    theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    callback: (token: unknown) => void (typeof token === 'string' && listener.solved(token)),
    'expired-callback': listener.expired,
    'error-callback': listener.failed,
  };
  if (provider === 'turnstile') {
    const size = width < WIDE ? 'compact' : 'flexible';
    return {
      ...common,
      size,
      language: 'de',
      'timeout-callback': listener.expired,
      'unsupported-callback': listener.failed,
    };
  }
  const size = width < WIDE ? 'compact' : 'normal';
  const closed = { 'close-callback': listener.closed, 'chalexpired-callback': listener.closed };
  return { ...common, size, 'open-callback': listener.opened, ...closed };
}

start().catch(() => send({ kind: 'failed' }));
