import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { addPerson, type Person } from '#tests/support/people.ts';
import { repetitions } from '#tests/support/thorough.ts';

const MINUTE = 60_000;
let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({
    clock: 'frozen',
    auth: (auth) => ({ rate_limit: { ...auth.rate_limit, token_refresh: 100_000 } }),
  });
});
afterAll(() => server.stop());

async function login(
  { email, password }: { email: string; password: string },
  from: string,
  on = server,
): Promise<string> {
  const headers = { 'x-forwarded-for': from };
  const response = await on.call('POST', '/token?grant_type=password', { email, password }, headers);
  await response.body?.cancel();
  return `${response.status} ${response.headers.get('x-sb-error-code') ?? ''}`.trim();
}

const GUESSES = repetitions(200, 1_000);
const LOGINS = repetitions(40, 200);
const EVALUATED = '400 invalid_credentials';
const REFUSED = '429 over_request_rate_limit';

function guesses({ email }: Person, count: number, from: (index: number) => string): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => login({ email, password: `geraten ${index}` }, from(index))),
  );
}

describe('threat 13 guessing passwords', () => {
  test(`${GUESSES} guesses from one address: at most 30 are evaluated, the victim gets in from another`, async () => {
    const victim = await addPerson(server);
    const answers = await guesses(victim, GUESSES, () => '203.0.113.7');
    expect(answers.filter((answer) => answer === EVALUATED).length).toBeLessThanOrEqual(30);
    expect(answers.filter((answer) => answer === REFUSED).length).toBeGreaterThanOrEqual(GUESSES - 30);
    expect(await login(victim, '198.51.100.1')).toBe('200');
    expect(await login(victim, '203.0.113.7')).toBe(REFUSED);
    server.advance(20 * MINUTE);
    expect(await login(victim, '203.0.113.7')).toBe('200');
  });

  test(`${GUESSES} guesses from as many addresses: at most 30 are evaluated, the victim gets in from a known address`, async () => {
    const victim = await addPerson(server);
    expect(await login(victim, '198.51.100.2')).toBe('200');
    const answers = await guesses(victim, GUESSES, (index) => `10.1.${Math.floor(index / 250)}.${(index % 250) + 1}`);
    expect(answers.filter((answer) => answer === EVALUATED).length).toBeLessThanOrEqual(30);
    expect(await login(victim, '198.51.100.2')).toBe('200');
    server.advance(5 * MINUTE);
    expect(await login(victim, '192.0.2.99')).toBe('200');
  });

  test('one IPv6 subscriber is one address', async () => {
    const victim = await addPerson(server);
    const answers = await guesses(victim, 100, (index) => `2001:db8:1:2::${(index + 1).toString(16)}`);
    expect(answers.filter((answer) => answer === EVALUATED).length).toBeLessThanOrEqual(30);
    expect(await login(victim, '2001:db8:1:3::1')).toBe('200');
  });

  test('an unknown account is slowed down in the same way', async () => {
    const nobody = { id: '', email: 'gibt-es-nicht@beispiel.test', password: '' };
    const victim = await addPerson(server);
    const count = async (person: Person, from: string): Promise<number> =>
      (await guesses(person, 40, () => from)).filter((answer) => answer === EVALUATED).length;
    expect(await count(nobody, '203.0.113.20')).toBe(await count(victim, '203.0.113.21'));
  });

  test('each further failure waits longer; the right password clears it', async () => {
    const person = await addPerson(server);
    const from = '203.0.113.30';
    for (let index = 0; index < 5; index += 1) expect(await login({ ...person, password: 'x' }, from)).toBe(EVALUATED);
    expect(await login({ ...person, password: 'x' }, from)).toBe(REFUSED);
    server.advance(2_500);
    expect(await login({ ...person, password: 'x' }, from)).toBe(EVALUATED);
    server.advance(2_500);
    expect(await login({ ...person, password: 'x' }, from)).toBe(REFUSED);
    server.advance(2_000);
    expect(await login(person, from)).toBe('200');
    for (let index = 0; index < 4; index += 1) expect(await login({ ...person, password: 'x' }, from)).toBe(EVALUATED);
    expect(await login(person, from)).toBe('200');
  });

  test('a person who is known from an address does not wait behind strangers (decision 0330)', async () => {
    const person = await addPerson(server);
    expect(await login(person, '198.51.100.60')).toBe('200');
    const ended: string[] = [];
    const thread = holdHashThread();
    const strangers = Array.from({ length: 30 }, async (_, index) => {
      await login({ email: `fremd-${index}@beispiel.test`, password: 'geraten' }, `203.0.113.${100 + index}`);
      ended.push('stranger');
    });
    await thread.isAsked;
    const personEnded = login(person, '198.51.100.60').then((answer) => ended.push(answer));
    await expect.poll(() => ended).toEqual(['200']);
    thread.release();
    await Promise.all([...strangers, personEnded]);
    expect(ended).toHaveLength(31);
  });

  /** The thread that checks the passwords of strangers gets nothing to do until `release`. */
  function holdHashThread(): Readonly<{ isAsked: Promise<void>; release: () => void }> {
    const asked = Promise.withResolvers<void>();
    const jobs: (() => void)[] = [];
    const post = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...args) {
      jobs.push(() => this.postMessage(...args));
      asked.resolve();
    });
    const release = (): void => {
      post.mockRestore();
      for (const send of jobs.splice(0)) send();
    };
    onTestFinished(release);
    return { isAsked: asked.promise, release };
  }

  test(`fault table: ${LOGINS} logins of one account at once all succeed`, async () => {
    const person = await addPerson(server, { password: 'gehasht wie jedes' });
    const answers = await Promise.all(Array.from({ length: LOGINS }, () => login(person, '198.51.100.50')));
    expect(answers.filter((answer) => answer === '200')).toHaveLength(LOGINS);
  });
});

describe('contract §1.6 calls of one address', () => {
  test("upstream's numbers by default: 30 at once, then 30 a minute for tokens; others are not held up", async () => {
    const strict = await bootAuthBackend({ clock: 'frozen' });
    const ask = async (from: string): Promise<number> => {
      const headers = { 'x-forwarded-for': from };
      const response = await strict.call(
        'POST',
        '/token?grant_type=refresh_token',
        { refresh_token: 'abcdefghijkl' },
        headers,
      );
      await response.body?.cancel();
      return response.status;
    };
    const answers = await Promise.all(Array.from({ length: 35 }, () => ask('203.0.113.1')));
    expect(answers.filter((status) => status === 429).length).toBe(5);
    expect(answers.filter((status) => status === 400).length).toBeGreaterThanOrEqual(30);
    expect(await ask('203.0.113.2')).toBe(400);
    const limited = await strict.call('POST', '/token?grant_type=x', {}, { 'x-forwarded-for': '203.0.113.1' });
    expect(await limited.json()).toEqual({
      code: 429,
      error_code: 'over_request_rate_limit',
      msg: 'Request rate limit reached',
    });
    strict.advance(MINUTE);
    const later = await Promise.all(Array.from({ length: 35 }, () => ask('203.0.113.1')));
    expect(later.filter((status) => status === 400).length).toBeGreaterThanOrEqual(30);
    await strict.stop();
  });

  test.each([
    ['POST', '/signup'],
    ['POST', '/recover'],
    ['POST', '/verify'],
    ['PUT', '/user'],
  ])('%s %s has its own limit', async (method, path) => {
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    const statuses: number[] = [];
    for (let index = 0; index < 32; index += 1) {
      const response = await server.call(method, path, {}, headers);
      await response.body?.cancel();
      statuses.push(response.status);
    }
    expect(statuses.slice(0, 30)).not.toContain(429);
    expect(statuses.at(-1)).toBe(429);
  });
});

test('A session that stays locked → 409 conflict (contract §1.5)', async () => {
  const { email, password, id } = await addPerson(server);
  const { data } = await server.client().auth.signInWithPassword({ email, password });
  const holder = new pg.Client({ connectionString: server.backend.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from auth.sessions where user_id = $1 for update', [id]);
  const body = { refresh_token: data.session?.refresh_token };
  const response = await server.call('POST', '/token?grant_type=refresh_token', body);
  await holder.end();
  expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([409, 'conflict']);
  expect((await server.call('POST', '/token?grant_type=refresh_token', body)).status).toBe(200);
});
