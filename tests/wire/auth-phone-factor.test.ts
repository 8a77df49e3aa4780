import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { enter, type SignedIn } from '#tests/support/second-factors.ts';
import { startSmsProvider, type SmsProvider } from '#tests/support/sms-provider.ts';

let provider: SmsProvider;
let server: AuthBackend;
beforeAll(async () => {
  provider = await startSmsProvider();
  server = await bootAuthBackend({
    clock: 'frozen',
    auth: (auth) => ({
      hook: { send_sms: provider.hook },
      mfa: {
        ...auth.mfa,
        rate_limit_challenge_and_verify: 100_000,
        phone: { ...auth.mfa.phone, enroll_enabled: true, verify_enabled: true },
      },
      rate_limit: { ...auth.rate_limit, token_refresh: 100_000, sms_sent: 100_000 },
    }),
  });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});
beforeEach(() => provider.answerWith({ status: 204 }));

const NUMBER = '+49 170 1234567';

async function enrol({ client }: SignedIn, phone = NUMBER, friendlyName = 'Telefon'): Promise<string> {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'phone', phone, friendlyName });
  if (error !== null) throw error;
  return data.id;
}

async function ask({ client }: SignedIn, factorId: string): Promise<string> {
  const { data, error } = await client.auth.mfa.challenge({ factorId, channel: 'sms' });
  if (error !== null) throw error;
  return data.id;
}

describe('§7 factors: text messages', () => {
  test('the code from the message lifts the session', async () => {
    const me = await enter(server);
    const { data } = await me.client.auth.mfa.enroll({ factorType: 'phone', phone: NUMBER, friendlyName: 'Telefon' });
    expect(data).toEqual({ id: expect.any(String), type: 'phone', friendly_name: 'Telefon', phone: NUMBER });
    const factorId = data?.id ?? '';
    const challengeId = await ask(me, factorId);
    const message = provider.received.at(-1);
    expect(message).toEqual({
      phone: '491701234567',
      code: expect.stringMatching(/^\d{6}$/),
      purpose: 'mfa',
      userId: me.id,
      signed: true,
    });
    server.advance(1_000);
    const shown = await me.client.auth.mfa.verify({ factorId, challengeId, code: message?.code ?? '' });
    expect(decodeJwt(shown.data?.access_token ?? '')).toMatchObject({
      aal: 'aal2',
      amr: [{ method: 'mfa/phone' }, { method: 'password' }],
    });
    const { data: factors } = await me.client.auth.mfa.listFactors();
    expect(factors?.phone).toMatchObject([{ id: factorId, phone: '491701234567', status: 'verified' }]);
  });

  test('a wrong code, and the code of another challenge → 422 mfa_verification_failed', async () => {
    const me = await enter(server);
    const factorId = await enrol(me);
    const first = await ask(me, factorId);
    const code = provider.received.at(-1)?.code ?? '';
    server.advance(6_000);
    const second = await ask(me, factorId);
    const other = code === '000000' ? '000001' : '000000';
    for (const [challengeId, given] of [
      [first, other],
      [second, code],
    ] as const) {
      const { error } = await me.client.auth.mfa.verify({ factorId, challengeId, code: given });
      expect(error).toMatchObject({
        status: 422,
        code: 'mfa_verification_failed',
        message: 'Invalid MFA Phone code entered',
      });
    }
  });

  test('the code is in no table as it is', async () => {
    const me = await enter(server);
    const challengeId = await ask(me, await enrol(me));
    const [row] = await server.sql('select otp_code from auth.mfa_challenges where id = $1', [challengeId]);
    expect(row?.['otp_code']).toContain('aes-gcm-hkdf');
    expect(row?.['otp_code']).not.toContain(provider.received.at(-1)?.code);
  });

  test('A second message within max_frequency → 429 over_sms_send_rate_limit, at once too (contract §1.4)', async () => {
    const me = await enter(server);
    const factorId = await enrol(me);
    const before = provider.received.length;
    const asked = await Promise.all(
      Array.from({ length: 5 }, () => me.client.auth.mfa.challenge({ factorId, channel: 'sms' })),
    );
    expect(asked.filter(({ error }) => error === null)).toHaveLength(1);
    expect(asked.find(({ error }) => error !== null)?.error).toMatchObject({
      status: 429,
      code: 'over_sms_send_rate_limit',
      message: 'For security purposes, you can only request this after 5 seconds.',
    });
    expect(provider.received).toHaveLength(before + 1);
    server.advance(5_001);
    await ask(me, factorId);
  });

  test('a message that did not go out leaves no challenge', async () => {
    const me = await enter(server);
    const factorId = await enrol(me);
    provider.answerWith({ status: 503 });
    const { error } = await me.client.auth.mfa.challenge({ factorId, channel: 'sms' });
    expect(error).toMatchObject({ status: 422, code: 'sms_send_failed' });
    expect(await server.sql('select from auth.mfa_challenges where factor_id = $1', [factorId])).toEqual([]);
  });

  test('one phone is one factor: begun again it replaces the attempt, verified it stays', async () => {
    const me = await enter(server);
    await enrol(me, NUMBER, 'eins');
    const factorId = await enrol(me, '+49-170-1234567', 'zwei');
    expect((await me.client.auth.mfa.listFactors()).data?.all.map(({ id }) => id)).toEqual([factorId]);
    const challengeId = await ask(me, factorId);
    const { error } = await me.client.auth.mfa.verify({
      factorId,
      challengeId,
      code: provider.received.at(-1)?.code ?? '',
    });
    expect(error).toBeNull();
    const again = await me.client.auth.mfa.enroll({ factorType: 'phone', phone: NUMBER, friendlyName: 'drei' });
    expect(again.error).toMatchObject({ status: 422, code: 'mfa_verified_factor_exists' });
  });

  test.each([
    [{ factor_type: 'phone' }, 'Phone number required to enroll Phone factor'],
    [{ factor_type: 'phone', phone: '0170' }, 'Invalid phone number format (E.164 required)'],
  ])('%j → 400 %s', async (body, message) => {
    const { session } = await enter(server);
    const headers = { authorization: `Bearer ${session.access_token}` };
    const response = await server.call('POST', '/factors', body, headers);
    expect([response.status, ((await response.json()) as { msg: string }).msg]).toEqual([400, message]);
  });

  test('another channel → 400', async () => {
    const me = await enter(server);
    const { error } = await me.client.auth.mfa.challenge({ factorId: await enrol(me), channel: 'whatsapp' });
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' });
  });
});

describe('contract §1.4 factors for the administration: phones', () => {
  test('PUT …/:factor_id: another number; not one that another factor has', async () => {
    const me = await enter(server);
    const [first, second] = [await enrol(me), await enrol(me, '+49 170 7654321', 'Zweites')];
    const headers = { authorization: `Bearer ${server.backend.keys.secretKey}` };
    const change = async (phone: string) => {
      const response = await server.call('PUT', `/admin/users/${me.id}/factors/${second}`, { phone }, headers);
      return [response.status, await response.json()];
    };
    expect(await change('+49 171 1111111')).toMatchObject([200, { id: second, phone: '491711111111' }]);
    expect(await change('keine Nummer')).toMatchObject([400, { error_code: 'validation_failed' }]);
    expect(await change(NUMBER)).toMatchObject([422, { error_code: 'mfa_verified_factor_exists' }]);
    expect(first).not.toBe(second);
  });
});
