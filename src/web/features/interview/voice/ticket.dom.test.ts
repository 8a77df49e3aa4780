import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BackendClient } from '#web/backend/client.ts';
import { requestTicket, bindInterview } from './ticket.ts';

const TICKET = {
  signedUrl: 'wss://localhost/v1/convai/conversation?ticket=x',
  expiresInS: 60,
  engine: 'browser',
  textOnly: true,
  capabilities: { transcription: false, speech: false },
};
const REQUEST = { area: 'generic', topic: 'free-topic' } as const;

let answers: (Response | Error)[];
let calls: { url: string; headers: Headers; body: unknown }[];
beforeEach(() => {
  answers = [];
  calls = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit & { body: string }) => {
    calls.push({ url, headers: new Headers(init.headers), body: JSON.parse(init.body) });
    const answer = answers.shift() ?? Response.json(TICKET);
    if (answer instanceof Error) throw answer;
    return answer;
  });
});
afterEach(() => vi.unstubAllGlobals());

function backendWith(token: string | undefined, renewed?: string, leftS = 3_600, url = 'https://backend.test') {
  const expires_at = Date.now() / 1_000 + leftS;
  const getSession = (value: string | undefined) => ({
    data: { session: value === undefined ? null : { access_token: value, expires_at } },
    error: null,
  });
  let current = token;
  const auth = {
    getSession: async () => getSession(current),
    refreshSession: async () => getSession((current = renewed ?? current)),
  };
  return {
    config: { supabaseKey: 'public', supabaseUrl: url },
    supabase: { auth },
  } as unknown as BackendClient;
}

const ask = (backend: BackendClient) => requestTicket(backend, REQUEST, new AbortController().signal);

test("Sends the user's bearer and the contribution's key", async () => {
  expect(await ask({ ...backendWith('t1'), interviewKey: 'k' })).toEqual(TICKET);
  expect(calls[0]).toMatchObject({ url: '/v1/convai/ticket', body: REQUEST });
  expect(Object.fromEntries(calls[0]?.headers ?? [])).toMatchObject({
    apikey: 'public',
    authorization: 'Bearer t1',
    'x-interview-key': 'k',
  });
});

test('Renews an expired token once', async () => {
  answers = [new Response(null, { status: 401 })];
  expect(await ask(backendWith('t1', 't2'))).toEqual(TICKET);
  expect(calls.map((call) => call.headers.get('authorization'))).toEqual(['Bearer t1', 'Bearer t2']);
});

test.each([
  ['renewed', 'at a hosted project where it would expire during the interview', 24 * 60, 'https://backend.test', 't2'],
  ['kept', 'at a hosted project where it lasts longer', 26 * 60, 'https://backend.test', 't1'],
  ['kept', 'at this server, which needs it only for the ticket', 60, location.origin, 't1'],
])('The token is %s %s (D16)', async (_what, _when, leftS, url, sent) => {
  await ask(backendWith('t1', 't2', leftS, url));
  expect(calls.map((call) => call.headers.get('authorization'))).toEqual([`Bearer ${sent}`]);
});

test.each([
  [new Response(null, { status: 429 }), 'too-many'],
  [new Response(null, { status: 503 }), 'busy'],
  [Response.json({ error: { code: 'capacity' } }, { status: 503 }), 'busy'],
  [Response.json({ error: { code: 'minutes' } }, { status: 503 }), 'used-up'],
  [new Response(null, { status: 403 }), 'refused'],
  [new Response(null, { status: 404 }), 'failed'],
  [new Response('<html>', { status: 200 }), 'failed'],
  [Response.json({ signedUrl: 'https://elsewhere' }), 'failed'],
  [new TypeError('network'), 'failed'],
])('Maps answer %# to an error code', async (answer, code) => {
  answers = [answer];
  await expect(ask(backendWith('t1'))).rejects.toMatchObject({ name: 'TicketError', code });
});

test('Does not repeat a 401 without a login', async () => {
  answers = [new Response(null, { status: 401 })];
  await expect(ask(backendWith(undefined))).rejects.toMatchObject({ code: 'refused' });
  expect(calls).toHaveLength(1);
});

test('Binds the row created on connect (§4)', async () => {
  answers = [new Response(null, { status: 204 }), new Response(null, { status: 409 })];
  await bindInterview(backendWith('t1'), 'conv/1', 7);
  expect(calls[0]).toMatchObject({ url: '/v1/convai/conversations/conv%2F1/interview', body: { interviewId: 7 } });
  await expect(bindInterview(backendWith('t1'), 'conv/1', 8)).rejects.toMatchObject({ name: 'TicketError' });
});
