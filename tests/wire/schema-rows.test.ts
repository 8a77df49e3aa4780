import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallerContext } from '#backend/database/index.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import {
  anon,
  asOwner,
  attempt,
  createAccount,
  login,
  newKey,
  service,
  type Account,
  type Outcome,
} from '#tests/support/callers.ts';
import { createContribution, createInterview } from '#tests/support/factories.ts';

let server: TestServer;
let member: Account;
let other: Account;
const KEY = newKey();

beforeAll(async () => {
  server = await bootServer();
  member = await createAccount(server.databaseUrl, 'testnormec');
  other = await createAccount(server.databaseUrl, 'firma_b');
});
afterAll(() => server.stop());

const run = (caller: CallerContext, sql: string, params: readonly unknown[] = []): Promise<Outcome> =>
  attempt(server.backend.database, caller, sql, params);
const owner = (sql: string, params: unknown[] = []) =>
  asOwner(server.databaseUrl, (client) => client.query(sql, params));

const FORGED = `insert into interviews (user_id, user_email, created_at, completed_at)
  values ($1, 'chef@beispiel.test', '2001-01-01', '2001-01-02')
  returning user_id, user_email, created_at = now() as fresh, completed_at = now() as completed`;

describe('security.md threat 5: owner and times are the database’s to say', () => {
  test('a login gets its own id and e-mail, whatever it sends', async () => {
    expect(await run(login(member), FORGED, [other.id])).toMatchObject({
      rows: [{ user_id: member.id, user_email: member.email, fresh: true, completed: true }],
    });
  });

  test('a key gets none', async () => {
    expect(await run(anon(KEY), FORGED, [other.id])).toMatchObject({
      rows: [{ user_id: null, user_email: null, fresh: true, completed: true }],
    });
  });

  test('the service says them itself', async () => {
    const sql = `insert into interviews (user_id, created_at) values ($1, '2001-01-01Z') returning user_id, created_at`;
    expect(await run(service(), sql, [other.id])).toMatchObject({
      rows: [{ user_id: other.id, created_at: new Date('2001-01-01Z') }],
    });
  });

  test('completed_at is the time of the update', async () => {
    const id = await createInterview(server.backend.database, login(member));
    const sql = `update interviews set completed_at = '2001-01-01', transcript = 'x' where id = $1
      returning completed_at = now() as now`;
    expect(await run(login(member), sql, [id])).toMatchObject({ rows: [{ now: true }] });
  });

  test.each(['id = 1', 'user_id = null', `user_email = 'x@y'`, 'created_at = now()'])(
    'nobody updates %s',
    async (assignment) => {
      const id = await createInterview(server.backend.database, login(member, KEY));
      for (const caller of [login(member), anon(KEY)])
        expect(await run(caller, `update interviews set ${assignment} where id = $1`, [id])).toMatchObject({
          code: '42501',
        });
    },
  );

  test.each(['media_uploads', 'interview_turns', 'feedback'])('%s takes neither id nor created_at', async (table) => {
    for (const column of ['id', 'created_at']) {
      const sql = `insert into ${table} (${column}) values (default)`;
      for (const caller of [login(member), anon(KEY)]) expect(await run(caller, sql)).toMatchObject({ code: '42501' });
    }
  });

  test('a role is read fresh: taken away, it opens nothing in the very next transaction', async () => {
    const account = await createAccount(server.databaseUrl, 'admin');
    await createInterview(server.backend.database, login(account));
    await owner('delete from user_roles where user_id = $1', [account.id]);
    expect(await run(login(account), 'select id from interviews')).toMatchObject({ count: 0 });
    expect(await run(login(account), 'insert into interviews default values')).toMatchObject({ code: '42501' });
    expect(await run(login(account), 'select * from admin_statistics()')).toMatchObject({ code: '42501' });
  });

  test('a role in the claims or in the metadata of a token counts for nothing', async () => {
    const forged = login(await createAccount(server.databaseUrl));
    const claims = {
      ...forged.claims,
      user_role: 'admin',
      app_metadata: { role: 'admin' },
      user_metadata: { role: 'admin' },
    };
    expect(await run({ ...forged, claims }, 'select * from admin_statistics()')).toMatchObject({ code: '42501' });
  });

  test('removing an account keeps the interview without its owner and takes the role', async () => {
    const account = await createAccount(server.databaseUrl, 'firma_a');
    const id = await createInterview(server.backend.database, login(account));
    await owner('delete from auth.users where id = $1', [account.id]);
    expect((await owner('select user_id from interviews where id = $1', [id])).rows).toEqual([{ user_id: null }]);
    expect((await owner('select * from user_roles where user_id = $1', [account.id])).rows).toEqual([]);
  });

  test('threat 20: with an interview go its uploads, turns and feedback', async () => {
    const id = await createContribution(server.backend.database, login(member));
    expect(await run(service(), 'delete from interviews where id = $1', [id])).toMatchObject({ count: 1 });
    for (const table of ['media_uploads', 'interview_turns', 'feedback'])
      expect((await owner(`select * from ${table} where interview_id = $1`, [id])).rows).toEqual([]);
  });

  test('TRUNCATE, which row-level security does not see, is nobody’s', async () => {
    for (const table of ['interviews', 'media_uploads', 'user_roles', 'interview_turns', 'feedback'])
      for (const caller of [login(member), anon(KEY)])
        expect(await run(caller, `truncate ${table} cascade`)).toMatchObject({ code: '42501' });
  });
});

describe('§3 what a row may hold', () => {
  const update = async (assignment: string, value: unknown): Promise<Outcome> => {
    const id = await createInterview(server.backend.database, login(member));
    return run(login(member), `update interviews set ${assignment} = $2 where id = $1`, [id, value]);
  };

  test.each([
    ['contact_first_name', 'ü'.repeat(200), 'ü'.repeat(201)],
    ['contact_last_name', 'ü'.repeat(200), 'ü'.repeat(201)],
    ['contact_email', `${'a'.repeat(307)}@beispiel.de`, `${'a'.repeat(310)}@beispiel.de`],
    ['contact_email', 'ada@beispiel.test', 'ada'],
    ['contact_email', 'ada@beispiel.test', 'ada lovelace@beispiel.test'],
    ['contact_email', 'ada@beispiel.test', ''],
  ])('%s has a limit', async (column, right, wrong) => {
    expect(await update(column, right)).toMatchObject({ count: 1 });
    expect(await update(column, wrong)).toMatchObject({ code: '23514' });
  });

  test.each([
    { who: 'Ada', what: 'eine Maschine', when: '1843', where: 'London', why: 'Neugier' },
    { who: '' },
    {},
    null,
  ])('w_questions_answers takes %j', async (answers) => {
    expect(await update('w_questions_answers', answers)).toMatchObject({ count: 1 });
  });

  test.each([{ who: 1 }, { who: null }, { who: ['Ada'] }, { who: { name: 'Ada' } }, { wer: 'Ada' }])(
    'w_questions_answers refuses %j',
    async (answers) => {
      expect(await update('w_questions_answers', answers)).toMatchObject({ code: '23514' });
    },
  );

  test.each([
    ['transcript', `'"' || repeat('x', 2000001) || '"'`],
    ['w_questions_answers', `json_build_object('who', repeat('x', 100001))`],
  ])('The ceiling of %s holds for the owner too', async (column, value) => {
    await expect(
      owner(`update interviews set ${column} = (${value})::text::${column === 'transcript' ? 'text' : 'jsonb'}`, []),
    ).rejects.toThrow(`interviews_${column}`);
  });

  test.each(['[]', '["who"]', '"who"', '1', 'true'])('w_questions_answers refuses %s', async (json) => {
    expect(await update('w_questions_answers', json)).toMatchObject({ code: '23514' });
  });

  test('a role outside §6 is refused, and a user has one', async () => {
    await expect(owner(`insert into user_roles values ($1, 'chef')`, [randomUUID()])).rejects.toThrow(
      'user_roles_role_known',
    );
    await expect(owner(`insert into user_roles values ($1, 'admin')`, [member.id])).rejects.toThrow('user_roles_pkey');
  });

  test('a turn keeps its place: the same one twice is refused, another conversation is not', async () => {
    const id = await createInterview(server.backend.database, login(member));
    const sql = `insert into interview_turns (interview_id, conversation_id, position, speaker, content)
      values ($1, $2, 0, 'user', 'Ja')`;
    expect(await run(login(member), sql, [id, 'eins'])).toMatchObject({ count: 1 });
    expect(await run(login(member), sql, [id, 'eins'])).toMatchObject({ code: '23505' });
    expect(await run(login(member), sql, [id, 'zwei'])).toMatchObject({ count: 1 });
  });
});

describe('§3 names of stored files', () => {
  const object = `insert into storage.objects (bucket_id, name) values ($2, $1)`;
  const row = `insert into media_uploads (interview_id, file_path, file_type) values ($2::bigint, $1, 'image/png')`;

  test.each(['1732100000000_3f9a.png', 'transcript_1732100000000.txt', 'a', '_x', `${'a'.repeat(196)}.mp4`])(
    '{id}/%s is taken, and its row once',
    async (name) => {
      const id = await createInterview(server.backend.database, anon(KEY));
      expect(await run(anon(KEY), object, [`${id}/${name}`, 'Media'])).toMatchObject({ count: 1 });
      expect(await run(anon(KEY), row, [`${id}/${name}`, id])).toMatchObject({ count: 1 });
      expect(await run(anon(KEY), row, [`${id}/${name}`, id])).toMatchObject({ code: '23505' });
    },
  );

  test.each([
    '{id}',
    '{id}/',
    '/{id}/a.png',
    '{id}/../2/a.png',
    '{id}/.a',
    '{id}/..',
    '{id}//a.png',
    '{id}/b/a.png',
    '0{id}/a.png',
    ' {id}/a.png',
    '{id}/a b.png',
    '{id}/ä.png',
    '{id}/a%2e.png',
    '{id}\\a.png',
    '{id}/a\n.png',
    '{id}x/a.png',
    'a.png',
    '',
    '{id}.0/a.png',
    '+{id}/a.png',
    '99999999999999999999/a.png',
    `{id}/${'a'.repeat(201)}`,
  ])('%j is refused', async (pattern) => {
    const id = await createInterview(server.backend.database, login(member));
    const name = pattern.replace('{id}', String(id));
    expect(await run(login(member), object, [name, 'Media'])).toMatchObject({ code: '42501' });
    expect(await run(login(member), row, [name, id])).toMatchObject({ code: '42501' });
  });

  test('Upsert overwrites the own file and nobody else’s, nor tells whether there is one (§7)', async () => {
    const upsert = `${object} on conflict (bucket_id, name) do update set version = 'neu'`;
    const id = await createInterview(server.backend.database, anon(KEY));
    await run(anon(KEY), object, [`${id}/a.png`, 'Media']);
    expect(await run(anon(KEY), upsert, [`${id}/a.png`, 'Media'])).toMatchObject({ count: 1 });
    const [there, free] = [`${id}/a.png`, `${id}/b.png`].map((name) => run(login(other), upsert, [name, 'Media']));
    expect(await there).toMatchObject({ code: '42501' });
    expect(await free).toEqual(await there);
  });

  test('no other bucket', async () => {
    const id = await createInterview(server.backend.database, login(member));
    await owner(`insert into storage.buckets (id, name) values ('media', 'media')`);
    expect(await run(login(member), object, [`${id}/a.png`, 'media'])).toMatchObject({ code: '42501' });
  });

  test('a file does not move into a foreign folder, nor its row point there', async () => {
    const mine = await createInterview(server.backend.database, login(member));
    const foreign = await createInterview(server.backend.database, login(other));
    await run(login(member), object, [`${mine}/a.png`, 'Media']);
    const move = 'update storage.objects set name = $2 where name = $1';
    expect(await run(login(member), move, [`${mine}/a.png`, `${foreign}/a.png`])).toMatchObject({ code: '42501' });
    expect(await run(login(member), move, [`${mine}/a.png`, `${mine}/b.png`])).toMatchObject({ count: 1 });
    expect(await run(login(member), row, [`${foreign}/a.png`, mine])).toMatchObject({ code: '42501' });
  });

  test('The bucket Media is private (D11)', async () => {
    const result = await owner(`select public from storage.buckets where id = 'Media'`);
    expect(result.rows).toEqual([{ public: false }]);
  });
});
