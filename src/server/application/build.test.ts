import { expect, test } from 'vitest';
import { Captcha } from '#backend/config-auth.ts';
import { buildCaptchaPolicy, findPreload, getCaptchaSite, readPreloads } from './build.ts';

const PRELOADS = readPreloads('{"login":["assets/a.js","assets/b.js"],"upload":["assets/c.js"],"":["assets/d.js"]}');

test.each([
  ['/login', '</assets/a.js>; rel=modulepreload, </assets/b.js>; rel=modulepreload'],
  ['/login?x=/upload', '</assets/a.js>; rel=modulepreload, </assets/b.js>; rel=modulepreload'],
  ['/firma-a/upload/', '</assets/c.js>; rel=modulepreload'],
  ['/upload/anders', undefined],
  ['/', '</assets/d.js>; rel=modulepreload'],
  ['/?x', '</assets/d.js>; rel=modulepreload'],
  ['/andere', undefined],
])('%s names the files of its first screen (decision 0284)', (url, expected) => {
  expect(findPreload(PRELOADS, url)).toBe(expected);
});

const on = (more: object = {}) =>
  getCaptchaSite(Captcha.parse({ enabled: true, secret: 'geheim', site_key: ' oeffentlich ', ...more }));

test('Captcha: no widget where it is off or has no site key', () => {
  expect(getCaptchaSite(Captcha.parse({ site_key: 'oeffentlich' }))).toBeUndefined();
  expect(on({ site_key: '' })).toBeUndefined();
  expect(buildCaptchaPolicy(undefined)).toContain("frame-ancestors 'none'");
  expect(buildCaptchaPolicy(undefined)).not.toContain('http');
});

test.each([
  [{}, 'hcaptcha', 'https://js.hcaptcha.com', 'https://hcaptcha.com https://*.hcaptcha.com'],
  [{ provider: 'turnstile' }, 'turnstile', 'https://challenges.cloudflare.com', 'https://challenges.cloudflare.com'],
  [
    { script_url: 'https://captcha.firma.test/w.js?x=1' },
    'hcaptcha',
    'https://captcha.firma.test',
    'https://captcha.firma.test',
  ],
])('captcha: %o lets in the hosts of %s and no other', (more, provider, origin, hosts) => {
  const site = on(more);
  expect(site).toMatchObject({ provider, siteKey: 'oeffentlich' });
  expect(new URL(site?.script ?? '').origin).toBe(origin);
  const named = buildCaptchaPolicy(site).match(/https?:\/\/[^\s;]+/g) ?? [];
  expect(new Set(named)).toEqual(new Set(hosts.split(' ')));
});

test.each(['http://captcha.firma.test/w.js', 'ftp://captcha.firma.test', 'w.js'])(
  'captcha: a script from %s is refused',
  (script_url) => {
    expect(Captcha.safeParse({ script_url }).success).toBe(false);
  },
);
