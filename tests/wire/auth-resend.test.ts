import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { follow, mailTo } from '#tests/support/auth-mails.ts';
import { pkceClient } from '#tests/support/auth-pkce.ts';
import { addPerson } from '#tests/support/people.ts';

let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({ auth: mailing, clock: 'frozen' });
});
afterAll(() => server.stop());

const fresh = (): string => `${randomUUID()}@beispiel.test`;
const password = 'lang genug fuer hier';

describe('§7 POST /resend', () => {
  test('signup: the confirmation again, and the older one ends', async () => {
    const email = fresh();
    await server.client().auth.signUp({ email, password });
    const first = await mailTo(server, email);
    server.advance(61_000);
    expect((await server.client().auth.resend({ type: 'signup', email })).error).toBeNull();
    const second = await mailTo(server, email, 2);
    expect((await follow(server, first)).members.get('error_code')).toBe('otp_expired');
    expect((await follow(server, second)).members.get('type')).toBe('signup');
  });

  test('signup in a PKCE flow leads to a code', async () => {
    const email = fresh();
    const client = pkceClient(server);
    await client.auth.signUp({ email, password });
    // Mails are sent behind the answer: without waiting, the second could overtake the first.
    await mailTo(server, email);
    server.advance(61_000);
    await client.auth.resend({ type: 'signup', email });
    const { target } = await follow(server, await mailTo(server, email, 2));
    const { data } = await client.auth.exchangeCodeForSession(target.searchParams.get('code') ?? '');
    expect(data.user?.email).toBe(email);
  });

  test('email_change: both mailboxes again', async () => {
    const { email, password: own } = await addPerson(server);
    const wanted = fresh();
    const client = server.client();
    await client.auth.signInWithPassword({ email, password: own });
    await client.auth.updateUser({ email: wanted });
    server.advance(61_000);
    expect((await client.auth.resend({ type: 'email_change', email })).error).toBeNull();
    await follow(server, await mailTo(server, wanted, 2));
    await follow(server, await mailTo(server, email, 2));
    expect((await client.auth.getUser()).data.user?.email).toBe(wanted);
  });

  test('threat 12 nothing to send: the same answer, and no mail', async () => {
    const { email } = await addPerson(server);
    const unknown = fresh();
    for (const type of ['signup', 'email_change']) {
      for (const address of [email, unknown]) {
        server.advance(61_000);
        const response = await server.call('POST', '/resend', { type, email: address });
        expect([response.status, await response.json()]).toEqual([200, {}]);
        const soon = await server.call('POST', '/resend', { type, email: address });
        expect(soon.status).toBe(429);
      }
    }
    const witness = fresh();
    await server.client().auth.signUp({ email: witness, password });
    await mailTo(server, witness);
    expect((await server.mails()).map(({ to }) => to)).not.toContain(email);
  });

  test.each([
    [
      { email: 'a@beispiel.test' },
      'validation_failed',
      'Missing one of these types: signup, email_change, sms, phone_change',
    ],
    [
      { type: 'recovery', email: 'a@beispiel.test' },
      'validation_failed',
      'Missing one of these types: signup, email_change, sms, phone_change',
    ],
    [{ type: 'signup', phone: '49170' }, 'validation_failed', 'Type provided requires an email address'],
    [{ type: 'sms', email: 'a@beispiel.test' }, 'validation_failed', 'Type provided requires a phone number'],
    [{ type: 'email_change' }, 'validation_failed', 'Missing email address or phone number'],
    [
      { type: 'email_change', email: 'a@b.test', phone: '49170' },
      'validation_failed',
      'Only an email address or phone number should be provided.',
    ],
    [{ type: 'signup', email: 'keine' }, 'validation_failed', 'Unable to validate email address: invalid format'],
    [{ type: 'sms', phone: '491701234567' }, 'phone_provider_disabled', 'Phone logins are disabled'],
  ])('%j → 400 %s', async (body, error_code, msg) => {
    const response = await server.call('POST', '/resend', body);
    expect(await response.json()).toEqual({ code: 400, error_code, msg });
  });
});
