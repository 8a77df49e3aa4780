import { expect, it } from 'vitest';
import { arrivalAt } from './arrival.ts';

it.each([
  ['/?error=access_denied&error_code=user_banned&error_description=User+is+banned', 'locked', '/login'],
  [
    '/login?error=access_denied&error_code=signup_disabled#error=access_denied&error_code=signup_disabled&sb=',
    'no-account',
    '/login',
  ],
  ['/login?error=access_denied&error_description=End-User+aborted+interaction', 'cancelled', '/login'],
  ['/login#error=access_denied&error_code=provider_email_needs_verification', 'unconfirmed', '/login'],
  [
    '/?error=invalid_request&error_code=validation_failed&error_description=SAML+Assertion+is+not+valid',
    'refused',
    '/login',
  ],
  ['/?error=server_error&error_code=saml_relay_state_expired', 'expired', '/login'],
  ['/?error=invalid_request&error_code=bad_oauth_state', 'expired', '/login'],
  ['/login#error=access_denied&error_code=otp_expired', 'expired', '/login'],
  ['/login?error=server_error', 'refused', '/login'],
  ['/konto#error=access_denied&error_code=otp_expired&error_description=x', 'expired', '/konto'],
  ['/passwort-neu#error=access_denied&error_code=otp_expired', 'expired', '/passwort-neu'],
  ['/konto#message=Confirmation+link+accepted.&sb=', 'other-mailbox', '/konto'],
] as const)('%s says %s (contract §1.4)', (address, arrival, to) => {
  expect(arrivalAt(new URL(address, 'https://app.test'))).toEqual({ arrival, to });
});

it.each([
  '/',
  '/login#access_token=a&refresh_token=b&type=magiclink',
  '/login#message=hallo',
  '/passwort-neu#access_token=a&refresh_token=b&type=recovery',
  '/firma-a?error=1',
])('%s says nothing', (address) => {
  expect(arrivalAt(new URL(address, 'https://app.test'))).toBeUndefined();
});
