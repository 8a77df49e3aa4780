import { AuthApiError } from '@supabase/supabase-js';
import { afterEach, expect, it, vi } from 'vitest';
import { connectBackend } from './connect.ts';
import { requestMailCode, requestPasswordReset, setPassword, signIn, signInWithMailCode } from './sign-in.ts';
import { STUB_CONFIG, STUB_USER, stubServer } from '#tests/support/web/stub-server.ts';

afterEach(() => vi.unstubAllGlobals());

const { email } = STUB_USER;

/** A backend that answers every request before the login like this. */
function answering(status: number, error_code: string, msg = error_code, config = STUB_CONFIG) {
  const answer = (): Response => Response.json({ code: status, error_code, msg }, { status });
  stubServer({ 'POST /auth/v1/recover': answer, 'POST /auth/v1/otp': answer, 'POST /auth/v1/verify': answer });
  return connectBackend(config);
}

it.each(['over_email_send_rate_limit', 'over_request_rate_limit'])(
  'A request that was refused because of %s does not count as a mail that is on its way (D15)',
  async (code) => {
    const backend = answering(429, code);
    expect(await requestPasswordReset(backend, { email, captchaToken: undefined })).toBe('wait');
    expect(await requestMailCode(backend, { email, captchaToken: undefined })).toBe('wait');
  },
);

it.each([
  ['as for an unknown address at a hosted project, which lets only known ones wait', STUB_CONFIG.supabaseUrl, 'sent'],
  ['as too early here, where all wait', location.origin, 'wait'],
])('A second mail within a minute is answered %s (D15)', async (_case, supabaseUrl, expected) => {
  const words = 'For security purposes, you can only request this after 42 seconds.';
  const backend = answering(429, 'over_email_send_rate_limit', words, { ...STUB_CONFIG, supabaseUrl });
  expect(await requestPasswordReset(backend, { email, captchaToken: undefined })).toBe(expected);
  expect(await requestMailCode(backend, { email, captchaToken: undefined })).toBe(expected);
});

it('An address is sent as the backend knows it, from every browser and however it was copied (§2.2)', async () => {
  const { supabase, ...backend } = connectBackend(STUB_CONFIG);
  const failed = { data: { user: null, session: null }, error: new AuthApiError('x', 400, 'invalid_credentials') };
  const password = vi.spyOn(supabase.auth, 'signInWithPassword').mockResolvedValue(failed);
  const code = vi.spyOn(supabase.auth, 'verifyOtp').mockResolvedValue(failed);
  for (const typed of [
    'mira@bücher.test',
    'mailto:mira@bücher.test',
    '<mira@xn--bcher-kva.test>',
    'mira\u200B@bücher.test.',
  ]) {
    await signIn({ supabase, ...backend }, { email: typed, password: 'p', captchaToken: undefined });
    await signInWithMailCode({ supabase, ...backend }, { email: typed, code: '123456' });
    for (const call of [password, code])
      expect(call).toHaveBeenLastCalledWith(expect.objectContaining({ email: 'mira@xn--bcher-kva.test' }));
  }
});

it('A right code for an account that is locked does not count as wrong', async () => {
  expect(await signInWithMailCode(answering(403, 'user_banned'), { email, code: '123456' })).toBe('locked');
  expect(await signInWithMailCode(answering(403, 'otp_expired'), { email, code: '123456' })).toBe('wrong');
});

it('A password of more than 72 bytes is told to be no good one, not to try it again (D15)', async () => {
  const { supabase, ...backend } = connectBackend(STUB_CONFIG);
  vi.spyOn(supabase.auth, 'updateUser').mockResolvedValue({
    data: { user: null },
    error: new AuthApiError('Password cannot be longer than 72 characters', 400, 'validation_failed'),
  });
  expect(await setPassword({ supabase, ...backend }, 'x'.repeat(73))).toEqual({ ok: false, reason: 'weak' });
});
