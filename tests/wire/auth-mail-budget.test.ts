import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend, type AuthBackendOptions } from '#tests/support/auth-backend.ts';
import { follow, mailTo } from '#tests/support/auth-mails.ts';
import { addPerson } from '#tests/support/people.ts';

const FEW = 3;
const scarce: AuthBackendOptions['auth'] = (auth) => {
  const mails = mailing(auth);
  return { ...mails, rate_limit: { ...auth.rate_limit, ...mails.rate_limit, email_sent: FEW } };
};

let server: AuthBackend;
let second: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({ auth: scarce, clock: 'frozen' });
  second = await bootAuthBackend({ auth: scarce, clock: 'frozen', databaseUrl: server.backend.databaseUrl });
  // Their clocks stand still since each was begun.
  second.advance(server.now() - second.now());
});
afterAll(async () => {
  await second.stop();
  await server.stop();
});

const fresh = (): string => `${randomUUID()}@beispiel.test`;
const password = 'lang genug fuer hier';
const post = async (on: AuthBackend, path: string, body: object): Promise<number> =>
  (await on.call('POST', path, body)).status;

describe('The mails of an hour (contract §1.6, threat 12)', () => {
  test('Requests for unknown addresses use up no mail, so recovery still sends one', async () => {
    const { email } = await addPerson(server);
    for (let index = 0; index < 4 * FEW; index += 1) {
      expect(await post(server, '/resend', { type: 'signup', email: fresh() })).toBe(200);
      expect(await post(server, '/otp', { email: fresh(), create_user: false })).toBe(200);
    }
    expect(await post(server, '/recover', { email })).toBe(200);
    await mailTo(server, email);
  });

  test('Recovery and invitations have budgets of their own; the others count for all servers together', async () => {
    const { email } = await addPerson(server);
    for (let index = 0; index < FEW; index += 1) {
      const on = index % 2 === 0 ? server : second;
      const address = fresh();
      expect(await post(on, '/signup', { email: address, password })).toBe(200);
      await mailTo(on, address);
    }
    expect(await post(second, '/signup', { email: fresh(), password })).toBe(429);
    expect(await post(server, '/resend', { type: 'signup', email: fresh() })).toBe(429);
    expect(await post(second, '/recover', { email })).toBe(200);
    await mailTo(second, email);
    const invited = fresh();
    expect((await second.service().auth.admin.inviteUserByEmail(invited)).error).toBeNull();
    await mailTo(second, invited);
  });

  test('A recovery that no mail is left for leaves the link of the earlier mail as it was', async () => {
    const scarceOne = await bootAuthBackend({ auth: scarce, clock: 'frozen' });
    const { email, id } = await addPerson(scarceOne);
    expect(await post(scarceOne, '/recover', { email })).toBe(200);
    const mail = await mailTo(scarceOne, email);
    for (let index = 1; index < FEW; index += 1) {
      const other = await addPerson(scarceOne);
      expect(await post(scarceOne, '/recover', { email: other.email })).toBe(200);
      await mailTo(scarceOne, other.email);
    }
    scarceOne.advance(61_000);
    expect(await post(scarceOne, '/recover', { email })).toBe(200);
    const requested = `select from auth.audit_log_entries
      where payload ->> 'action' = 'user_recovery_requested' and payload ->> 'actor_id' = $1`;
    await expect.poll(async () => (await scarceOne.sql(requested, [id])).length).toBe(2);
    const { status, members } = await follow(scarceOne, mail);
    expect([status, members.has('access_token')]).toEqual([303, true]);
    await scarceOne.stop();
  });

  test('One mailbox gets one mail in a while from all servers together', async () => {
    const { email } = await addPerson(server);
    expect([await post(server, '/recover', { email }), await post(second, '/recover', { email })]).toEqual([200, 429]);
  });
});

describe('Guesses of a password (threat 13)', () => {
  test('Two servers evaluate no more than one does, though their clocks differ', async () => {
    second.advance(server.now() + 20_000 - second.now());
    const { email } = await addPerson(server);
    const guess = async (index: number): Promise<string> => {
      const on = index % 2 === 0 ? server : second;
      const from = { 'x-forwarded-for': `198.51.100.${index}` };
      const answer = await on.call('POST', '/token?grant_type=password', { email, password: `geraten ${index}` }, from);
      const { error_code: code } = (await answer.json()) as { error_code: string };
      return code;
    };
    const codes: string[] = [];
    for (let index = 0; index < 30; index += 1) codes.push(await guess(index));
    expect(codes.filter((code) => code === 'invalid_credentials')).toHaveLength(20);
    expect(codes.filter((code) => code === 'over_request_rate_limit')).toHaveLength(10);
  });

  test('Attempts that were counted while the clock was ahead refuse no login once it is right', async () => {
    const { email, password: right } = await addPerson(server);
    const days = 30 * 24 * 3_600_000;
    const login = (index: number, given: string): Promise<number> => {
      const from = { 'x-forwarded-for': `198.51.100.${index}` };
      return server
        .call('POST', '/token?grant_type=password', { email, password: given }, from)
        .then(({ status }) => status);
    };
    server.advance(days);
    for (let index = 0; index < 20; index += 1) expect(await login(index, 'geraten')).toBe(400);
    expect(await login(20, right)).toBe(429);
    server.advance(-days);
    expect(await login(21, right)).toBe(200);
    for (let index = 22; index < 41; index += 1) expect(await login(index, 'geraten')).toBe(400);
    expect(await login(41, right)).toBe(429);
  });

  test('The table of shared limits holds no address', async () => {
    const rows = await server.sql(`select encode(key, 'escape') as key from auth.shared_buckets`);
    expect(rows.length).toBeGreaterThan(FEW);
    expect(JSON.stringify(rows)).not.toContain('beispiel');
  });
});
