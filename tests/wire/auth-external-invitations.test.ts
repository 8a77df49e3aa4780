import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { CALLBACK_URL, comeBack, externalConfig } from '#tests/support/auth-external.ts';
import { mailTo } from '#tests/support/auth-mails.ts';
import { startOpenidProvider, type OpenidProvider } from '#tests/support/openid-provider.ts';

let openid: OpenidProvider;
let server: AuthBackend;
beforeAll(async () => {
  openid = await startOpenidProvider(CALLBACK_URL);
  server = await bootAuthBackend({
    auth: (auth) => ({
      ...mailing(auth),
      internal_hosts: [openid.host],
      external: { keycloak: externalConfig(openid.config) },
    }),
  });
});
afterAll(async () => {
  await server.stop();
  await openid.stop();
});

test.each([
  [
    'that has expired',
    `update auth.one_time_tokens set created_at = now() - interval '25 hours' where relates_to = $1`,
    'invite_not_found',
  ],
  [
    'of an account that is locked',
    `update auth.users set banned_until = now() + interval '1 hour' where email = $1`,
    'user_banned',
  ],
])('An invitation %s opens no session (contract §1.4)', async (_name, change, code) => {
  const [email, subject] = [`${randomUUID()}@beispiel.test`, randomUUID()];
  openid.addAccount(subject, { email, email_verified: true });
  await server.service().auth.admin.inviteUserByEmail(email);
  const { link } = await mailTo(server, email);
  const query = { provider: 'keycloak', invite_token: link.searchParams.get('token') ?? '', login_hint: subject };
  const response = await server.call('GET', `/authorize?${new URLSearchParams(query)}`);
  const back = await openid.signIn(response.headers.get('location') ?? '');
  await server.sql(change, [email]);
  const { query: answer, fragment } = await comeBack(server, back);
  expect([answer.get('error_code'), fragment.has('access_token')]).toEqual([code, false]);
  const [user] = await server.sql('select email_confirmed_at from auth.users where email = $1', [email]);
  expect(user).toEqual({ email_confirmed_at: null });
});
