import type { Captcha } from '#contract/app-config.ts';

/** What hCaptcha and Turnstile have in common of their interfaces. */
type WidgetOptions = Readonly<Record<string, string | ((value?: unknown) => void)>>;
export type Widget = Readonly<{
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

/** What the page has to hear of a widget, whosever it is. */
export type Hearer = Readonly<{
  solved: (token: string) => void;
  expired: () => void;
  failed: () => void;
  /** A task lies over the page until it is closed. */
  opened: () => void;
  closed: () => void;
}>;

/** Narrower than this the wide form of both does not fit. */
const WIDE = 303;

/** The options in the words of the provider; no room is wasted, and a narrow one is enough. */
export function widgetOptions({ provider, siteKey }: Captcha, width: number, hearer: Hearer): WidgetOptions {
  const common = {
    sitekey: siteKey,
    theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    callback: (token: unknown) => void (typeof token === 'string' && hearer.solved(token)),
    'expired-callback': hearer.expired,
    'error-callback': hearer.failed,
  };
  if (provider === 'turnstile') {
    const size = width < WIDE ? 'compact' : 'flexible';
    return {
      ...common,
      size,
      language: 'de',
      'timeout-callback': hearer.expired,
      'unsupported-callback': hearer.failed,
    };
  }
  const size = width < WIDE ? 'compact' : 'normal';
  const closed = { 'close-callback': hearer.closed, 'chalexpired-callback': hearer.closed };
  return { ...common, size, 'open-callback': hearer.opened, ...closed };
}
