import fastify from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppConfigSchema } from '#contract/app-config.ts';
import { DRAFT_ACTIONS } from '#contract/drafts.ts';
import { PostSchema } from '#contract/posts.ts';
import { ROLES } from '#contract/roles.ts';
import { draftRoutes } from '#server/drafts/index.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { must, getToken } from '#tests/support/desk-calls.ts';
import { contribute } from '#tests/support/desk.ts';
import { draft, fetchDraft, readEvents, type DraftAnswer } from '#tests/support/drafts.ts';
import { begin, say, startLanguageModel, writeText, type LanguageModel } from '#tests/support/language-model.ts';

/** Drafts with a language model (posts, drafting). */
const TRANSCRIPT =
  'Interviewer: Was baut ihr?\n\nDu: Ich heiße Mira Kowalski. Wir bauen in Halle leise Pumpen. Seit 2019 ' +
  'sind es zwölf im Jahr.';
const ANSWERS = { where: 'In Halle an der Saale' };

let server: TestServer;
let model: LanguageModel;
let ada: TestUser;
let token: string;
let contribution: number;
beforeAll(async () => {
  model = await startLanguageModel();
  server = await bootServer({ LLM_URL: model.url, LLM_MODEL: 'probe-7b', DRAFT_PART_CHARACTERS: '1000' });
  ada = await createUser(server, { role: 'admin' });
  token = await getToken(ada);
  contribution = await contribute(server, { transcript: TRANSCRIPT, answers: ANSWERS });
});
afterAll(async () => {
  await server.stop();
  await model.stop();
});
beforeEach(() => void (model.requests.length = 0));

const ask = (body: object = { channel: 'linkedin' }, id = contribution): Promise<DraftAnswer> =>
  draft(server.url, { token, contribution: id, body });

test('Streams the text without markers, and beside it the sentences it cites', async () => {
  model.behave(say('Leise Pumpen aus Halle [3, 1]. Seit 2019 sind es zwölf im Jahr. [4] [77]', { size: 3 }));
  const { status, events, text, failure } = await ask();
  expect([status, failure]).toEqual([200, undefined]);
  expect(text).toBe('Leise Pumpen aus Halle. Seit 2019 sind es zwölf im Jahr.');
  expect(events[0]).toEqual({ type: 'draft.begun', model: 'probe-7b' });
  const cited = events.flatMap((event) => {
    if (event.type !== 'draft.citation') return [];
    const source = event.source === 'transcript' ? TRANSCRIPT : ANSWERS.where;
    return [[event.at, event.source, source.slice(event.start, event.end)]];
  });
  expect(cited).toEqual(
    [
      [22, 'transcript', 'Wir bauen in Halle leise Pumpen.'],
      [22, 'answer:where', 'In Halle an der Saale'],
      [55, 'transcript', 'Seit 2019 sind es zwölf im Jahr.'],
    ].map(([at, ...rest]) => [at === 55 ? text.length : at, ...rest]),
  );
  expect(events.at(-1)).toEqual({ type: 'draft.done', ignored: 1 });
  expect(events.filter(({ type }) => type === 'draft.text.delta').length).toBeGreaterThan(5);
  expect(model.requests[0]?.tools).toBe(undefined);
  expect(model.requests[0]?.messages[1]?.content).toContain('[1] In Halle an der Saale\n[2] Ich heiße Mira Kowalski.');
  expect(model.requests[0]?.messages[1]?.content).not.toContain('Was baut ihr');
});

test('A run of markers is no evidence', async () => {
  model.behave(say(`Leise Pumpen aus Halle sind das.${Array.from({ length: 9 }, (_, at) => `[${at + 1}]`).join('')}`));
  const { events, text } = await ask();
  expect(text).toBe('Leise Pumpen aus Halle sind das.');
  expect(events.map(({ type }) => type)).not.toContain('draft.citation');
  expect(events.at(-1)).toMatchObject({ type: 'draft.done' });
});

test.each(DRAFT_ACTIONS)('The action %s hands the present text over and streams a new one', async (action) => {
  model.behave(say('Leise Pumpen aus Halle [3].'));
  const { text, failure } = await ask({ channel: 'x', action, text: 'Der alte Text.' });
  expect([text, failure]).toEqual(['Leise Pumpen aus Halle.', undefined]);
  expect(model.requests[0]?.messages[1]?.content).toContain('<text>\nDer alte Text.\n</text>');
});

test('What arrived is saved as a version of the model’s', async () => {
  model.behave(say('Leise Pumpen aus Halle [3].'));
  const { text } = await ask();
  const saved = { contribution, channel: 'linkedin', body: text, origin: 'model', model: 'probe-7b' };
  const post = PostSchema.parse(await must(ada.client.rpc('desk_post_add', saved)));
  expect(post.current).toMatchObject({ body: 'Leise Pumpen aus Halle.', origin: 'model', model: 'probe-7b' });
});

test('Long material is read in parts with progress, and only chosen sentences are offered', async () => {
  const long = Array.from(
    { length: 60 },
    (_, at) => `Pumpe Nummer ${at + 1} steht in Halle ${at + 1} und läuft leise.`,
  );
  const id = await contribute(server, { transcript: `Du: ${long.join(' ')}` });
  model.behave((response, request) => {
    const first = /^\[(\d+)\]/m.exec(request.messages[1]?.content ?? '')?.[1] ?? '';
    const chooses = request.messages[0]?.content.includes('Nummern') === true && model.requests.length < 5;
    return say(chooses ? `${first}, 999` : 'Pumpe Nummer 1 läuft leise [1]. Und die andere auch [2].')(
      response,
      request,
    );
  });
  const { events, text, failure } = await ask({ channel: 'linkedin' }, id);
  expect(failure).toBe(undefined);
  const progress = events.flatMap((event) => (event.type === 'draft.progress' ? [event] : []));
  expect(progress.map(({ done }) => done)).toEqual(progress.map((_, at) => at));
  expect(progress.at(-1)?.done).toBe(progress.at(-1)?.total);
  expect(progress.length).toBeGreaterThan(3);
  expect(text).toBe('Pumpe Nummer 1 läuft leise. Und die andere auch.');
  const offered = model.requests.at(-1)?.messages[1]?.content ?? '';
  expect(offered.length).toBeLessThan(1_400);
  expect(offered).toContain('[1] Pumpe Nummer 1 steht');
  expect(offered).not.toContain('[2] ');
  // The second sentence was not chosen, so citing it counts for nothing.
  expect(events.filter(({ type }) => type === 'draft.citation')).toHaveLength(1);
});

test('Closing the connection cancels at the service, and what came is kept', async () => {
  model.behave((response) => void writeText(begin(response), 'Leise Pumpen aus Halle [3]. Und '));
  const cancel = new AbortController();
  const body = { channel: 'linkedin' };
  const response = await fetchDraft(server.url, { token, contribution, body, signal: cancel.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let content = '';
  while (!content.includes('Und')) content += (await reader?.read())?.value ?? '';
  cancel.abort();
  await model.left();
  const deltas = readEvents(content).flatMap((event) => (event.type === 'draft.text.delta' ? [event.delta] : []));
  expect(deltas.join('')).toBe('Leise Pumpen aus Halle. Und');
  // The place of the cancelled draft is free again.
  model.behave(say('Leise Pumpen aus Halle [3].'));
  await expect.poll(async () => [(await ask()).failure, (await ask()).code]).toEqual([undefined, undefined]);
});

describe('Administrators alone', () => {
  const refused = async (as: string | undefined) => {
    const { status, code } = await draft(server.url, { token: as, contribution, body: { channel: 'linkedin' } });
    expect(model.requests).toEqual([]);
    return [status, code];
  };

  test.each(ROLES.filter((role) => role !== 'admin'))('Refuses %s before the model is asked', async (role) => {
    expect(await refused(await getToken(await createUser(server, { role })))).toEqual([403, 'not_admin']);
  });

  test('Refuses an account without a role, no token, a forged one and the keys', async () => {
    expect(await refused(await getToken(await createUser(server)))).toEqual([403, 'not_admin']);
    const { publishableKey, secretKey } = server.backend.keys;
    for (const key of [undefined, `${token.slice(0, -6)}AAAAAA`, publishableKey, secretKey])
      expect(await refused(key)).toEqual([401, 'not_authenticated']);
  });
});

test('Every draft stands in the audit log as a look at the contribution', async () => {
  model.behave(say('Leise Pumpen aus Halle [3].'));
  await ask({ channel: 'x', action: 'shorten', text: 'Der alte Text von Mira.' });
  const lines = ada.client.from('desk_audit_log').select('by, what, detail').eq('interview_id', contribution);
  const newest = await must(lines.order('id', { ascending: false }).limit(1));
  expect(newest).toEqual([{ by: ada.id, what: 'view', detail: { draft: 1 } }]);
});

test('The log names ids, figures and codes, and no word of the material or the answer', async () => {
  const written: string[] = [];
  const app = fastify({
    loggerInstance: pino({ level: 'trace' }, { write: (line: string) => void written.push(line) }),
    forceCloseConnections: true,
  });
  const limits = { concurrent: 1, totalMs: 20_000, silenceMs: 20_000, answerCharacters: 5_000, partCharacters: 5_000 };
  const service = { url: `${model.url}/v1/chat/completions`, key: 'geheim-wort', model: 'probe-7b' };
  const { publishableKey } = server.backend.keys;
  const keys = server.backend.keys;
  await app.register(draftRoutes({ keys, backendUrl: server.url, publicKey: publishableKey, service, limits }));
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const call = { token, contribution, body: { channel: 'linkedin' } };
  model.behave(say('Kranwagen aus Halle, sagt Mira [3].'));
  expect((await draft(url, call)).failure).toBe(undefined);
  model.behave((response) => void response.writeHead(500).end('Kranwagen Mira'));
  expect((await draft(url, call)).failure).toBe('service_failed');
  await app.close();
  const log = written.join('');
  expect(log).toContain('draft written');
  expect(log).toContain('service_failed');
  expect(log).toContain(`"contribution":${contribution}`);
  for (const word of ['Mira', 'Kowalski', 'Pumpe', 'Kranwagen', 'geheim-wort', token]) expect(log).not.toContain(word);
});

test('The application learns whether drafts can be written', async () => {
  const config = async (url: string) => AppConfigSchema.parse(await (await fetch(`${url}/config.json`)).json()).drafts;
  expect(await config(server.url)).toBe(true);
  const without = await bootServer();
  try {
    expect(await config(without.url)).toBe(false);
    const admin = await createUser(without, { role: 'admin' });
    const id = await contribute(without, { transcript: TRANSCRIPT });
    const call = { token: await getToken(admin), contribution: id, body: { channel: 'linkedin' } };
    expect(await draft(without.url, call)).toMatchObject({ status: 503, code: 'not_configured' });
  } finally {
    await without.stop();
  }
});
