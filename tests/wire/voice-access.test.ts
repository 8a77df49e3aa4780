import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { anon, createAccount, createAccounts, login, newKey, type Account } from '#tests/support/callers.ts';
import { createInterview } from '#tests/support/factories.ts';
import type { Role } from '#contract/roles.ts';
import { testClock } from '#tests/support/voice-clock.ts';
import { getTicket, keyHeaders, loginHeaders, post, REQUEST } from '#tests/support/voice-client.ts';
import { startVoiceApp, type VoiceApp } from '#tests/support/voice-app.ts';
import { INITIATION, rawCall } from '#tests/support/voice-socket.ts';

let server: TestServer;
let accounts: Readonly<Record<Role, Account>>;
let admin: Record<string, string>;
/** Where no conversation ends by itself: seconds after it was opened, a busy machine has yet to begin it. */
let frozen: VoiceApp;
beforeAll(async () => {
  server = await bootServer();
  accounts = await createAccounts(server.databaseUrl);
  admin = await loginHeaders(server.backend.keys, accounts.admin);
  frozen = await startVoiceApp(server, { clock: testClock() });
});
afterAll(async () => {
  await frozen.stop();
  await server.stop();
});

const ticketStatus = async (
  headers: Record<string, string>,
  body: object = REQUEST,
  { url }: { url: string } = server,
): Promise<[number, unknown]> => {
  const response = await post(`${url}/v1/convai/ticket`, headers, body);
  const answer = (await response.json()) as { error?: { code: string } };
  return [response.status, answer.error?.code];
};

describe('Tickets (threat 7)', () => {
  test('Refuses a caller without a login or a key', async () => {
    const { publishableKey, secretKey } = server.backend.keys;
    expect(await ticketStatus({})).toEqual([401, 'not-authenticated']);
    expect(await ticketStatus({ apikey: publishableKey })).toEqual([401, 'not-authenticated']);
    expect(await ticketStatus({ apikey: publishableKey, authorization: 'Bearer a.b.c' })).toEqual([
      401,
      'not-authenticated',
    ]);
    expect(await ticketStatus({ apikey: secretKey })).toEqual([401, 'not-authenticated']);
  });

  test('Admits a login only in the areas of its role (§6)', async () => {
    const firma = await loginHeaders(server.backend.keys, accounts.firma_a);
    expect((await ticketStatus(firma, { ...REQUEST, area: 'firma-a' }))[0]).toBe(200);
    expect(await ticketStatus(firma, { ...REQUEST, area: 'firma-b' })).toEqual([403, 'forbidden']);
    expect(await ticketStatus(firma)).toEqual([403, 'forbidden']);
    const roleless = await createAccount(server.databaseUrl);
    expect(await ticketStatus(await loginHeaders(server.backend.keys, roleless))).toEqual([403, 'forbidden']);
  });

  test('Admits a key only for its interview (D9)', async () => {
    const { database, keys } = server.backend;
    const [key, foreign] = [newKey(), newKey()];
    const interviewId = await createInterview(database, anon(key));
    expect((await ticketStatus(keyHeaders(keys, key), { ...REQUEST, interviewId }))[0]).toBe(200);
    expect(await ticketStatus(keyHeaders(keys, foreign), { ...REQUEST, interviewId })).toEqual([
      404,
      'interview-not-found',
    ]);
    expect(await ticketStatus(keyHeaders(keys, key))).toEqual([401, 'not-authenticated']);
    expect(await ticketStatus(keyHeaders(keys, 'kurz'), { ...REQUEST, interviewId })).toEqual([
      404,
      'interview-not-found',
    ]);
  });

  test('Refuses the interview of another user, also to an admin', async () => {
    const interviewId = await createInterview(server.backend.database, login(accounts.vdi_admin));
    expect(await ticketStatus(admin, { ...REQUEST, interviewId })).toEqual([404, 'interview-not-found']);
    expect(await ticketStatus(admin, { ...REQUEST, interviewId: 987_654 })).toEqual([404, 'interview-not-found']);
  });

  test('Leads a page of this server to the name it was opened under, others to PUBLIC_URL (decision 0395)', async () => {
    const app = await startVoiceApp(server, { env: { PUBLIC_URL: 'https://beitrag.test' } });
    const led = async (headers: object) => new URL((await getTicket(app.url, { ...admin, ...headers })).signedUrl).host;
    expect(await led({ origin: app.url })).toBe(new URL(app.url).host);
    expect([await led({}), await led({ origin: 'https://fremd.test' })]).toEqual(['beitrag.test', 'beitrag.test']);
    await app.stop();
  });

  test.each([
    {},
    { ...REQUEST, topic: 'wetter' },
    { ...REQUEST, area: 'firma-c' },
    { ...REQUEST, interviewId: '1' },
    { ...REQUEST, interviewId: -1 },
    { ...REQUEST, context: 'x'.repeat(20_001) },
  ])('Answers 400 to %j', async (body) => {
    expect(await ticketStatus(admin, body)).toEqual([400, 'invalid']);
  });
});

describe('Rights that end', () => {
  const ban = (account: Account) =>
    server.backend.database.asOwner((tx) =>
      tx.query(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [account.id]),
    );
  const ended = { code: 1008, reason: 'the rights to this conversation ended' };

  test('Ends the conversation within a minute, and no other (decision 0202)', async () => {
    const clock = testClock();
    const app = await startVoiceApp(server, { clock, limits: { lostMs: 1e9 } });
    const banned = await createAccount(server.databaseUrl, 'admin');
    const calls = await Promise.all(
      [await loginHeaders(server.backend.keys, banned), admin].map(async (headers) => {
        const call = await rawCall((await getTicket(app.url, headers)).signedUrl);
        call.send(INITIATION);
        await call.until('agent_response');
        return call;
      }),
    );
    await ban(banned);
    clock.advance(60_000);
    expect(await calls[0]?.closed).toEqual(ended);
    expect(calls[1]?.socket.readyState).toBe(1);
    await app.stop();
  });

  test('Refuses an earlier ticket', async () => {
    const banned = await createAccount(server.databaseUrl, 'admin');
    const { signedUrl } = await getTicket(server.url, await loginHeaders(server.backend.keys, banned));
    await ban(banned);
    expect(await (await rawCall(signedUrl)).closed).toEqual(ended);
  });
});

describe('Connection', () => {
  test('Opens one connection for each ticket; used and invented ones close with 1008', async () => {
    const { signedUrl } = await getTicket(frozen.url, admin);
    const first = await rawCall(signedUrl);
    // The connection opens before the ticket is looked up.
    first.send(INITIATION);
    await first.until('conversation_initiation_metadata');
    const refused = { code: 1008, reason: 'ticket unknown, used or expired' };
    expect(await (await rawCall(signedUrl)).closed).toEqual(refused);
    const made = signedUrl.replace(/ticket=.*/, `ticket=${newKey()}`);
    expect(await (await rawCall(made)).closed).toEqual(refused);
    expect(await (await rawCall(signedUrl.replace(/\?.*/, ''))).closed).toEqual(refused);
    first.socket.close();
  });

  test('Expires a ticket after 60 s', async () => {
    const clock = testClock();
    const app = await startVoiceApp(server, { clock });
    const [late, inTime] = [await getTicket(app.url, admin), await getTicket(app.url, admin)];
    clock.advance(59_999);
    const call = await rawCall(inTime.signedUrl);
    clock.advance(1);
    expect(await (await rawCall(late.signedUrl)).closed).toMatchObject({ code: 1008 });
    expect(call.socket.readyState).toBe(call.socket.OPEN);
    await app.stop();
  });

  test('Refuses a foreign Origin; accepts the own and the configured ones (threat 18)', async () => {
    const app = await startVoiceApp(server, {
      clock: testClock(),
      env: { VOICE_ORIGINS: 'https://app.beispiel.test/' },
    });
    const from = async (origin: string) =>
      rawCall((await getTicket(app.url, admin)).signedUrl, { settings: { origin } });
    for (const foreign of ['https://boese.test', 'null', `${app.url}.boese.test`]) {
      await expect(from(foreign)).rejects.toThrow('403');
    }
    for (const own of [app.url, 'https://app.beispiel.test']) {
      const call = await from(own);
      call.send(INITIATION);
      await call.until('conversation_initiation_metadata');
      call.socket.close();
      await call.closed;
    }
    await app.stop();
  });

  test('Echoes only the subprotocol convai; accepts none', async () => {
    const url = async (): Promise<string> => (await getTicket(frozen.url, admin)).signedUrl;
    const named = await rawCall(await url(), { protocols: ['convai', 'bearer.x'] });
    expect(named.socket.protocol).toBe('convai');
    named.socket.close();
    await named.closed;
    const plain = await rawCall(await url());
    expect(plain.socket.protocol).toBe('');
    plain.socket.close();
    await plain.closed;
  });

  test('Limits a user to two conversations: 429 for a third ticket, 1008 for a third connection', async () => {
    const caller = await loginHeaders(server.backend.keys, accounts.vdi_admin);
    const urls = await Promise.all([1, 2, 3].map(async () => (await getTicket(frozen.url, caller)).signedUrl));
    const calls = await Promise.all(urls.map((url) => rawCall(url)));
    const closed = await Promise.race(calls.map((call) => call.closed));
    expect(closed).toEqual({ code: 1008, reason: 'too many conversations at once' });
    expect(await ticketStatus(caller, REQUEST, frozen)).toEqual([429, 'too-many']);
    // Before the database is asked for the interview, so that a refused request costs little.
    expect(await ticketStatus(caller, { ...REQUEST, interviewId: 4_000_000 }, frozen)).toEqual([429, 'too-many']);
    for (const call of calls) call.socket.close();
    await Promise.all(calls.map((call) => call.closed));
    await expect.poll(async () => (await ticketStatus(caller, REQUEST, frozen))[0]).toBe(200);
  });

  test('Closes with 1001 on shutdown after writing everything', async () => {
    const app = await startVoiceApp(server, { clock: testClock() });
    const interviewId = await createInterview(server.backend.database, login(accounts.admin));
    const call = await rawCall((await getTicket(app.url, admin, { interviewId })).signedUrl);
    call.send(INITIATION);
    await call.until('agent_response');
    call.send({ type: 'user_message', text: 'Der letzte Satz vor dem Ende des Servers.' });
    await call.until('user_transcript');
    await app.stop();
    expect(await call.closed).toMatchObject({ code: 1001 });
    const rows = await server.backend.database.asOwner((tx) =>
      tx.query(`select content from public.interview_turns where interview_id = $1 and speaker = 'user'`, [
        interviewId,
      ]),
    );
    expect(rows.rows).toEqual([{ content: 'Der letzte Satz vor dem Ende des Servers.' }]);
  });
});
