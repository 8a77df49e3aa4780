import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DRAFT_MATERIAL_CHARACTERS } from '#contract/limits.ts';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { getToken } from '#tests/support/desk-calls.ts';
import { contribute } from '#tests/support/desk.ts';
import { draft, fetchDraft, type DraftAnswer } from '#tests/support/drafts.ts';
import { begin, say, startLanguageModel, writeText, type LanguageModel } from '#tests/support/language-model.ts';
import { BLOCKED } from '#tests/support/held-rows.ts';

/** Every way in which a draft fails (posts, drafting). */
type Desk = Readonly<{ server: TestServer; token: string; contribution: number }>;

let model: LanguageModel;
let desk: Desk;
/** Waits so briefly for its model that only a model that never speaks shall fail there. */
let impatient: Desk;
let server: TestServer;
let token: string;
let contribution: number;
beforeAll(async () => {
  model = await startLanguageModel();
  desk = await openDesk({ DRAFT_SILENCE_S: '20', DRAFT_SECONDS: '60' });
  impatient = await openDesk({ DRAFT_SILENCE_S: '2', DRAFT_SECONDS: '5' });
  ({ server, token, contribution } = desk);
});
afterAll(async () => {
  await desk.server.stop();
  await impatient.server.stop();
  await model.stop();
});

async function openDesk(env: Readonly<Record<string, string>>): Promise<Desk> {
  const limits = { DRAFTS_CONCURRENT: '1', DRAFT_ANSWER_CHARACTERS: '2000', ...env };
  const booted = await bootServer({ LLM_URL: model.url, ...limits });
  return {
    server: booted,
    token: await getToken(await createUser(booted, { role: 'admin' })),
    contribution: await contribute(booted, { transcript: 'Du: Wir bauen in Halle leise Pumpen.' }),
  };
}

const ask = (id?: number, body: object = { channel: 'linkedin' }): Promise<DraftAnswer> =>
  draft(server.url, { token, contribution: id ?? contribution, body });

const askAt = ({ server: { url }, ...call }: Desk): Promise<DraftAnswer> =>
  draft(url, { ...call, body: { channel: 'linkedin' } });

const askAbout = (failure: string): Promise<DraftAnswer> => askAt(failure.startsWith('silence') ? impatient : desk);

const GOOD = 'Leise Pumpen aus Halle [1].';
const answer =
  (status: number, body: string, type = 'application/json') =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': type }).end(body);

test.each<[string, (response: ServerResponse) => void, string]>([
  ['429', answer(429, '{"error":{"message":"zu viel"}}'), 'service_rate_limited'],
  ['401', answer(401, '{}'), 'service_key_refused'],
  ['400', answer(400, '{}'), 'service_rejected'],
  ['404', answer(404, 'no such model'), 'service_rejected'],
  ['500', answer(500, '{}'), 'service_failed'],
  ['504', answer(504, '<html>', 'text/html'), 'service_timeout'],
  ['a page with the status 200', answer(200, '<html><p>Anmelden</p>', 'text/html'), 'service_not_a_model'],
  ['no stream', answer(200, '{"choices":[]}'), 'answer_empty'],
  [
    'an error within the stream',
    (response) => void begin(response).end('data: {"error":{"message":"x"}}\n\n'),
    'service_failed',
  ],
  ['a connection that breaks at once', (response) => void response.destroy(), 'service_unreachable'],
  ['silence from the start', () => undefined, 'service_timeout'],
])('%s becomes a typed error without text', async (name, behave, code) => {
  model.behave(behave);
  expect(await askAbout(name)).toMatchObject({ status: 200, failure: code, text: '' });
});

test('A service that is not there becomes a typed error', async () => {
  const away = await bootServer({ LLM_URL: 'http://127.0.0.1:9' });
  try {
    const as = await getToken(await createUser(away, { role: 'admin' }));
    const id = await contribute(away, { transcript: 'Du: Wir bauen Pumpen.' });
    const call = { token: as, contribution: id, body: { channel: 'linkedin' } };
    expect((await draft(away.url, call)).failure).toBe('service_unreachable');
  } finally {
    await away.stop();
  }
});

const SO_FAR = 'Leise Pumpen aus Halle.';
test.each<[string, (response: ServerResponse) => void, string]>([
  ['silence in the middle', (response) => void writeText(begin(response), GOOD), 'service_timeout'],
  ['an end without an end', (response) => void (writeText(begin(response), GOOD), response.end()), 'answer_incomplete'],
  [
    'the limit of tokens',
    (response) => void say(GOOD, { finish: 'length' })(response, { model: '', messages: [] }),
    'answer_too_long',
  ],
  [
    'a connection that breaks',
    (response) => void (writeText(begin(response), GOOD), response.write('\n', () => response.destroy())),
    'answer_incomplete',
  ],
])('After %s the text so far stands', async (name, behave, code) => {
  model.behave(behave);
  expect(await askAbout(name)).toMatchObject({ failure: code, text: SO_FAR });
});

test('An answer without end is cut at the limit, and the service is left', async () => {
  let count = 0;
  model.behave((response) => {
    begin(response);
    const more = (): void => {
      while (
        !response.destroyed &&
        writeText(response, `Satz ${(count += 1)} ist mit der Nummer ${count * 7919} nicht wie der andere. `)
      );
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  const { failure, text } = await ask();
  expect(failure).toBe('answer_too_long');
  expect(text.length).toBeGreaterThan(1_500);
  expect(text.length).toBeLessThanOrEqual(2_000);
  await model.left();
});

test.each([
  ['answer_repeats', 'Die Pumpe läuft leise und sie ist gut. '.repeat(30)],
  [
    'answer_not_german',
    'We are building pumps in Halle and they are very quiet for all of us. That is what we have been doing.',
  ],
  ['answer_empty', ' \n [1] … '],
])('%s', async (code, text) => {
  model.behave(say(text));
  expect((await ask()).failure).toBe(code);
});

test('A steady drip of words ends with the time of a draft', async () => {
  model.behave((response) => {
    begin(response);
    let count = 0;
    const drip = setInterval(() => writeText(response, `Wort${(count += 1)} `), 200);
    response.once('close', () => clearInterval(drip));
  });
  expect((await askAt(impatient)).failure).toBe('service_timeout');
});

test('One draft at a time where one is allowed', async () => {
  const held = Promise.withResolvers<ServerResponse>();
  model.behave((response) => held.resolve(response));
  const first = await fetchDraft(server.url, { token, contribution, body: { channel: 'linkedin' } });
  expect(await ask()).toMatchObject({ status: 429, code: 'busy' });
  await say(GOOD)(await held.promise, { model: '', messages: [] });
  await first.text();
  model.behave(say(GOOD));
  await expect.poll(async () => (await ask()).text).toBe(SO_FAR);
});

test('Nothing is written for a reader who left while the rights were checked', async () => {
  model.behave(say(GOOD));
  const before = model.requests.length;
  await asOwner(server.databaseUrl, async (client) => {
    await client.query('begin; lock table public.user_roles in access exclusive mode');
    const closed = Promise.withResolvers<void>();
    server.app.server.once('request', (_request, response) => response.once('close', closed.resolve));
    const leaving = new AbortController();
    const asked = { token, contribution, body: { channel: 'linkedin' }, signal: leaving.signal };
    const refused = fetchDraft(server.url, asked).catch(() => 'left');
    await expect.poll(async () => (await client.query(BLOCKED)).rowCount).toBe(1);
    leaving.abort();
    await Promise.all([closed.promise, refused]);
    await client.query('commit');
  });
  await expect.poll(async () => (await ask()).text).toBe(SO_FAR);
  expect(model.requests.length - before).toBe(1);
});

test('More material than the limit, none, and no such contribution', async () => {
  const sentence = 'Die Pumpe läuft leise. ';
  const transcript = `Du: ${sentence.repeat(Math.ceil((DRAFT_MATERIAL_CHARACTERS * 1.1) / sentence.length))}`;
  const id = await contribute(server, { transcript });
  expect(await ask(id)).toMatchObject({ status: 422, code: 'material_too_long' });
  const silent = await contribute(server, { transcript: 'Interviewer: Was baut ihr?' });
  expect(await ask(silent)).toMatchObject({ status: 422, code: 'no_material' });
  expect(await ask(987_654)).toMatchObject({ status: 404, code: 'contribution_not_found' });
});

test.each([
  {},
  { channel: 'telegram' },
  { channel: 'x', action: 'publish', text: 'Text' },
  { channel: 'x', action: 'shorten' },
  { channel: 'x', action: 'shorten', text: ' ' },
  { channel: 'x', action: 'shorten', text: 'x'.repeat(50_001) },
  { channel: 'x', tools: [] },
])('Refuses the request %j', async (body) => {
  expect(await ask(contribution, body)).toMatchObject({ status: 400, code: 'invalid_request' });
});
