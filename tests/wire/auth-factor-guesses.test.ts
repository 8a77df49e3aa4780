import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { getCode, enrolApp, enter, type App, type SignedIn } from '#tests/support/second-factors.ts';
import { repetitions } from '#tests/support/thorough.ts';

const STEP = 30_000;
const MINUTE = 60_000;
const MANY = 100_000;
let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({
    clock: 'frozen',
    auth: (auth) => ({
      mfa: { ...auth.mfa, rate_limit_challenge_and_verify: MANY },
      rate_limit: { ...auth.rate_limit, token_refresh: MANY },
    }),
  });
});
afterAll(() => server.stop());

const EVALUATED = '422 mfa_verification_failed';
const REFUSED = '429 over_request_rate_limit';

const buildHeaders = (me: SignedIn, from: string): Record<string, string> => ({
  authorization: `Bearer ${me.session.access_token}`,
  'x-forwarded-for': from,
});

async function verify(
  me: SignedIn,
  { factorId }: App,
  challengeId: string,
  code: string,
  from: string,
): Promise<string> {
  const body = { challenge_id: challengeId, code };
  const response = await server.call('POST', `/factors/${factorId}/verify`, body, buildHeaders(me, from));
  await response.body?.cancel();
  return `${response.status} ${response.headers.get('x-sb-error-code') ?? ''}`.trim();
}

/** Asks for a challenge and answers it. */
async function show(me: SignedIn, app: App, code: string, from: string): Promise<string> {
  const asked = await server.call('POST', `/factors/${app.factorId}/challenge`, {}, buildHeaders(me, from));
  const { id } = (await asked.json()) as { id: string };
  return verify(me, app, id, code, from);
}

/** A challenge for each address; asking for them is not what is measured here. */
async function challengesFor({ factorId }: App, addresses: readonly string[]): Promise<string[]> {
  const sql = `insert into auth.mfa_challenges (id, factor_id, created_at, ip_address)
    select gen_random_uuid(), $1, $2, address from unnest($3::inet[]) as address returning id`;
  const rows = await server.sql(sql, [factorId, new Date(server.now()), addresses]);
  return rows.map(({ id }) => String(id));
}

const AT_ONCE = 50;
const GUESSES = repetitions(200, 1_000);

/** All guesses, fifty under way at any time. */
async function guess(thief: SignedIn, app: App, getAddress: (index: number) => string): Promise<string[]> {
  const codes = wrongCodes(app, GUESSES);
  const challenges = await challengesFor(
    app,
    codes.map((_, index) => getAddress(index)),
  );
  const answers: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < codes.length; index = next++) {
      answers.push(await verify(thief, app, challenges[index] ?? '', codes[index] ?? '', getAddress(index)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return answers;
}

/** Somebody who showed the factor at home, and a thief in another session who knows the password. */
async function victimAndThief(home: string): Promise<{ victim: SignedIn; thief: SignedIn; app: App }> {
  const victim = await enter(server);
  const app = await enrolApp(victim);
  expect(await show(victim, app, getCode(server, app.secret), home)).toBe('200');
  server.advance(STEP);
  return { victim, thief: await enter(server, victim), app };
}

function wrongCodes(app: App, count: number): string[] {
  const right = new Set([-1, 0, 1].map((steps) => getCode(server, app.secret, steps)));
  return Array.from({ length: count + 3 }, (_, index) => String(index).padStart(6, '0'))
    .filter((code) => !right.has(code))
    .slice(0, count);
}

describe('threat 13 guessing codes of a second factor', () => {
  test(`${GUESSES} guesses from one address: at most 30 are evaluated, the owner gets in from home`, async () => {
    const { victim, thief, app } = await victimAndThief('198.51.100.1');
    const answers = await guess(thief, app, () => '203.0.113.7');
    expect(answers.filter((answer) => answer === EVALUATED).length).toBeLessThanOrEqual(30);
    expect(answers.filter((answer) => answer === REFUSED).length).toBeGreaterThanOrEqual(GUESSES - 30);
    const again = await enter(server, victim);
    expect(await show(again, app, getCode(server, app.secret), '198.51.100.1')).toBe('200');
  });

  test(`${GUESSES} guesses from as many addresses, at which the password was right: the same`, async () => {
    const { victim, thief, app } = await victimAndThief('198.51.100.2');
    const answers = await guess(thief, app, (index) => `10.1.${Math.floor(index / 250)}.${(index % 250) + 1}`);
    expect(answers.filter((answer) => answer === EVALUATED).length).toBeLessThanOrEqual(30);
    const again = await enter(server, victim);
    expect(await show(again, app, getCode(server, app.secret), '198.51.100.2')).toBe('200');
    server.advance(5 * MINUTE);
    const abroad = await enter(server, victim);
    expect(await show(abroad, app, getCode(server, app.secret), '192.0.2.99')).toBe('200');
  });

  test('Challenges and answers of one address: a burst of 30, then 15 a minute (contract §1.6)', async () => {
    const strict = await bootAuthBackend({ clock: 'frozen' });
    const me = await enter(strict);
    const { factorId } = await enrolApp(me);
    const ask = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${me.session.access_token}` };
      return (await strict.call('POST', `/factors/${factorId}/challenge`, {}, headers)).status;
    };
    const statuses: number[] = [];
    for (let index = 0; index < 31; index += 1) statuses.push(await ask());
    expect([statuses.slice(0, 30).every((status) => status === 200), statuses[30]]).toEqual([true, 429]);
    strict.advance(MINUTE);
    const later: number[] = [];
    for (let index = 0; index < 16; index += 1) later.push(await ask());
    expect([later.slice(0, 15).every((status) => status === 200), later[15]]).toEqual([true, 429]);
    await strict.stop();
  });
});
