import { describe, expect, test } from 'vitest';
import { AuthError, ERRORS, oauthError } from '../errors.ts';
import { toErrorParameters, withCode, withError, withProviderError, withMessage, withSession } from './redirect-url.ts';

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
