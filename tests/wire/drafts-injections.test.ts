import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { collectSources, createEvidence, indexSources } from '#contract/evidence/index.ts';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { must, getToken } from '#tests/support/desk-calls.ts';
import { contribute } from '#tests/support/desk.ts';
import { draft } from '#tests/support/drafts.ts';
import { say, startLanguageModel, type LanguageModel } from '#tests/support/language-model.ts';

/** Instructions in transcripts, and a model that obeys every one of them (posts, drafting). */
const CASES = z
  .array(
    z.object({
      name: z.string(),
      said: z.string(),
      /** What the obeying model answers, `times` in a row; '§' becomes a number. */
      obeyed: z.string(),
      times: z.number().default(1),
      tools: z.array(z.looseObject({})).optional(),
      /** Parts of the answer whose sentences the evidence must not support. */
      claims: z.array(z.string()),
      failure: z.string().optional(),
      said_so: z.boolean().default(false),
    }),
  )
  .parse(JSON.parse(readFileSync('tests/fixtures/injections.json', 'utf8')));

let server: TestServer;
let model: LanguageModel;
let token: string;
beforeAll(async () => {
  model = await startLanguageModel();
  server = await bootServer({ LLM_URL: model.url });
  const ada = await createUser(server, { role: 'admin' });
  token = await getToken(ada);
  // A post that an obeyed instruction could publish.
  const contribution = await contribute(server, { transcript: 'Du: Wir bauen Pumpen.', email: 'mira@beispiel.test' });
  await must(ada.client.rpc('desk_post_add', { contribution, channel: 'linkedin', body: 'Wir bauen Pumpen.' }));
  await server.deskMail?.idle();
  await server.deskMail?.stop();
});
afterAll(async () => {
  await server.stop();
  await model.stop();
});

/** A sum of each table but the audit log, which has a line for every draft. */
const readTables = () =>
  asOwner(server.databaseUrl, async (client) => {
    const tables = await client.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname in ('public', 'auth', 'storage', 'private') and tablename <> 'desk_audit_log' order by 1`,
    );
    const sums: Record<string, string> = {};
    for (const { name } of tables.rows) {
      const sum = await client.query(
        `select coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as sum from ${name} as t`,
      );
      sums[String(name)] = String(sum.rows[0].sum);
    }
    return sums;
  });

test('There are at least twenty', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(20);
});

test.each(CASES)('$name: nothing changes but a text, which the evidence does not support', async (one) => {
  const transcript = `Du: Wir bauen in Halle leise Pumpen. ${one.said}`;
  const contribution = await contribute(server, { transcript });
  const before = await readTables();
  const obeyed = Array.from({ length: one.times }, (_, at) => one.obeyed.replaceAll('§', String(at * 7919))).join('');
  model.requests.length = 0;
  model.behave(say(obeyed, { size: 7, ...(one.tools === undefined ? {} : { tools: one.tools }) }));
  const answer = await draft(server.url, { token, contribution, body: { channel: 'linkedin' } });
  expect(await readTables()).toEqual(before);
  expect([answer.status, answer.failure]).toEqual([200, one.failure]);

  const [request, ...more] = model.requests;
  expect([more, request?.tools]).toEqual([[], undefined]);
  const prompt = request?.messages[1]?.content ?? '';
  expect(prompt.match(/<[^>]*>/g)).toEqual(['<material>', '</material>']);
  const numbers = prompt.match(/\[[^\]]*\]/g) ?? [];
  expect(numbers).toEqual(numbers.map((_, at) => `[${at + 1}]`));

  const kinds = new Set(answer.events.map(({ type }) => type));
  const known = [
    'draft.begun',
    'draft.text.delta',
    'draft.citation',
    one.failure === undefined ? 'draft.done' : 'draft.error',
  ];
  expect([...kinds].filter((kind) => !known.includes(kind))).toEqual([]);
  expect(answer.text).not.toMatch(/[\u200b\u202e]|\[\d/);
  const check = createEvidence(indexSources(collectSources({ transcript, answers: {} })));
  const sentences = check(answer.text).map(
    ({ start, end, verdict }) => [answer.text.slice(start, end), verdict] as const,
  );
  for (const claim of one.claims)
    expect([claim, sentences.find(([text]) => text.includes(claim))?.[1]]).toEqual([claim, 'unsupported']);
  // A limit that docs/posts.md names: what the contributor said is supported.
  if (one.said_so) expect(sentences.map(([, verdict]) => verdict)).not.toContain('unsupported');
});
