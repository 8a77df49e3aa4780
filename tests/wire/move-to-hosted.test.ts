import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REVIEW_KEY_HEADER } from '#contract/review.ts';
import { PostSchema } from '#contract/posts.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { makeContent } from '#tests/support/factories.ts';
import { getContents, sql, type Contents } from '#tests/support/backups.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { startServerProcess } from '#tests/support/processes.ts';
import { CLUSTER_VARIABLE, createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { change, contribute } from '#tests/support/desk.ts';
import { must } from '#tests/support/desk-calls.ts';
import { reviewPost, sendForReview } from '#tests/support/posts.ts';
import { bootHostedProject, moveToHosted, type Environment, type HostedProject } from '#tests/support/moves.ts';
import { makeUsedFolder } from '#tests/support/used-folder.ts';

const MEBIBYTE = 1024 * 1024;

type File = Readonly<{ name: string; content: Buffer; type: string }>;

/** An installation with something of everything, and the project it moves to. */
let database: TestDatabase;
let dataDir: string;
let source: TestServer;
let project: HostedProject;
let env: Environment;
let admin: TestUser;
let member: TestUser;
let files: File[];
let ids: number[];
let reviewKey: string;
let totp: string;
let stopped = false;

beforeAll(async () => {
  database = await createDatabase();
  dataDir = await mkdtemp(path.join(tmpdir(), 'smca-move-'));
  // Nobody answers there: the desk's mails wait.
  const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir, SMTP_URL: 'smtp://127.0.0.1:9' };
  [source, project] = await Promise.all([bootServer(settings), bootHostedProject()]);
  env = { DATABASE_URL: database.url, DATA_DIR: dataDir, ...project.env };
  await people();
  await contributions();
});

afterAll(async () => {
  if (!stopped) await source.stop();
  await project.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function people(): Promise<void> {
  admin = await createUser(source, { role: 'admin', email: 'admin@umzug.test' });
  member = await createUser(source, { role: 'firma_a', email: 'mira@umzug.test' });
  const service = source.service().auth.admin;
  const metadata = { user_metadata: { name: 'Jörg „Ö“ 🙂' }, app_metadata: { kunde: [1, 2] } };
  const made = await Promise.all([
    service.createUser({
      email: 'gesperrt@umzug.test',
      password: 'ein langes Wort',
      email_confirm: true,
      ban_duration: '9000h',
    }),
    service.createUser({ email: 'wartet@umzug.test', password: 'ein langes Wort' }),
    service.createUser({ phone: '4915112345678', phone_confirm: true, password: 'ein langes Wort', ...metadata }),
  ]);
  expect(made.map(({ error }) => error)).toEqual([null, null, null]);
  // The hosted project lists an account that was deleted softly, too.
  const gone = await service.createUser({ email: 'fort@umzug.test', password: 'ein langes Wort' });
  expect((await service.deleteUser(gone.data.user?.id ?? '', true)).error).toBeNull();
  const enrolled = await member.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' });
  if (enrolled.error !== null) throw enrolled.error;
  totp = enrolled.data.totp.secret;
  const { error } = await member.client.auth.mfa.challengeAndVerify({ factorId: enrolled.data.id, code: codeNow(0) });
  expect(error).toBeNull();
  // What upstream keeps as empty text is null here.
  await sql(
    database.url,
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, phone)
    values (gen_random_uuid(), $1, 'phone', 'verified', now(), now(), '4915112345678')`,
    [made[2].data.user?.id],
  );
}

/** What the authenticator app shows, or shows next. */
function codeNow(steps: 0 | 1): string {
  return new TOTP({ secret: Secret.fromBase32(totp) }).generate({ timestamp: Date.now() + steps * 30_000 });
}

async function contributions(): Promise<void> {
  const contact = { firstName: 'Ada', lastName: 'Löve', email: 'ada@umzug.test' };
  const own = { userId: member.id, userEmail: member.email };
  ids = [
    await contribute(source, {
      ...own,
      ...contact,
      transcript: 'Interviewer: Grüße\taus\nKöln \\ 🙂',
      turns: ['Hallo', 'Ja\\.'],
      origin: { area: 'firma-a', kind: 'interview', topic: 'behind-scenes' },
    }),
    await contribute(source, {
      ...contact,
      transcript: 'Gesprochen',
      origin: { area: 'generic', kind: 'voice_message' },
    }),
    await contribute(source, {
      answers: { who: 'wir', what: 'das', when: '', where: 'da', why: '"' },
      origin: { area: 'generic', kind: 'image' },
    }),
    await contribute(source, {
      createdAt: '2020-02-29T12:00:00.123456Z',
      origin: { area: 'generic', kind: 'document' },
    }),
    await contribute(source, { origin: { area: 'testnormec', kind: 'video' } }),
    await contribute(source, contact),
  ];
  const [first = 0, second = 0] = ids;
  files = [
    { name: `${first}/1700000000000_a.webm`, content: makeContent(13 * MEBIBYTE), type: 'video/webm' },
    { name: `${first}/leer.txt`, content: Buffer.alloc(0), type: 'text/plain' },
    {
      name: `${second}/frage? + & 'eins' (2)=;,@$!.txt`,
      content: Buffer.from('Grüße'),
      type: 'text/plain; charset=utf-8',
    },
    {
      name: `${second}/..mehr../ein ordner/bild.png`,
      content: makeContent(6 * MEBIBYTE),
      type: 'application/octet-stream',
    },
    { name: 'ohne-beitrag.bin', content: makeContent(1_000), type: 'application/pdf' },
  ];
  // One of them came before there was a list of types.
  const [bucket] = await sql(
    database.url,
    `select allowed_mime_types as types from storage.buckets where id = 'Media'`,
  );
  await sql(database.url, `update storage.buckets set allowed_mime_types = null where id = 'Media'`);
  for (const { name, content, type } of files) await store(source, name, content, type);
  await sql(database.url, `update storage.buckets set allowed_mime_types = $1 where id = 'Media'`, [bucket?.['types']]);
  const media = {
    interview_id: first,
    file_path: `${first}/1700000000000_a.webm`,
    file_type: 'video/webm',
    image_rights: 'agreed',
    original_name: 'Halle Süd.webm',
  };
  expect((await member.client.from('media_uploads').insert(media)).error).toBeNull();
  const liked = { interview_id: first, event_id: 3, score: 'like' };
  expect((await member.client.from('feedback').insert(liked)).error).toBeNull();
  const keyed = source.client({ headers: { 'x-interview-key': 'k'.repeat(43) } });
  expect((await keyed.from('interviews').insert({ transcript: 'mit Schlüssel' })).error).toBeNull();
  await change(admin.client, { id: first, version: 1, change: { note: 'Notiz\nmit Umbruch' } });
  const { version } = await change(admin.client, { id: first, version: 1, change: { assignee: admin.id } });
  await change(admin.client, { id: first, version, change: { state: 'in_progress' } });
  await reviewPost(source, admin.client, first, 'Umzug');
  reviewKey = await withdrawnPost(first);
  await sql(database.url, `select private.configure('open_contributions', 'false')`);
}

/** A post of a model with a picture, published and withdrawn, under a second link; the key of that. */
async function withdrawnPost(contribution: number): Promise<string> {
  const [picture] = await sql(database.url, 'select id from media_uploads where interview_id = $1', [contribution]);
  const { id } = PostSchema.parse(
    await must(
      admin.client.rpc('desk_post_add', {
        contribution,
        channel: 'website',
        body: 'Was veröffentlicht wurde.',
        pictures: [{ upload: Number(picture?.['id']), alt: 'Der Dom „bei Nacht“', used: true }],
        origin: 'model',
        model: 'llama',
      }),
    ),
  );
  const { key, reader } = await sendForReview(source, admin.client, contribution, [{ id, version: 1 }]);
  await must(reader.rpc('review_open'));
  await must(reader.rpc('review_answer', { post: id, version: 1, answer: 'approve' }));
  const url = 'https://beispiel.test/beitrag?a=1';
  await must(admin.client.rpc('desk_post_move', { id, version: 1, state: 'published', url }));
  await must(reader.rpc('review_withdraw', { post: id, comment: 'Bitte\nherunternehmen' }));
  return key;
}

async function store(server: TestServer, name: string, content: Buffer, contentType: string): Promise<void> {
  const encoded = name.split('/').map(encodeURIComponent).join('/');
  const options = { contentType, upsert: true, cacheControl: '77' };
  const { error } = await server.service().storage.from('Media').upload(encoded, content, options);
  if (error !== null) throw error;
}

/** Everything over there, its files among it, as the dumps of two moments are compared. */
async function everythingThere(): Promise<Contents> {
  const contents = await getContents(project.server.databaseUrl);
  return { ...contents, outbox: await readdir(path.join(project.server.dataDir, 'outbox')).catch(() => []) };
}

const OWN = /^(?:public|private)\./;
const STAYS = /^private\.(?:desk_mails|desk_removals|desk_tickets|network_\w+|voice_\w+|settings)$/;

/** All rows of ours and where sequences stand, without those that are said not to move. */
function ours(contents: Contents): Contents {
  return Object.fromEntries(Object.entries(contents).filter(([name]) => OWN.test(name) && !STAYS.test(name)));
}

const ACCOUNTS = `select id, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at, banned_until,
  raw_app_meta_data, raw_user_meta_data, created_at, invited_at, is_sso_user, is_anonymous from auth.users order by id`;
const IDENTITIES =
  'select id, provider, provider_id, user_id, identity_data, created_at from auth.identities order by id';

async function expectSame(): Promise<void> {
  const [here, there] = [database.url, project.server.databaseUrl];
  expect(ours(await getContents(there))).toEqual(ours(await getContents(here)));
  for (const query of [ACCOUNTS, IDENTITIES]) expect(await sql(there, query)).toEqual(await sql(here, query));
  const stored = await sql(
    there,
    `select name, metadata ->> 'mimetype' as type from storage.objects order by name collate "C"`,
  );
  const named = files.map(({ name, type }) => ({ name, type }));
  expect(stored).toEqual(named.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  for (const { name, content } of files) expect((await download(name)).equals(content), name).toBe(true);
}

async function download(name: string): Promise<Buffer> {
  const encoded = name.split('/').map(encodeURIComponent).join('/');
  const { data, error } = await project.server.service().storage.from('Media').download(encoded);
  if (error !== null) throw error;
  return Buffer.from(await data.arrayBuffer());
}

describe('decision 0080: from the embedded server to a hosted project', () => {
  test('a dry run says what would be done and changes nothing', async () => {
    const before = await everythingThere();
    const { code, out, err } = await moveToHosted(env, '--dry-run');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Probelauf: Es wird nichts geändert.');
    expect(out).toContain('public.interviews: 7 neu');
    expect(out).toContain('Dateien: 5 zu übertragen (19 MB, die größte 13 MB)');
    expect(await everythingThere()).toEqual(before);
    expect(await moveToHosted(env, '--compare')).toMatchObject({
      code: 1,
      err: expect.stringContaining('noch nichts'),
    });
  });

  test('somebody over there with an address of ours: refused before anything is written', async () => {
    const made = await project.server
      .service()
      .auth.admin.createUser({ email: member.email, password: 'ein langes Wort' });
    const before = await everythingThere();
    const { code, out, err } = await moveToHosted(env);
    expect(code).toBe(1);
    expect(err).toContain(`1 Zeile in auth.users stammt nicht von hier: ${member.email}`);
    expect(err).toContain('Am Ziel hat sich nichts geändert.');
    expect(out).not.toContain('übertragen.\n');
    expect(await everythingThere()).toEqual(before);
    await project.server.service().auth.admin.deleteUser(made.data.user?.id ?? '');
  });

  test('everything is there, the old password opens it, and nobody got a mail', async () => {
    const { code, out, err } = await moveToHosted(env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`Migrationen: ${(await readdir('supabase/migrations')).length} kommen hinzu`);
    expect(out).toContain('Beide Seiten sind gleich.');
    expect(out).toContain(`SUPABASE_URL=${project.server.url}\n`);
    for (const secret of [env['SUPABASE_SERVICE_KEY'], env['SUPABASE_DB_URL'], totp]) expect(out).not.toContain(secret);
    await expectSame();
    expect(await readdir(path.join(project.server.dataDir, 'outbox')).catch(() => [])).toEqual([]);

    const kept = `select secret from auth.mfa_factors where factor_type = 'totp'`;
    expect(await sql(project.server.databaseUrl, kept)).toEqual([{ secret: totp }]);
    const there = project.server.client();
    const entered = await there.auth.signInWithPassword(member);
    expect(entered.error).toBeNull();
    const factorId = entered.data.user?.factors?.[0]?.id ?? '';
    expect((await there.auth.mfa.challengeAndVerify({ factorId, code: codeNow(1) })).error).toBeNull();
    const sealed = expect.stringMatching(/^\{"key_id"/) as string;
    expect(await sql(project.server.databaseUrl, kept)).toEqual([{ secret: sealed }]);
    const answers = await Promise.all(
      ['gesperrt@umzug.test', 'wartet@umzug.test'].map((email) => signIn({ email, password: 'ein langes Wort' })),
    );
    expect(answers).toEqual(['user_banned', 'email_not_confirmed']);
    expect(await signIn({ email: member.email, password: 'falsch' })).toBe('invalid_credentials');
  });

  test.each(['public.posts', 'public.post_versions', 'public.review_answers', 'private.review_links'])(
    'Every column of %s has the value that it had here, and none is empty throughout (posts)',
    async (table) => {
      const rows = `select to_jsonb(t) as row from ${table} as t order by to_jsonb(t)::text`;
      const here = await sql(database.url, rows);
      expect(await sql(project.server.databaseUrl, rows)).toEqual(here);
      const empty = Object.keys(here[0]?.['row'] ?? {}).filter((column) =>
        here.every(({ row }) => (row as Readonly<Record<string, unknown>>)[column] === null),
      );
      expect(here.length).toBeGreaterThan(1);
      expect(empty).toEqual([]);
    },
  );

  test('A review link that was sent before opens the same review over there (posts)', async () => {
    const open = (server: TestServer) =>
      must(server.client({ headers: { [REVIEW_KEY_HEADER]: reviewKey } }).rpc('review_open'));
    const there = await open(project.server);
    expect(there).toEqual(await open(source));
    expect(there).toMatchObject({
      posts: [
        { body: 'Das sagt Umzug.', answer: { answer: 'change' } },
        { body: 'Was veröffentlicht wurde.', pictures: [{ alt: 'Der Dom „bei Nacht“' }], state: 'published' },
      ],
    });
  });

  test('what upstream’s command line asks for: every migration is recorded, triggers are awake, tokens are no null', async () => {
    const there = project.server.databaseUrl;
    const recorded = 'select version, name from supabase_migrations.schema_migrations order by 1';
    expect(await sql(there, recorded)).toEqual(await sql(database.url, recorded));
    expect(await sql(there, `select tgname from pg_trigger where not tgisinternal and tgenabled <> 'O'`)).toEqual([]);
    const nulls = `select from auth.users where num_nulls(confirmation_token, recovery_token, email_change_token_new,
      email_change, email_change_token_current, phone_change, phone_change_token, reauthentication_token, instance_id,
        is_super_admin, aud, role) > 0
      union all select from auth.mfa_factors where num_nulls(friendly_name, secret) > 0`;
    expect(await sql(there, nulls)).toEqual([]);
    expect(await sql(there, `select value from private.settings where name = 'open_contributions'`)).toEqual([
      { value: false },
    ]);
    expect(await sql(there, `select name from private.settings where name = 'desk_mail'`)).toEqual([]);
  });

  test('once more: nothing to do, nothing changed, not even by somebody’s login over there', async () => {
    const before = await everythingThere();
    const { code, out } = await moveToHosted(env);
    expect(code).toBe(0);
    expect(out).toContain('Zeilen: alle schon da\nDateien: 0 zu übertragen, 0 zu löschen, 5 schon da');
    expect(await everythingThere()).toEqual(before);
  });

  test('what has happened here since follows: new, changed, erased', async () => {
    const [first = 0, second = 0, third = 0] = ids;
    await sql(database.url, `update interviews set transcript = 'anders' where id = ${first}`);
    await sql(database.url, `delete from interviews where id = ${third}`);
    ids.push(await contribute(source, { transcript: 'neu', turns: ['eins'] }));
    const changed = { ...files[1], content: Buffer.from('nicht mehr leer') } as File;
    await store(source, changed.name, changed.content, changed.type);
    const { error } = await source.service().storage.from('Media').remove(['ohne-beitrag.bin']);
    expect(error).toBeNull();
    files = files.map((file) => (file.name === changed.name ? changed : file)).filter(({ name }) => name.includes('/'));
    await admin.client.auth.updateUser({ password: 'ein ganz neues Wort', current_password: admin.password });
    expect(second).toBeGreaterThan(0);

    const { code, out, err } = await moveToHosted(env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('public.interviews: 1 neu, 1 geändert, 1 gelöscht');
    expect(out).toContain('Dateien: 1 zu übertragen (15 Byte, die größte 15 Byte), 1 zu löschen, 3 schon da');
    await expectSame();
    expect(await signIn({ email: admin.email, password: 'ein ganz neues Wort' })).toBeUndefined();
  });

  test('--compare reads every byte: one that has turned over is found', async () => {
    const [{ version } = {}] = await sql(
      project.server.databaseUrl,
      `select version from storage.objects where name = $1`,
      [files[0]?.name],
    );
    const objects = path.join(project.server.dataDir, 'files/objects');
    const file = path.join(
      objects,
      (await readdir(objects, { recursive: true })).find((name) => name.endsWith(String(version))) ?? '',
    );
    expect(await moveToHosted(env, '--compare')).toMatchObject({ code: 0, err: '' });
    const content = await readFile(file);
    await writeFile(file, content.with(7, (content[7] ?? 0) ^ 1));
    const { code, out, err } = await moveToHosted(env, '--compare');
    expect({ code, err }).toEqual({ code: 1, err: 'Die beiden Seiten sind nicht gleich.\n' });
    expect(out).toContain(`verschieden: Media/${files[0]?.name}`);
    await writeFile(file, content);
  });

  test('mails that wait are sent by one server only: they move when this one has stopped', async () => {
    const mails = 'select * from private.desk_mails order by id';
    // The review's first mail: the one who asked for it gets the answers.
    const review = `insert into private.desk_mails (key, interview_id, mail, asked_by, due_at)
      values ('review:umzug', $1, 'review', $2, now() + interval '1 hour')`;
    await sql(database.url, review, [ids[1], admin.id]);
    const waiting = await sql(database.url, mails);
    expect(waiting.map(({ state }) => state)).toContain('waiting');
    expect((await moveToHosted(env, '--dry-run')).out).toContain(`${waiting.length} Mails warten noch`);
    expect(await sql(project.server.databaseUrl, mails)).toEqual([]);
    await source.stop();
    stopped = true;
    // As a connection of the stopped server that is still ending.
    const ending = new pg.Client({ connectionString: database.url });
    await ending.connect();
    const moving = moveToHosted(env);
    const { pathname } = new URL(database.url);
    const look = `select from pg_stat_activity
      where datname = $1 and query like '%pg_stat_%' and pid <> pg_backend_pid()`;
    await expect.poll(() => sql(process.env[CLUSTER_VARIABLE] ?? '', look, [pathname.slice(1)])).toHaveLength(1);
    await ending.end();
    const { code, out, err } = await moving;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toMatch(/Mails? warte/);
    expect(await sql(project.server.databaseUrl, mails)).toEqual(await sql(database.url, mails));
  });

  test('the other side lives already: what was changed or removed there is named and left alone', async () => {
    const there = project.server.databaseUrl;
    const [first = 0, second = 0] = ids;
    await sql(there, `update interviews set transcript = 'dort geändert' where id = ${first}`);
    await sql(there, `delete from interview_turns where interview_id = ${first} and position = 1`);
    const name = `${second}/frage? + & 'eins' (2)=;,@$!.txt`;
    await store(project.server, name, Buffer.from('dort'), 'text/plain');
    const before = await everythingThere();
    const { code, err } = await moveToHosted(env);
    expect(code).toBe(1);
    expect(err).toContain(`1 Zeile in public.interviews ist dort seit der Übertragung geändert worden: (${first})`);
    expect(err).toContain('1 Zeile in public.interview_turns ist dort seit der Übertragung gelöscht worden');
    expect(err).toContain(`1 Datei ist dort seit der Übertragung geändert worden: Media/${name}`);
    expect(await everythingThere()).toEqual(before);
    expect(await moveToHosted(env, '--compare')).toMatchObject({
      code: 1,
      out: expect.stringContaining(`verschieden: Media/${name}`),
      err: expect.stringContaining('nicht gleich'),
    });
  });

  test('--finish leaves nothing of the move over there', async () => {
    expect(await moveToHosted(env, '--finish')).toMatchObject({ code: 0, err: '' });
    expect(await sql(project.server.databaseUrl, `select from pg_namespace where nspname = 'moved_here'`)).toEqual([]);
    const { err } = await moveToHosted(env);
    expect(err).toContain('Zeile in public.interviews stammt nicht von hier');
  });

  test('A review link that was sent before takes answers over there (posts)', async () => {
    const reader = project.server.client({ headers: { [REVIEW_KEY_HEADER]: reviewKey } });
    const [post] = await sql(project.server.databaseUrl, `select id from posts where state = 'published'`);
    await sql(project.server.databaseUrl, 'update posts set withdrawn_at = null');
    const withdrawn = await must(reader.rpc('review_withdraw', { post: Number(post?.['id']), comment: 'Doch nicht' }));
    expect(withdrawn).toMatchObject({ outcome: 'recorded' });
  });
});

describe('decision 0080: the installation as its operator has it', () => {
  test('moves while it runs and once more when it stands still; every account opens with its password', async () => {
    const other = await bootHostedProject();
    const here = { DATA_DIR: await makeUsedFolder(), ...other.env };
    const running = await startServerProcess({ DATA_DIR: here.DATA_DIR });
    try {
      const accounts = JSON.parse(await readFile(path.join(here.DATA_DIR, 'zugangsdaten.json'), 'utf8')) as {
        email: string;
        password: string;
      }[];
      expect(await moveToHosted(here)).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringContaining('auth.users: 5 neu'),
      });
      await running.end('SIGTERM');
      expect(await moveToHosted(here)).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringContaining('Zeilen: alle schon da'),
      });
      const client = other.server.client();
      const answers = [];
      for (const { email, password } of accounts)
        answers.push((await client.auth.signInWithPassword({ email, password })).error);
      expect(answers).toEqual([null, null, null, null, null]);
    } finally {
      await running.end('SIGTERM');
      await other.stop();
      await rm(here.DATA_DIR, { recursive: true, force: true });
    }
  });
});

/** The code of the refusal; undefined where it opens. */
async function signIn(credentials: Parameters<ReturnType<TestServer['client']>['auth']['signInWithPassword']>[0]) {
  return (await project.server.client().auth.signInWithPassword(credentials)).error?.code;
}
