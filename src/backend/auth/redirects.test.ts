import { describe, expect, test } from 'vitest';
import { AuthError, ERRORS, oauthError } from './errors.ts';
import {
  resolveRedirect,
  toErrorParameters,
  withCode,
  withError,
  withMessage,
  withProviderError,
  withSession,
} from './redirects.ts';

const SITE = 'https://app.beispiel.test';
const accept = (asked: string, additional_redirect_urls: string[] = [], site_url = SITE): string =>
  resolveRedirect(asked, { site_url, additional_redirect_urls });

describe('contract §1.6 threat 16 redirect targets', () => {
  test.each([`${SITE}/`, `${SITE}/a?b=c#d`])('the site itself: %s', (asked) => expect(accept(asked)).toBe(asked));

  test.each([
    '',
    '/',
    '//boese.test',
    String.raw`/\boese.test`,
    String.raw`https:\\boese.test`,
    'javascript:alert(1)',
    'https://app.beispiel.test:8443/',
    'http://app.beispiel.test/',
    'https://app.beispiel.test@boese.test/',
    'https://x:y@app.beispiel.test/',
    'https://app.beispiel.test.boese.test',
    'https://boeseapp.beispiel.test',
    '%68ttps://boese.test',
    'app.beispiel.test',
    'data:text/html,x',
    ' https://boese.test',
  ])('Replaces %j by the site', (asked) => expect(accept(asked)).toBe(SITE));

  test.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://x',
  ])('Refuses %j even where the list allows everything', (asked) => expect(accept(asked, ['**', asked])).toBe(SITE));

  test('Accepts any port of the loopback address as the site', () => {
    expect(accept('http://127.0.0.1:5173/x', [], 'http://127.0.0.1:3000')).toBe('http://127.0.0.1:5173/x');
    expect(accept('http://localhost:5173/x', [], 'http://127.0.0.1:3000')).toBe('http://127.0.0.1:3000');
  });

  test.each([
    ['https://*.beispiel.test/**', 'https://eins.beispiel.test/a/b', true],
    ['https://*.beispiel.test/**', 'https://eins.zwei.beispiel.test/a', false],
    ['https://*.beispiel.test/*', 'https://eins.beispiel.test/a/b', false],
    ['https://*.beispiel.test', 'https://eins.beispiel.test', true],
    ['https://*.beispiel.test', 'https://eins.beispiel.test#teil', true],
    ['https://*.beispiel.test', 'https://boese.test?.beispiel.test', false],
    ['https://*.beispiel.test', 'https://eins.beispiel.test/a', false],
    ['https://andere.test/?', 'https://andere.test/x', true],
    ['https://andere.test/exakt', 'https://andere.test/exakt#teil', true],
    ['https://andere.test/exakt', 'https://andereXtest/exakt', false],
    ['meine-app://callback', 'meine-app://callback', true],
    ['https://a.test/(', 'https://a.test/(', true],
  ])('pattern %s, %s: %s', (pattern, asked, listed) => {
    expect(accept(asked, [pattern])).toBe(listed ? new URL(asked).href : SITE);
  });
});

const HOME = 'https://app.beispiel.test/x?a=1';

test('Puts a session into the fragment, a code into the query (contract §1.4)', () => {
  const session = { access_token: 'at', expires_at: 2, expires_in: 1, refresh_token: 'rt' };
  expect(withSession(HOME, session, { type: 'signup' })).toBe(
    `${HOME}#access_token=at&expires_at=2&expires_in=1&refresh_token=rt&token_type=bearer&type=signup&sb=`,
  );
  expect(withCode(HOME, 'c d')).toBe(`${HOME}&code=c+d`);
  expect(withMessage(HOME, 'm', 'fragment')).toBe(`${HOME}#message=m&sb=`);
  expect(withMessage(HOME, 'm', 'query')).toBe(`${HOME}&message=m#message=m&sb=`);
});

describe('contract §1.4 errors', () => {
  const error = ERRORS.linkExpired();
  const parameters =
    'error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired';
  test('Puts the error of a link into the fragment, in a PKCE flow also into the query', () => {
    expect(withError(HOME, error, 'fragment')).toBe(`${HOME}#${parameters}&sb=`);
    expect(withError(HOME, error, 'query')).toBe(`${HOME}&${parameters}#${parameters}&sb=`);
  });

  test.each([
    [400, 'invalid_request'],
    [401, 'unauthorized_client'],
    [403, 'access_denied'],
    [500, 'server_error'],
    [503, 'temporarily_unavailable'],
  ])('Names status %i as OAuth does: %s', (status, name) => {
    const url = new URL(withError(HOME, new AuthError(status, 'x', 'm'), 'query'));
    expect(url.searchParams.get('error')).toBe(name);
    expect(new URLSearchParams(url.hash.slice(1)).get('error')).toBe(name);
  });

  test('Leaves out the name of a status that OAuth does not know', () => {
    expect(withError(HOME, new AuthError(422, 'email_exists', 'm'), 'fragment')).toBe(
      `${HOME}#error_code=email_exists&error_description=m&sb=`,
    );
  });

  test.each([
    [ERRORS.signupDisabled(), 'access_denied'],
    [ERRORS.bannedLogin(), 'access_denied'],
    [new AuthError(422, 'provider_email_needs_verification', 'm'), 'access_denied'],
    [new AuthError(400, 'bad_oauth_state', 'm'), 'invalid_request'],
    [new AuthError(422, 'identity_already_exists', 'm'), 'server_error'],
    [ERRORS.unexpected(), 'server_error'],
  ])('from another provider: %o is %s', (given, error) => {
    expect(toErrorParameters(given)).toEqual({ error, error_code: given.code, error_description: given.message });
  });

  test('Passes on the error of the provider without a code', () => {
    const url = new URL(withProviderError(HOME, oauthError('access_denied', 'Nein')));
    expect([...url.searchParams]).toEqual([
      ['a', '1'],
      ['error', 'access_denied'],
      ['error_description', 'Nein'],
    ]);
    expect(url.hash).toBe('#error=access_denied&error_description=Nein&sb=');
  });
});
