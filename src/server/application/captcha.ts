import type { Captcha } from '#contract/app-config.ts';
import type { CaptchaConfig } from '../platform.ts';

/** The widget for the browser, and the hosts that its page may connect to. */
export type CaptchaSite = Captcha & Readonly<{ hosts: readonly string[] }>;

/** From the providers' documentation. `captchaReady` is a function of the page. */
const PROVIDERS = {
  hcaptcha: {
    script: 'https://js.hcaptcha.com/1/api.js?render=explicit&onload=captchaReady&recaptchacompat=off&hl=de',
    hosts: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  },
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit&onload=captchaReady',
    hosts: ['https://challenges.cloudflare.com'],
  },
} as const;

/** undefined where no captcha is required, or where it cannot be solved without a site key. */
export function getCaptchaSite({ enabled, provider, site_key, script_url }: CaptchaConfig): CaptchaSite | undefined {
  const siteKey = site_key.trim();
  if (!enabled || siteKey === '') return undefined;
  if (script_url === undefined) return { provider, siteKey, ...PROVIDERS[provider] };
  return { provider, siteKey, script: script_url, hosts: [new URL(script_url).origin] };
}

/**
 * Of the widget's own page, and of no other (decision 0085): the provider's script and frames are let in there, and
 * only the application may frame it.
 */
export function buildCaptchaPolicy(site: CaptchaSite | undefined): string {
  const hosts = (site?.hosts ?? []).join(' ');
  return [
    `default-src 'none'`,
    `script-src 'self' ${hosts}`,
    `style-src 'self' 'unsafe-inline' ${hosts}`,
    `frame-src ${hosts === '' ? `'none'` : hosts}`,
    `connect-src 'self' ${hosts}`,
    `img-src 'self' data: ${hosts}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors ${site === undefined ? `'none'` : `'self'`}`,
  ].join('; ');
}
