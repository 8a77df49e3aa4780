import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ContributionKind } from '#contract/desk.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { anon, login, newKey, getRows } from '#tests/support/callers.ts';
import { createInterview, SAVE_CONTACT } from '#tests/support/factories.ts';
import { wrongLines } from '#tests/support/desk-facts.ts';
import { contribute, idsIn, inbox, type ContributionFacts } from '#tests/support/desk.ts';

/** The listing follows the contributions, whatever happens to them and however often at once. */
let server: TestServer;
let ada: TestUser;
let owner: pg.Client;

beforeAll(async () => {
  server = await bootServer();
  ada = await createUser(server, { role: 'admin' });
  owner = new pg.Client({ connectionString: server.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.stop();
});

const getLine = async (id: number) => (await inbox(ada.client, { limit: 200 })).items.find((item) => item.id === id);

const PICTURE = { path: '1.png', type: 'image/png' };
const FILM = { path: '2.mp4', type: 'video/mp4' };
const SOUND = { path: '3.webm', type: 'audio/webm;codecs=opus' };
const PAPER = { path: '4.pdf', type: 'application/pdf' };
const EDITED = { path: 'transcript_1763673600000.txt', type: 'text/plain' };
const ANSWERS = { who: 'a', what: 'b', when: 'c', where: 'd', why: 'e' };
const TALK = 'Interviewer: Worum?\n\nDu: Darum.';

describe('Desk: kind of a contribution', () => {
  const table: readonly (readonly [string, ContributionFacts, ContributionKind])[] = [
    [
      'as the browser said',
      { origin: { area: 'generic', kind: 'document' }, files: [FILM], transcript: TALK },
      'document',
    ],
    [
      'an upload that has answers and a film',
      { origin: { area: 'generic' }, answers: ANSWERS, files: [FILM] },
      'video',
    ],
    [
      'an upload that has answers and a picture',
      { origin: { area: 'generic' }, answers: ANSWERS, files: [PICTURE] },
      'image',
    ],
    [
      'a picture described by an interview',
      { origin: { area: 'generic' }, transcript: TALK, files: [PICTURE], turns: ['Ja'] },
      'image',
    ],
    ['a paper', { origin: { area: 'generic' }, files: [PAPER] }, 'document'],
    ['films without a word', { origin: { area: 'generic' }, files: [FILM, PICTURE] }, 'contributor'],
    ['begun, and nothing yet', { origin: { area: 'generic' } }, 'contributor'],
    ['of old: a talk', { transcript: TALK, files: [PICTURE, EDITED] }, 'interview'],
    ['of old: turns only', { turns: ['Ja'] }, 'interview'],
    ['of old: a text', { transcript: 'Wir bauen Brücken.', files: [PICTURE, EDITED] }, 'voice_message'],
    ['of old: a recording', { files: [SOUND] }, 'voice_message'],
    ['of old: answers and a film', { answers: ANSWERS, files: [FILM] }, 'video'],
    ['of old: answers', { answers: ANSWERS }, 'image'],
    ['of old: a paper', { files: [PAPER] }, 'document'],
    ['of old: pictures', { files: [PICTURE] }, 'contributor'],
    ['an edited transcript is no paper', { files: [EDITED, PICTURE] }, 'contributor'],
  ];
  test.each(table)('%s', async (_name, facts, kind) => {
    expect((await getLine(await contribute(server, facts)))?.kind).toBe(kind);
  });
});

describe('Desk: origin of a contribution', () => {
  test('Accepts an origin once, for the own contribution only', async () => {
    const key = newKey();
    const { database } = server.backend;
    const member = await createUser(server, { role: 'firma_a' });
    const id = await createInterview(database, login(member, key));
    expect((await getLine(id))?.area).toBe('firma-a');
    const client = (headers: Record<string, string>) => server.client({ headers }).from('contribution_origins');
    const tell = (area: string, headers: Record<string, string>) =>
      client(headers).upsert(
        { interview_id: id, area, kind: 'interview', topic: 'tech-dive' },
        { onConflict: 'interview_id', ignoreDuplicates: true },
      );
    expect((await tell('firma-b', { 'x-interview-key': newKey() })).error?.code).toBe('42501');
    expect(
      await member.client
        .from('contribution_origins')
        .insert({ interview_id: id, area: 'firma-b', kind: 'interview', topic: 'tech-dive' }),
    ).toMatchObject({ status: 201 });
    expect((await tell('generic', { 'x-interview-key': key })).error).toBeNull();
    expect(await getLine(id)).toMatchObject({ area: 'firma-a', kind: 'interview', topic: 'tech-dive' });
  });

  test('Assigns the generic area without an account', async () => {
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    const client = server.client({ headers: { 'x-interview-key': key } });
    await client.from('contribution_origins').insert({ interview_id: id, area: 'firma-a', kind: 'contributor' });
    expect(await getLine(id)).toMatchObject({ area: 'generic', kind: 'contributor' });
  });

  test.each([
    { area: 'Firma A' },
    { area: '<b>' },
    { area: 'generic', kind: 'song' },
    { area: 'generic', topic: '../x' },
    { area: null },
  ])('Refuses %j', async (origin) => {
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    const client = server.client({ headers: { 'x-interview-key': key } });
    const { error } = await client.from('contribution_origins').insert({ interview_id: id, ...origin });
    expect(error === null || error.code.startsWith('23')).toBe(true);
    expect((await getLine(id))?.area).toBe('generic');
  });

  test('Keeps the area after the account changes or goes', async () => {
    const member = await createUser(server, { role: 'firma_b' });
    const id = await contribute(server, { userId: member.id, userEmail: member.email });
    await owner.query(`update user_roles set role = 'testnormec' where user_id = $1`, [member.id]);
    await owner.query(`update interviews set transcript = 'später' where id = $1`, [id]);
    await server.service().auth.admin.deleteUser(member.id);
    expect(await getLine(id)).toMatchObject({ area: 'firma-b', contributor: member.email });
  });
});

describe('Desk: listing rows', () => {
  test('Follows a contribution step by step', async () => {
    const key = newKey();
    const { database } = server.backend;
    const id = await createInterview(database, anon(key));
    expect(await getLine(id)).toMatchObject({ finished: false, files: 0, contributor: '', excerpt: '' });
    await getRows(database, anon(key), `update interviews set transcript = 'Vom Stahl.' where id = $1`, [id]);
    await getRows(
      database,
      anon(key),
      `insert into media_uploads (interview_id, file_path, file_type) values ($1::bigint, $1 || '/a.png', 'image/png')`,
      [id],
    );
    expect(await getLine(id)).toMatchObject({ files: 1, excerpt: 'Vom Stahl.', version: 1 });
    await getRows(database, anon(key), SAVE_CONTACT, [id]);
    expect(await getLine(id)).toMatchObject({ finished: true, contributor: 'Ada Lovelace' });
  });

  test('Counts twenty uploads at once', async () => {
    const id = await contribute(server);
    const pool = new pg.Pool({ connectionString: server.databaseUrl, max: 20 });
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        pool.query(
          `insert into media_uploads (interview_id, file_path, file_type)
            values ($1::bigint, $1 || '/' || $2, 'image/png')`,
          [id, `${n}.png`],
        ),
      ),
    );
    await pool.end();
    expect((await getLine(id))?.files).toBe(20);
  });

  test("Never fails a contributor's write, and repairs the row at the next read", async () => {
    await owner.query('alter table private.desk_items add constraint broken check (files < 0) not valid');
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    await getRows(server.backend.database, anon(key), `update interviews set transcript = 'Vom Stahl.' where id = $1`, [
      id,
    ]);
    expect(await idsIn(ada.client)).not.toContain(id);
    await ada.client.rpc('desk_pulse');
    expect(await idsIn(ada.client)).not.toContain(id);
    await owner.query('alter table private.desk_items drop constraint broken');
    await ada.client.rpc('desk_pulse');
    expect(await getLine(id)).toMatchObject({ excerpt: 'Vom Stahl.' });
    expect(await idsIn(ada.client, { search: 'Stahl' })).toContain(id);
    expect((await owner.query('select * from private.desk_stale')).rows).toEqual([]);
  });

  test('Derives the row from every part of a contribution', async () => {
    await owner.query('delete from interviews');
    for (const sql of MADE_OF) await owner.query(sql);
    const { rows } = await owner.query<{ made: number }>('select count(*)::integer as made from private.desk_items');
    expect(rows[0]?.made).toBe(4 * 2 * 3 * 10 * 2);
    expect(await wrongLines(owner)).toEqual([]);
  });

  test('Keeps every row equal to its contribution', async () => {
    const someone = await createUser(server, { role: 'testnormec' });
    await owner.query('delete from interviews');
    const step = fc.record({
      what: fc.constantFrom(...STEPS),
      which: fc.nat({ max: 5 }),
      text: fc.constantFrom('Stahl', 'Beton und Holz', '', ' ', TALK, 'Lüftung'),
      type: fc.constantFrom('image/png', 'video/mp4', 'audio/webm', 'application/pdf', 'text/plain'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        for (const { what, which, text, type } of steps) {
          const ids = (await owner.query('select id from interviews order by id desc limit 6')).rows;
          const values = {
            $id: ids[which % Math.max(1, ids.length)]?.id ?? 0,
            $text: text,
            $type: type,
            $user: someone.id,
          };
          await owner.query(...statement(SQL[what], values));
        }
        expect(await wrongLines(owner)).toEqual([]);
        expect((await owner.query(WRONG_WORDS)).rows).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});

/** Every text with and without answers, each beginning, these files, with and without a conversation. */
const MADE_OF = [
  `create temporary table made_of as
   select row_number() over () as n, transcript, answers, origin, files, turn
   from unnest(array[null, ' ', 'Stahl', 'Interviewer: Worum?']) as transcript, unnest(array[null,
     '{}']::jsonb[]) as answers,
     unnest(array['none', 'unnamed', 'named']) as origin, unnest(array[false, true]) as turn,
     unnest(array['', 'png', 'mp4', 'webm', 'pdf', 'txt', 'png,mp4', 'png,webm', 'mp4,txt', 'png,pdf']) as files`,
  `insert into interviews (transcript, w_questions_answers, user_email) select transcript, answers, n || '@x'
    from made_of`,
  `insert into contribution_origins (interview_id, area, kind)
   select i.id, 'firma-b', case m.origin when 'named' then 'image' end
   from made_of as m join interviews as i on i.user_email = m.n || '@x' where m.origin <> 'none'`,
  `insert into interview_turns (interview_id, position, speaker, content)
   select i.id, 0, 'user', 'Ja' from made_of as m join interviews as i on i.user_email = m.n || '@x' where m.turn`,
  `insert into media_uploads (interview_id, file_path, file_type)
   select i.id, i.id || '/transcript_' || m.n || '.' || f.extension,
     case f.extension when 'png' then 'image/png' when 'mp4' then 'video/mp4' when 'webm' then 'audio/webm' when 'pdf'
       then 'application/pdf' else 'text/plain' end
   from made_of as m join interviews as i on i.user_email = m.n || '@x' cross
     join string_to_table(m.files, ',') as f (extension)
   where f.extension <> ''`,
] as const;

const SQL = {
  begin: "insert into interviews (transcript, user_id, user_email) values (nullif($text, ''), $user, 'x@haus.test')",
  several: 'insert into interviews (transcript) select $text from generate_series(1, 3)',
  wordless: "insert into interviews (contact_email) values ('a@b')",
  say: 'update interviews set transcript = $text where id = $id',
  answer: `update interviews set w_questions_answers = jsonb_build_object('who', $text::text) where id = $id`,
  contact: `update interviews set contact_first_name = $text, contact_last_name = 'L', contact_email = 'a@b'
    where id = $id`,
  upload: `insert into media_uploads (interview_id, file_path, file_type)
    select id, id || '/' || gen_random_uuid(), $type from interviews where id = $id`,
  edit: `insert into media_uploads (interview_id, file_path, file_type)
    select id, id || '/transcript_' || floor(random() * 1000000) || '.txt', 'text/plain' from interviews
    where id = $id`,
  retype: 'update media_uploads set file_type = $type where interview_id = $id',
  unload: 'delete from media_uploads where id in (select id from media_uploads where interview_id = $id limit 1)',
  uploads: `insert into media_uploads (interview_id, file_path, file_type)
    select id, id || '/' || gen_random_uuid(), $type from interviews`,
  unloads: 'delete from media_uploads',
  turn: `insert into interview_turns (interview_id, position, speaker, content)
    select id, floor(random() * 1000000), 'user', $text from interviews where id = $id`,
  unturn: 'delete from interview_turns where interview_id = $id',
  origin: `insert into contribution_origins (interview_id, area) select id, 'firma-a' from interviews where id = $id
    on conflict do nothing`,
  topic: `insert into contribution_origins (interview_id, area, topic) select id, 'generic', 'tech-dive' from interviews
    where id = $id on conflict do nothing`,
  kind: `insert into contribution_origins (interview_id, area, kind) select id, 'firma-b', 'video' from interviews
    where id = $id on conflict do nothing`,
  remove: 'delete from interviews where id = $id',
} as const;
const STEPS = [
  'begin',
  'several',
  'wordless',
  'say',
  'answer',
  'contact',
  'upload',
  'edit',
  'retype',
  'unload',
  'uploads',
  'unloads',
  'turn',
  'unturn',
  'origin',
  'topic',
  'kind',
  'remove',
] as const;

/** Names for the values, so that a statement takes only those it needs. */
function statement(sql: string, values: Readonly<Record<string, unknown>>): [string, unknown[]] {
  const params: unknown[] = [];
  const text = sql.replaceAll(/\$(?:id|text|type|user)/g, (name) => `$${params.push(values[name])}`);
  return [text, params];
}

/** Words that are missing, too many or wrong, and rows of the search that differ from their lines. */
const WRONG_WORDS = `
  select coalesce(i.id, s.interview_id) as id, s.words
  from interviews as i
  full join private.desk_search as s on s.interview_id = i.id
  left join private.desk_items as d on d.interview_id = i.id
  where i.id is null or s.interview_id is null
    or (s.area, s.kind, s.finished, s.created_at) is distinct from (d.area, d.kind, d.finished, d.created_at)
    or not (tsvector_to_array(s.words) @> tsvector_to_array(to_tsvector('german', coalesce(i.transcript, ''))))
    or (i.transcript is not null and i.transcript !~ 'Stahl' and i.w_questions_answers is null
      and i.contact_first_name is distinct from 'Stahl' and s.words @@ 'stahl')`;
