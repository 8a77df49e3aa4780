import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { hash } from '@node-rs/bcrypt';
import autocannon from 'autocannon';
import { generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import pg from 'pg';
import { median, percentile } from '#tests/support/percentile.ts';
import type { Subject } from './subject.ts';
import { ceiling, throughput, type Row } from './table.ts';

const COST = 10;
const PASSWORD = 'ein Passwort von vielen';
const AT_ONCE = 200;
const PAIRS = 200;
const REFRESHES = 2_000;
const ROUNDS = 3;
export const CHAINS = 8;

/** Refreshes, a storm of logins beside which everything else goes on, and what a stranger learns from the clock. */
export async function authRows(subject: Subject, databaseUrl: string): Promise<Row[]> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CHAINS });
  try {
    const people = await addPeople(pool, AT_ONCE + PAIRS);
    return [
      await refreshRow(subject, pool, people.slice(0, CHAINS)),
      ...(await stormRows(subject, people.slice(0, AT_ONCE))),
      await clockRow(subject, people.slice(AT_ONCE)),
    ];
  } finally {
    await pool.end();
  }
}

/** Confirmed accounts with one password; its hash costs what every login's does. */
export async function addPeople(pool: pg.Pool, count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, () => `${randomUUID()}@bank.test`);
  await pool.query(
    `insert into auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
      raw_user_meta_data)
     select gen_random_uuid(), 'authenticated', 'authenticated', email, $2, now(), '{}', '{}'
       from unnest($1::text[]) as email`,
    [emails, await hash(PASSWORD, { cost: COST })],
  );
  return emails;
}

type Answer = Readonly<{ status: number; ms: number; refreshToken: string }>;

async function token(subject: Subject, grant: string, body: object): Promise<Answer> {
  const begun = performance.now();
  const response = await fetch(`${subject.url}/auth/v1/token?grant_type=${grant}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', apikey: subject.key, 'x-forwarded-for': anyAddress() },
    body: JSON.stringify(body),
  });
  const { refresh_token } = (await response.json()) as { refresh_token?: string };
  return { status: response.status, ms: performance.now() - begun, refreshToken: refresh_token ?? '' };
}

/** Limits are for one address, and are measured by tests. */
function anyAddress(): string {
  const part = (): number => 1 + Math.floor(Math.random() * 250);
  return `10.${part()}.${part()}.${part()}`;
}

/** Against a signature and one durable row, which a refresh cannot do without, in turns. */
async function refreshRow(subject: Subject, pool: pg.Pool, people: readonly string[]): Promise<Row> {
  const { privateKey } = await generateKeyPair('ES256');
  await pool.query('create table public.bench_refresh (at timestamptz)');
  const [limits, ours]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    limits.push(await signAndInsert(pool, privateKey));
    ours.push(await refreshSessions(subject, people));
  }
  await pool.query('drop table public.bench_refresh');
  const [own, limit] = [median(ours), median(limits)];
  return throughput({ what: 'refresh of a session', ours: own, limit, unit: 'refreshes/s', aimPercent: 30 });
}

/** By as many at once as there are sessions that refresh; a second. */
function signAndInsert(pool: pg.Pool, key: CryptoKey): Promise<number> {
  let left = REFRESHES;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      await sign(key);
      await pool.query('insert into public.bench_refresh values (now())');
    }
  };
  return rate(async () => {
    await Promise.all(Array.from({ length: CHAINS }, work));
    return performance.now();
  });
}

/**
 * Each person's session again and again, all of them at once; refreshes a second. The client is the one of REST,
 * because `fetch` takes more than half as much of the processors as the server does.
 */
export async function refreshSessions(subject: Subject, people: readonly string[]): Promise<number> {
  const tokens = await Promise.all(
    people.map(async (email) => (await token(subject, 'password', { email, password: PASSWORD })).refreshToken),
  );
  let lastAnswerAt = 0;
  const request: autocannon.Request = {
    method: 'POST',
    setupRequest: (prepared) => ({
      ...prepared,
      headers: { 'content-type': 'application/json', apikey: subject.key, 'x-forwarded-for': anyAddress() },
      body: JSON.stringify({ refresh_token: tokens.pop() }),
    }),
    onResponse: (_status, body) => {
      lastAnswerAt = performance.now();
      tokens.push((JSON.parse(body) as { refresh_token: string }).refresh_token);
    },
  };
  const url = `${subject.url}/auth/v1/token?grant_type=refresh_token`;
  return rate(async () => {
    const result = await autocannon({ url, connections: people.length, amount: REFRESHES, requests: [request] });
    if (result['2xx'] !== REFRESHES) throw new Error(`${result.non2xx} refreshes were refused`);
    // The client looks once a second whether it is done.
    return lastAnswerAt;
  });
}

function sign(key: CryptoKey): Promise<string> {
  return new SignJWT({ sub: randomUUID(), role: 'authenticated' }).setProtectedHeader({ alg: 'ES256' }).sign(key);
}

/** `work` resolves to the moment when it was done. */
async function rate(work: () => Promise<number>): Promise<number> {
  const begun = performance.now();
  return REFRESHES / (((await work()) - begun) / 1_000);
}

const ROUTES = ['/health', '/rest/v1/interviews?select=id&limit=1', '/', '/auth/v1/settings'];
const PAUSE_MS = 20;

async function stormRows(subject: Subject, people: readonly string[]): Promise<Row[]> {
  const state = { over: false };
  const others = ROUTES.map((route) => sample(subject, route, state));
  const begun = performance.now();
  const answers = await Promise.all(people.map((email) => token(subject, 'password', { email, password: PASSWORD })));
  const took = performance.now() - begun;
  state.over = true;
  const times = (await Promise.all(others)).flat();
  const entered = answers.filter(({ status }) => status === 200).length;
  return [
    {
      what: `${AT_ONCE} logins at once (bcrypt, cost ${COST})`,
      ours: `${entered} in ${(took / 1_000).toFixed(1)} s`,
      aim: `${AT_ONCE} of ${AT_ONCE}`,
      met: entered === AT_ONCE,
    },
    ceiling(`other routes meanwhile, 95th percentile of ${times.length}`, percentile(times, 0.95), 'ms', 300),
  ];
}

async function sample(subject: Subject, route: string, state: Readonly<{ over: boolean }>): Promise<number[]> {
  const times: number[] = [];
  while (!state.over) {
    const begun = performance.now();
    const response = await fetch(`${subject.url}${route}`, { headers: { apikey: subject.key } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${route} answered ${response.status}`);
    times.push(performance.now() - begun);
    await wait(PAUSE_MS);
  }
  return times;
}

/** Threat 12: whether an address has an account must not show in the time a wrong password takes. */
async function clockRow(subject: Subject, people: readonly string[]): Promise<Row> {
  const [known, unknown]: [number[], number[]] = [[], []];
  const wrong = async (email: string, times: number[]): Promise<void> =>
    void times.push((await token(subject, 'password', { email, password: 'falsch' })).ms);
  for (const [index, email] of people.entries()) {
    const stranger = `${randomUUID()}@bank.test`;
    // In turn, so that whatever else the machine does hits both.
    if (index % 2 === 0) await wrong(email, known);
    await wrong(stranger, unknown);
    if (index % 2 === 1) await wrong(email, known);
  }
  const difference = Math.abs(median(known) - median(unknown));
  return ceiling(`wrong password, known and unknown address: difference of medians of ${PAIRS}`, difference, 'ms', 5);
}
