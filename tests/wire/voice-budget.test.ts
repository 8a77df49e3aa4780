import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { VOICE_LIMITS } from '#server/voice-agent/settings.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createHash } from 'node:crypto';
import { anon, asOwner, createAccount, newKey, type Account } from '#tests/support/callers.ts';
import { createInterview } from '#tests/support/factories.ts';
import { startSpeechServices, type SpeechServices } from '#tests/support/speech-services.ts';
import { testClock, type TestClock } from '#tests/support/voice-clock.ts';
import { getTicket, keyHeaders, loginHeaders, post, REQUEST } from '#tests/support/voice-client.ts';
import { startVoiceApp, type VoiceAppOptions, type VoiceApp } from '#tests/support/voice-app.ts';
import { INITIATION, rawCall, type RawCall } from '#tests/support/voice-socket.ts';

/** Threat 7 for several servers on one database: two gateways that share only the database. */
let server: TestServer;
let services: SpeechServices;
let user: Account;
let headers: Record<string, string>;
let clock: TestClock;
let apps: VoiceApp[];
beforeAll(async () => {
  server = await bootServer();
  services = await startSpeechServices();
});
afterAll(async () => {
  await services.stop();
  await server.stop();
});
beforeEach(async () => {
  user = await createAccount(server.databaseUrl, 'admin');
  headers = await loginHeaders(server.backend.keys, user);
  clock = testClock();
  apps = [];
});
afterEach(async () => {
  await Promise.all(apps.map((app) => app.stop()));
  await owner('truncate private.voice_minutes, private.voice_sessions, private.voice_tickets');
});

const owner = async (sql: string, ...params: unknown[]): Promise<Record<string, unknown>[]> =>
  asOwner(server.databaseUrl, async (client) => (await client.query(sql, params)).rows);

async function twoRooms(env: VoiceAppOptions['env'] = {}): Promise<readonly [VoiceApp, VoiceApp]> {
  const options = { env: { ...services.env, ...env }, clock, limits: { lostMs: 1e9 }, shared: true };
  const [first, second] = [await startVoiceApp(server, options), await startVoiceApp(server, options)];
  apps.push(first, second);
  return [first, second];
}

/** A ticket from one, used at the other. */
async function connect(from: VoiceApp, at: VoiceApp = from): Promise<RawCall> {
  const { signedUrl } = await getTicket(from.url, headers);
  return rawCall(signedUrl.replace(new URL(from.url).host, new URL(at.url).host));
}

async function talking(from: VoiceApp, at: VoiceApp = from): Promise<RawCall> {
  const call = await connect(from, at);
  call.send(INITIATION);
  await call.until('agent_response');
  return call;
}

async function hangUp(call: RawCall): Promise<void> {
  call.socket.close();
  await call.closed;
}

const noneOpen = (): Promise<void> =>
  expect.poll(() => owner('select id from private.voice_sessions where subject = $1', user.id)).toEqual([]);

test('Redeems a ticket of one server at another, once for all servers', async () => {
  const [here, there] = await twoRooms();
  const { signedUrl } = await getTicket(here.url, headers);
  const elsewhere = signedUrl.replace(new URL(here.url).host, new URL(there.url).host);
  const call = await rawCall(elsewhere);
  call.send(INITIATION);
  await call.until('agent_response');
  for (const used of [signedUrl, elsewhere]) {
    expect(await (await rawCall(used)).closed).toMatchObject({ code: 1008, reason: 'ticket unknown, used or expired' });
  }
  await hangUp(call);
});

test('Refuses an expired ticket', async () => {
  const [here] = await twoRooms();
  const { signedUrl } = await getTicket(here.url, headers);
  await owner('update private.voice_tickets set expires_at = now() where owner = $1', user.id);
  expect(await (await rawCall(signedUrl)).closed).toMatchObject({ code: 1008 });
});

test('Stores neither the ticket nor its content in the clear', async () => {
  const [here] = await twoRooms();
  const { signedUrl } = await getTicket(here.url, headers, { context: 'Ein vertraulicher Kran' });
  const ticket = new URL(signedUrl).searchParams.get('ticket') ?? '';
  const [row] = await owner('select id, sealed from private.voice_tickets where owner = $1', user.id);
  const stored = Buffer.concat([row?.['id'] as Buffer, row?.['sealed'] as Buffer]).toString('latin1');
  for (const secret of [ticket, user.email, 'Kran', 'authenticated']) expect(stored).not.toContain(secret);
});

test('Drops the oldest ticket of an owner with too many', async () => {
  const [here, there] = await twoRooms();
  const tickets = [];
  for (const app of [here, there, here, there, here, there]) tickets.push(await getTicket(app.url, headers));
  const [oldest, next] = tickets;
  expect(await (await rawCall(oldest?.signedUrl ?? '')).closed).toMatchObject({ code: 1008 });
  await hangUp(await rawCall(next?.signedUrl ?? ''));
});

test('Limits a user to two conversations over all servers', async () => {
  const [here, there] = await twoRooms();
  const [third, calls] = [await getTicket(there.url, headers), [await talking(here), await talking(here, there)]];
  await expect(getTicket(there.url, headers)).rejects.toThrow('429');
  expect(await (await rawCall(third.signedUrl)).closed).toMatchObject({ reason: 'too many conversations at once' });
  await hangUp(calls[0] ?? expect.fail());
  await expect
    .poll(() =>
      getTicket(there.url, headers).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await hangUp(calls[1] ?? expect.fail());
});

test('Admits one of ten simultaneous sessions to one place', async () => {
  const [here, there] = await twoRooms({ VOICE_SESSIONS: '1', VOICE_SESSIONS_PER_USER: '20' });
  const places = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? here : there));
  const urls = await Promise.all(places.map((app) => getTicket(app.url, headers)));
  const calls = await Promise.all(urls.map(({ signedUrl }) => rawCall(signedUrl)));
  const refused = new Set<RawCall>();
  for (const call of calls) void call.closed.then(() => refused.add(call));
  await expect.poll(() => refused.size).toBe(9);
  const admitted = calls.find((call) => !refused.has(call)) ?? expect.fail();
  await hangUp(admitted);
});

test('Counts running conversations of one server at full length for all, ended ones at their real length', async () => {
  const [here, there] = await twoRooms({ VOICE_MINUTES_PER_DAY: '15' });
  const call = await talking(here);
  await expect(getTicket(there.url, headers)).rejects.toThrow('503');
  await owner(`update private.voice_sessions set started_at = now() - interval '90 seconds'`);
  await hangUp(call);
  await noneOpen();
  const [minutes] = await owner('select used_ms from private.voice_minutes where subject = $1', user.id);
  expect(Number(minutes?.['used_ms'])).toBeGreaterThanOrEqual(90_000);
  // Tomorrow's, too, where that begins meanwhile.
  await owner('insert into private.voice_minutes select day + 1, subject, used_ms, guest from private.voice_minutes');
  await expect(getTicket(there.url, headers)).rejects.toThrow('503');
  await owner('update private.voice_minutes set day = day - 2');
  await hangUp(await talking(here, there));
  await noneOpen();
  expect(await owner('select 1 from private.voice_minutes where day < current_date - 1')).toEqual([]);
});

test('Charges no more than the greatest length where the clock is set forward or the machine slept meanwhile', async () => {
  const [here, there] = await twoRooms();
  const wait = (until: string): Promise<unknown> =>
    owner(`update private.voice_sessions set started_at = now() - interval '1 day', alive_until = ${until}`);
  const charged = async (): Promise<number> => {
    await noneOpen();
    const rows = await owner('delete from private.voice_minutes where subject = $1 returning used_ms', user.id);
    return Number(rows[0]?.['used_ms']);
  };
  const ended = await talking(here);
  await wait(`now() + interval '1 minute'`);
  await hangUp(ended);
  expect(await charged()).toBe(VOICE_LIMITS.lengthMs);
  // Another server ends it first.
  const call = await talking(here);
  await wait(`now() - interval '1 minute'`);
  await owner('update private.voice_minutes set used_ms = 0');
  await hangUp(await talking(there));
  expect(await charged()).toBeLessThan(2 * VOICE_LIMITS.lengthMs);
  await hangUp(call);
});

test('Renews the sessions of a live server; ends and charges those of a dead one', async () => {
  const [here, there] = await twoRooms({ VOICE_SESSIONS: '1' });
  const call = await talking(here);
  await owner(`update private.voice_sessions set alive_until = now() + interval '1 second'`);
  clock.advance(60_000);
  const left = async (): Promise<number> => {
    const [row] = await owner(
      `select extract(epoch from alive_until - now())::float8 as s from private.voice_sessions`,
    );
    return Number(row?.['s']);
  };
  await expect.poll(left).toBeGreaterThan(60);
  await expect(getTicket(there.url, headers)).rejects.toThrow('503');
  await owner(
    `update private.voice_sessions
      set started_at = now() - interval '5 minutes', alive_until = now() - interval '1 minute'`,
  );
  await hangUp(await talking(there));
  const [minutes] = await owner('select sum(used_ms) as ms from private.voice_minutes where subject = $1', user.id);
  expect(Number(minutes?.['ms'])).toBeGreaterThanOrEqual(240_000);
  await hangUp(call);
});

/** A ticket for a guest with a key of its own. */
async function askAsGuest(app: VoiceApp): Promise<Response> {
  const { database, keys } = server.backend;
  const key = newKey();
  const interviewId = await createInterview(database, anon(key));
  return post(`${app.url}/v1/convai/ticket`, keyHeaders(keys, key), { ...REQUEST, interviewId });
}

async function talkingGuest(app: VoiceApp): Promise<RawCall> {
  const { signedUrl } = (await (await askAsGuest(app)).json()) as { signedUrl: string };
  const call = await rawCall(signedUrl);
  call.send(INITIATION);
  await call.until('agent_response');
  return call;
}

test('Limits guests of one address over all servers, but not a member there (threat 7)', async () => {
  const [here, there] = await twoRooms({ VOICE_SESSIONS_PER_ADDRESS: '2' });
  const waiting = (await (await askAsGuest(there)).json()) as { signedUrl: string };
  const calls = [await talkingGuest(here), await talkingGuest(there)];
  const refused = await askAsGuest(here);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('Zu viele Interviews') } });
  expect(await (await rawCall(waiting.signedUrl)).closed).toMatchObject({ code: 1008 });
  calls.push(await talking(there));
  await Promise.all(calls.map(hangUp));
});

test('Reserves the last places for members (threat 7)', async () => {
  const [here, there] = await twoRooms({ VOICE_SESSIONS: '4' });
  const calls = [await talkingGuest(here), await talkingGuest(there), await talkingGuest(here)];
  const refused = await askAsGuest(there);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringContaining('keine Interviews möglich') },
  });
  calls.push(await talking(there));
  await expect(getTicket(here.url, headers)).rejects.toThrow('503');
  await Promise.all(calls.map(hangUp));
});

test('Stores an address as a keyed hash while the conversation runs (threat 7)', async () => {
  const [here] = await twoRooms();
  const call = await talkingGuest(here);
  const [row] = await owner('select s::text as stored, address from private.voice_sessions as s');
  expect(row?.['stored']).not.toContain('127.0.0.1');
  expect(row?.['address']).toHaveLength(32);
  expect(row?.['address']).not.toEqual(createHash('sha256').update('127.0.0.1').digest());
  await hangUp(call);
  await expect.poll(() => owner('select 1 from private.voice_sessions')).toEqual([]);
});

test('Closes with 1011 without admitting when the database fails', async () => {
  const [here] = await twoRooms();
  const { signedUrl } = await getTicket(here.url, headers);
  await owner('alter table private.voice_sessions rename to voice_sessions_away');
  const call = await rawCall(signedUrl);
  expect(await call.closed).toMatchObject({ code: 1011 });
  await owner('alter table private.voice_sessions_away rename to voice_sessions');
  await hangUp(await talking(here));
});

test('Frees the place of a client that disconnects during admission', async () => {
  const [here] = await twoRooms();
  const { signedUrl } = await getTicket(here.url, headers);
  const holder = new pg.Client({ connectionString: server.databaseUrl });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('begin; lock table private.voice_sessions');
  const call = await rawCall(signedUrl);
  const admitting = 'select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';
  await expect.poll(async () => (await holder.query(admitting)).rowCount).toBeGreaterThan(0);
  call.socket.terminate();
  await holder.query('commit');
  // What a session leaves behind, so that it had its place.
  await expect.poll(() => owner('select subject from private.voice_minutes')).toEqual([{ subject: user.id }]);
  await noneOpen();
});
