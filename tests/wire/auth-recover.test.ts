import type { Session } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { follow, mailTo } from '#tests/support/auth-mails.ts';
import { addPerson } from '#tests/support/people.ts';

let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({ clock: 'frozen', auth: mailing });
});
afterAll(() => server.stop());

const fresh = (): string => `${randomUUID()}@beispiel.test`;

describe('§7 POST /recover (D15)', () => {
  test('a German mail whose link opens a session in which a new password can be set', async () => {
    const { email } = await addPerson(server);
    const redirectTo = 'http://127.0.0.1:3000/neues-passwort';
    const { error } = await server.client().auth.resetPasswordForEmail(email, { redirectTo });
    expect(error).toBeNull();
    const mail = await mailTo(server, email);
    expect(mail).toMatchObject({
      subject: 'Neues Passwort vergeben',
      text: expect.stringContaining('Der Link gilt eine Stunde.'),
    });
    const { status, target, members } = await follow(server, mail);
    expect([status, target.origin + target.pathname]).toEqual([303, redirectTo]);
    expect(Object.fromEntries(members)).toEqual({
      access_token: expect.any(String),
      expires_at: expect.any(String),
      expires_in: '3600',
      refresh_token: expect.stringMatching(/^[a-z0-9]{12}$/),
      token_type: 'bearer',
      type: 'recovery',
      sb: '',
    });
    const client = server.client();
    const { access_token, refresh_token } = Object.fromEntries(members) as unknown as Session;
    await client.auth.setSession({ access_token, refresh_token });
    expect((await client.auth.updateUser({ password: 'ganz neu vergeben' })).error).toBeNull();
    expect((await server.client().auth.signInWithPassword({ email, password: 'ganz neu vergeben' })).error).toBeNull();
  });

  test('the code from the mail does the same, once', async () => {
    const { email, id } = await addPerson(server);
    await server.client().auth.resetPasswordForEmail(email);
    const { code } = await mailTo(server, email);
    expect(code).toMatch(/^\d{6}$/);
    const first = await server.client().auth.verifyOtp({ email, token: code, type: 'recovery' });
    expect(first.data.user?.id).toBe(id);
    const second = await server.client().auth.verifyOtp({ email, token: code, type: 'recovery' });
    expect(second.error).toMatchObject({
      status: 403,
      code: 'otp_expired',
      message: 'Token has expired or is invalid',
    });
  });

  test('a program that only looks at the link with HEAD does not use it up', async () => {
    const { email } = await addPerson(server);
    await server.client().auth.resetPasswordForEmail(email);
    const mail = await mailTo(server, email);
    const path = mail.link.pathname.replace('/auth/v1', '') + mail.link.search;
    expect((await server.call('HEAD', path)).status).toBe(404);
    expect((await follow(server, mail)).members.get('access_token')).not.toBeNull();
  });

  test('threat 12 an unknown address gets the same answer, the second time too, and no mail', async () => {
    const known = await addPerson(server);
    const unknown = fresh();
    const ask = async (email: string): Promise<unknown[]> => {
      const response = await server.call('POST', '/recover', { email });
      return [response.status, await response.json()];
    };
    expect(await ask(unknown)).toEqual([200, {}]);
    expect(await ask(known.email)).toEqual([200, {}]);
    const soon = {
      code: 429,
      error_code: 'over_email_send_rate_limit',
      msg: expect.stringMatching(/^For security purposes, you can only request this after \d+ seconds\.$/),
    };
    expect(await ask(unknown)).toEqual([429, soon]);
    expect(await ask(known.email)).toEqual([429, soon]);
    await mailTo(server, known.email);
    expect((await server.mails()).map(({ to }) => to)).not.toContain(unknown);
  });

  test('a minute later another mail is sent, and the older code ends', async () => {
    const { email } = await addPerson(server);
    await server.client().auth.resetPasswordForEmail(email);
    const first = await mailTo(server, email);
    server.advance(61_000);
    await server.client().auth.resetPasswordForEmail(email);
    await expect.poll(async () => (await mailTo(server, email)).code).not.toBe(first.code);
    expect((await follow(server, first)).members.get('error_code')).toBe('otp_expired');
    expect((await follow(server, await mailTo(server, email))).members.get('access_token')).not.toBeNull();
  });

  test('link and code end after an hour', async () => {
    const { email } = await addPerson(server);
    await server.client().auth.resetPasswordForEmail(email);
    const mail = await mailTo(server, email);
    server.advance(3_601_000);
    const { status, members } = await follow(server, mail);
    expect([status, Object.fromEntries(members)]).toEqual([
      303,
      {
        error: 'access_denied',
        error_code: 'otp_expired',
        error_description: 'Email link is invalid or has expired',
        sb: '',
      },
    ]);
    expect((await server.client().auth.verifyOtp({ email, token: mail.code, type: 'recovery' })).error?.code).toBe(
      'otp_expired',
    );
  });

  test('without an address → 400', async () => {
    const response = await server.call('POST', '/recover', {});
    expect(await response.json()).toMatchObject({ code: 400, msg: 'Password recovery requires an email' });
  });

  test.each([
    'https://boese.test/x',
    '//boese.test',
    String.raw`/\boese.test`,
    'javascript:alert(1)',
    'http://127.0.0.1:3000@boese.test/',
    'https://app.beispiel.test.boese.test/',
    'https:boese.test',
    '%2F%2Fboese.test',
    'data:text/html,x',
    'http://127.0.0.1.boese.test',
  ])('threat 16 redirect_to %s leads to the site itself', async (redirectTo) => {
    const { email } = await addPerson(server);
    await server.client().auth.resetPasswordForEmail(email, { redirectTo });
    const { target } = await follow(server, await mailTo(server, email));
    expect(target.origin + target.pathname).toBe('http://127.0.0.1:3000/');
  });

  test('a listed address is followed', async () => {
    const { email } = await addPerson(server);
    await server.client().auth.resetPasswordForEmail(email, { redirectTo: 'https://app.beispiel.test/a/b' });
    expect((await follow(server, await mailTo(server, email))).target.host).toBe('app.beispiel.test');
  });

  test('links lead to the configured address, whatever Host a stranger sends', async () => {
    const { email } = await addPerson(server);
    await server.call('POST', '/recover', { email }, { 'x-forwarded-host': 'boese.test' });
    expect((await mailTo(server, email)).link.href).toMatch(/^http:\/\/127\.0\.0\.1:3000\/auth\/v1\/verify\?/);
  });

  test('threat 13 a code is guessed a few times only; the link from the mail still works', async () => {
    const { email } = await addPerson(server);
    await server.client().auth.resetPasswordForEmail(email);
    const mail = await mailTo(server, email);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const guess = String(index).padStart(mail.code.length, '0');
        const token = guess === mail.code ? 'x' : guess;
        return server.call(
          'POST',
          '/verify',
          { type: 'recovery', email, token },
          { 'x-forwarded-for': `10.2.0.${index + 1}` },
        );
      }),
    );
    expect(answers.filter(({ status }) => status === 403).length).toBeLessThanOrEqual(30);
    expect((await follow(server, mail)).members.get('access_token')).not.toBeNull();
  });

  test('threat 13 the first digits of a code do not count as the end of the address', async () => {
    const { email } = await addPerson(server);
    await server.client().auth.resetPasswordForEmail(email);
    const { code } = await mailTo(server, email);
    const split = { type: 'recovery', email: email + code.slice(0, 5), token: code.slice(5) };
    expect((await server.call('POST', '/verify', split)).status).toBe(403);
    expect((await server.call('POST', '/verify', { type: 'recovery', email, token: code })).status).toBe(200);
  });

  test('threat 13 a code holds only for the address it was sent to', async () => {
    const { email } = await addPerson(server);
    await server.client().auth.resetPasswordForEmail(email);
    const { code } = await mailTo(server, email);
    const shown = { type: 'recovery', email, token: code };
    const readdress = (from: string, to: string): Promise<unknown> =>
      server.sql('update auth.one_time_tokens set relates_to = $2 where relates_to = $1', [from, to]);
    await readdress(email, `other.${email}`);
    expect((await server.call('POST', '/verify', shown)).status).toBe(403);
    await readdress(`other.${email}`, email);
    expect((await server.call('POST', '/verify', shown)).status).toBe(200);
  });

  test('an outbox that cannot be written is no answer to the caller', async () => {
    const broken = await bootAuthBackend({ clock: 'frozen' });
    const { email } = await addPerson(broken);
    await rm(`${broken.folder}/outbox`, { recursive: true, force: true });
    await writeFile(`${broken.folder}/outbox`, '');
    expect((await broken.client().auth.resetPasswordForEmail(email)).error).toBeNull();
    await broken.stop();
  });
});

describe('contract §1.6 what says where a flow leads', () => {
  const [listed, other, foreign] = [
    'https://app.beispiel.test/a',
    'https://app.beispiel.test/b',
    'https://boese.test/',
  ];
  const site = 'http://127.0.0.1:3000';

  test.each([
    ['the header before the query', { redirect_to: listed }, other, '', listed],
    ['the query before the page that asks', { referer: listed }, other, '', other],
    ['an allowed page that asks, before the site', { referer: listed }, '', '', listed],
    ['that page where the query is not allowed', { referer: listed }, foreign, '', listed],
    [
      'threat 16 a header that is not allowed does not leave it to the query',
      { redirect_to: foreign },
      other,
      '',
      site,
    ],
    ['threat 16 a foreign page that asks', { referer: foreign }, '', '', site],
    [
      'threat 16 a foreign page that asks, with a foreign header',
      { redirect_to: foreign, referer: foreign },
      '',
      '',
      site,
    ],
    ['threat 16 a page with another scheme', { referer: 'javascript:alert(1)' }, '', '', site],
    [
      'threat 16 a page with a name before its host',
      { referer: 'https://app.beispiel.test@boese.test/' },
      '',
      '',
      site,
    ],
    ['the body of generate_link before all', { redirect_to: other, referer: other }, other, listed, listed],
    ['the query where that body is not allowed', {}, other, foreign, other],
  ])('%s', async (_what, headers, query, redirect_to, target) => {
    const path = `/admin/generate_link${query === '' ? '' : `?${new URLSearchParams({ redirect_to: query }).toString()}`}`;
    const authorization = `Bearer ${server.backend.keys.secretKey}`;
    const body = { type: 'magiclink', email: fresh(), redirect_to };
    const response = await server.call('POST', path, body, { ...headers, authorization });
    expect(await response.json()).toMatchObject({ redirect_to: target });
  });

  test.each([
    ['POST', '/signup', { password: 'lang genug fuer hier' }],
    ['POST', '/otp', {}],
    ['POST', '/recover', {}],
    ['POST', '/resend', { type: 'signup' }],
    ['POST', '/invite', {}],
    ['PUT', '/user', {}],
  ])('%s %s takes the page that asks into its mail', async (method, path, body) => {
    const email = fresh();
    const person = path === '/recover' ? await addPerson(server, { email }) : await addPerson(server);
    if (path === '/resend') await server.service().auth.admin.createUser({ email });
    const { data } = await server.client().auth.signInWithPassword(person);
    const bearer = path === '/invite' ? server.backend.keys.secretKey : data.session?.access_token;
    const headers = { referer: listed, authorization: `Bearer ${bearer}` };
    expect((await server.call(method, path, { email, ...body }, headers)).status).toBe(200);
    expect((await mailTo(server, email)).link.searchParams.get('redirect_to')).toBe(listed);
  });

  test('GET /verify leads a click back to the page it was made on, where it names no allowed target', async () => {
    const click = async (referer: string): Promise<string> => {
      const response = await server.call('GET', '/verify?type=signup&token=x', undefined, { referer });
      return (response.headers.get('location') ?? '').split('#')[0] ?? '';
    };
    expect(await click(listed)).toBe(listed);
    expect(await click(foreign)).toBe(`${site}/`);
  });
});
