import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createUser } from '#tests/support/accounts.ts';
import { makeContent } from '#tests/support/factories.ts';
import { getContents, sql } from '#tests/support/backups.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { contribute } from '#tests/support/desk.ts';
import type { Finished } from '#tests/support/processes.ts';
import { startGateProxy, type Fate, type GateProxy } from '#tests/support/gate-proxy.ts';
import {
  bootHostedProject,
  moveToHosted,
  startMove,
  type Environment,
  type HostedProject,
} from '#tests/support/moves.ts';

const MEBIBYTE = 1024 * 1024;

let source: TestServer;
let project: HostedProject;
let gate: GateProxy;
let env: Environment;
/** The contribution whose files these are. */
let id: number;
let stored: Map<string, Buffer>;

beforeAll(async () => {
  [source, project] = await Promise.all([bootServer(), bootHostedProject('16MiB')]);
  await createUser(source, { role: 'admin' });
  id = await contribute(source, { transcript: 'eins', turns: ['a', 'b'], email: 'ada@umzug.test' });
  stored = new Map();
  await store(13 * MEBIBYTE);
  gate = await startGateProxy(project.server.url);
  const here = { DATA_DIR: source.dataDir, DATABASE_URL: source.databaseUrl };
  env = { ...here, ...project.env, SUPABASE_URL: gate.url };
});

afterAll(async () => {
  await gate.stop();
  await source.stop();
  await project.stop();
});

async function store(bytes: number): Promise<string> {
  const name = `${id}/${stored.size}.webm`;
  const content = makeContent(bytes);
  const { error } = await source.service().storage.from('Media').upload(name, content, { contentType: 'video/webm' });
  if (error !== null) throw error;
  stored.set(name, content);
  return name;
}

const MOVED = /^(?:public\.|private\.(?!desk_mails|desk_removals|settings))/;

/** The rows of ours and the names of files: on both sides, or only over there. */
async function getRows(databaseUrl: string): Promise<object> {
  const contents = Object.entries(await getContents(databaseUrl)).filter(([name]) => MOVED.test(name));
  const users = await sql(databaseUrl, 'select id, email, encrypted_password from auth.users order by id');
  const objects = await sql(databaseUrl, `select name, metadata ->> 'size' as size from storage.objects order by name`);
  return { ...Object.fromEntries(contents), users, objects };
}

/** The next run ends as if nothing had been. */
async function expectTheRest(): Promise<void> {
  gate.decide(() => 'pass');
  await expectSame(await moveToHosted(env));
}

async function expectSame({ code, out, err }: Finished): Promise<void> {
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain('Beide Seiten sind gleich.');
  expect(await getRows(project.server.databaseUrl)).toEqual(await getRows(source.databaseUrl));
}

/** From the first such request on nobody answers; then the move is ended. */
async function endedAt(signal: 'SIGKILL' | 'SIGINT', fate: (method: string, url: string) => Fate): Promise<Finished> {
  let closed = false;
  gate.decide((method, url) => {
    closed ||= fate(method, url) === 'hang';
    return closed ? 'hang' : 'pass';
  });
  const waiting = gate.hung();
  const run = startMove(env);
  expect(await Promise.race([waiting, run.finished])).toBeUndefined();
  run.kill(signal);
  return run.finished;
}

describe('decision 0080: a move that is refused before anything is written', () => {
  const withDatabase = (change: (url: URL) => void): Environment => {
    const url = new URL(env['SUPABASE_DB_URL'] ?? '');
    change(url);
    return { ...env, SUPABASE_DB_URL: url.href };
  };

  test('what is missing, mistyped or unreachable is said in words, without a secret', async () => {
    const cases: readonly (readonly [Environment, string])[] = [
      [
        { ...env, SUPABASE_DB_URL: '', SUPABASE_SERVICE_KEY: '' },
        'Es fehlen Angaben zum Ziel: SUPABASE_SERVICE_KEY, SUPABASE_DB_URL.',
      ],
      [{ ...env, SUPABASE_SERVICE_KEY: project.server.backend.keys.publishableKey }, 'ist der öffentliche Schlüssel'],
      [{ ...env, SUPABASE_SERVICE_KEY: 'sb_secret_geheim' }, 'nicht der Service-Schlüssel'],
      [{ ...env, SUPABASE_URL: 'http://127.0.0.1:9' }, 'Das Ziel (SUPABASE_URL) antwortet nicht.'],
      [{ ...env, SUPABASE_URL: 'http://supabase.beispiel.test' }, 'SUPABASE_URL ist nicht verschlüsselt.'],
      [withDatabase((url) => void (url.port = '9')), 'Die Datenbank des Ziels (SUPABASE_DB_URL) antwortet nicht.'],
      [withDatabase((url) => void (url.password = 'falsch')), 'lässt dich nicht hinein'],
      [
        withDatabase((url) => url.searchParams.set('host', 'db.beispiel.test')),
        'SUPABASE_DB_URL ist nicht verschlüsselt.',
      ],
      [withDatabase((url) => url.searchParams.set('sslmode', 'verify-full')), 'keine sichere Verbindung zustande'],
      [withDatabase((url) => void (url.port = '6543')), 'Session Pooler (Port 5432)'],
      [
        { ...env, DATABASE_URL: Object.assign(new URL(source.databaseUrl), { pathname: '/postgres' }).href },
        'nicht auf dem Stand des Programms (/postgres)',
      ],
      [
        { ...env, DATABASE_URL: 'postgres://127.0.0.1:9/x' },
        'Die Datenbank dieses Servers (DATABASE_URL) antwortet nicht.',
      ],
    ];
    const before = await getContents(project.server.databaseUrl);
    for (const [given, words] of cases) {
      const { code, out, err } = await moveToHosted(given);
      expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(words) });
      expect(err).toContain('Am Ziel hat sich nichts geändert.');
      expect(err).not.toMatch(/sb_secret_|falsch|hosted_\w+:/);
    }
    expect(await moveToHosted(env, '--dryrun')).toMatchObject({ code: 2, err: expect.stringContaining('--dry-run') });
    expect(await getContents(project.server.databaseUrl)).toEqual(before);
  });

  test('a project that is not as it must be: triggers on accounts, strange columns, foreign migrations, another move', async () => {
    const there = project.server.databaseUrl;
    const cases = [
      [
        `create function f() returns trigger language plpgsql as 'begin return new; end'; create trigger profil after insert on auth.users for each row execute function f()`,
        'drop function f() cascade',
        'ein Trigger auslösen: profil (auth.users)',
      ],
      [
        'alter table auth.mfa_factors rename web_authn_aaguid to aaguid',
        'alter table auth.mfa_factors rename aaguid to web_authn_aaguid',
        'fehlen Spalten: auth.mfa_factors (web_authn_aaguid)',
      ],
      [
        `create schema supabase_migrations; create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text); insert into supabase_migrations.schema_migrations values ('20990101000000'); grant all on schema supabase_migrations to public; grant all on all tables in schema supabase_migrations to public`,
        'drop schema supabase_migrations cascade',
        'Migrationen, die es hier nicht gibt (20990101000000)',
      ],
      [
        `do $$ begin execute format('revoke delete on auth.identities from %I', (select rolname from pg_roles where rolname like 'hosted%' and rolcanlogin and has_database_privilege(oid, current_database(), 'create') limit 1)); end $$`,
        `grant delete on auth.identities to public`,
        'nicht füllen: "auth"."identities"',
      ],
    ] as const;
    for (const [spoil, mend, words] of cases) {
      await sql(there, spoil);
      const before = await getContents(there);
      expect(await moveToHosted(env)).toMatchObject({ code: 1, err: expect.stringContaining(words) });
      expect(await getContents(there)).toEqual(before);
      await sql(there, mend);
    }
    await asOwner(there, async (client) => {
      await client.query('select pg_advisory_lock(7236094)');
      expect(await moveToHosted(env)).toMatchObject({ code: 1, err: expect.stringContaining('läuft schon ein Umzug') });
    });
  });
});

describe('decision 0080: a move that is cut short and started again', () => {
  test('killed while rows go over: not one of them is there, nor a migration', async () => {
    const there = project.server.databaseUrl;
    const before = await getContents(there);
    await asOwner(there, async (client) => {
      await client.query('begin; lock table auth.identities in exclusive mode');
      const run = startMove(env);
      const blocked = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and usename like 'hosted%'`;
      await vi.waitUntil(async () => (await sql(there, blocked)).length > 0);
      run.kill('SIGKILL');
      expect(await run.finished).toMatchObject({ code: null });
      await client.query('rollback');
    });
    await vi.waitUntil(
      async () =>
        (await sql(there, `select from pg_stat_activity where usename like 'hosted%' and datname = current_database()`))
          .length === 0,
    );
    expect(await getContents(there)).toEqual(before);
  });

  test('killed between the parts of a large file: it goes on where it was', async () => {
    let parts = 0;
    const hang = (method: string): Fate => (method === 'PATCH' && ++parts === 2 ? 'hang' : 'pass');
    expect(await endedAt('SIGKILL', hang)).toMatchObject({ code: null, err: '' });
    const calls: string[] = [];
    gate.decide((method, url) => {
      if (url.includes('/upload/resumable')) calls.push(method);
      return 'pass';
    });
    await expectSame(await moveToHosted(env));
    // Three parts: the first one had arrived.
    expect(calls).toEqual(['HEAD', 'PATCH', 'PATCH']);
  });

  test('killed while a file goes over, while it is read back, at the last comparison', async () => {
    const places: readonly ((method: string, url: string) => boolean)[] = [
      (method, url) => method === 'POST' && url.includes('/object/Media/'),
      (method, url) => method === 'GET' && url.includes('/object/Media/'),
      (_, url) => url.includes('per_page=500'),
    ];
    await store(1_000);
    await contribute(source, { transcript: 'noch einer' });
    // Each run begins with what the one before left.
    for (const isThere of places) {
      const ended = await endedAt('SIGKILL', (method, url) => (isThere(method, url) ? 'hang' : 'pass'));
      expect(ended).toMatchObject({ code: null, err: '' });
    }
    await expectTheRest();
  });

  test('stopped by the operator: says how far it is', async () => {
    await store(1_000);
    const { code, err } = await endedAt('SIGINT', (_, url) => (url.includes('/object/Media/') ? 'hang' : 'pass'));
    expect(code).toBe(1);
    expect(err).toBe(
      'Abgebrochen.\nWas schon übertragen ist, bleibt dort; der nächste Lauf macht damit weiter. An der ' +
        'Quelle hat sich nichts geändert.\n',
    );
    await expectTheRest();
  });

  test('the line breaks once at each kind of call: nobody notices', async () => {
    await store(1_000);
    await store(7 * MEBIBYTE);
    const broken = new Set<string>();
    gate.decide((method, url) => {
      const kind = `${method} ${/admin.users|bucket|object|resumable/.exec(url)?.[0] ?? ''}`;
      if (kind.endsWith(' ') || broken.has(kind)) return 'pass';
      broken.add(kind);
      return 'cut';
    });
    await expectSame(await moveToHosted(env));
    expect([...broken]).toEqual(
      expect.arrayContaining([
        'GET admin/users',
        'GET bucket',
        'GET object',
        'PATCH resumable',
        'POST object',
        'POST resumable',
      ]),
    );
  });

  test('the other side goes away in the middle: said in words, and the next run goes on', async () => {
    expect(await moveToHosted(env, '--compare')).toMatchObject({ code: 0, err: '' });
    await store(1_000);
    await store(2_000);
    let uploads = 0;
    gate.decide((method, url) => {
      if (method === 'POST' && url.includes('/object/Media/')) uploads += 1;
      return uploads > 0 ? 'cut' : 'pass';
    });
    const { code, err } = await moveToHosted(env);
    expect(code).toBe(1);
    expect(err).toContain('antwortet nicht. Prüfe Adresse und Verbindung und starte den Befehl noch einmal.');
    expect(err).toContain('Was schon übertragen ist, bleibt dort');
    await expectTheRest();
  });

  test('a file that is too large over there, and one that our own store has lost, are named', async () => {
    const large = await store(17 * MEBIBYTE);
    const refused = await moveToHosted(env);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining(`Media/${large} (17825792 Byte) ist dem Ziel zu groß`),
    });
    await source.service().storage.from('Media').remove([large]);
    stored.delete(large);
    const lost = await store(1_000);
    const [{ version } = {}] = await sql(source.databaseUrl, 'select version from storage.objects where name = $1', [
      lost,
    ]);
    const objects = path.join(source.dataDir, 'files/objects');
    await rm(
      path.join(
        objects,
        (await readdir(objects, { recursive: true })).find((name) => name.endsWith(String(version))) ?? '',
      ),
    );
    const { code, err } = await moveToHosted(env);
    expect(code).toBe(1);
    expect(err).toContain(`1 Datei fehlt im Speicher der Quelle und konnte nicht umziehen:\n  Media/${lost}\n`);
  });
});
