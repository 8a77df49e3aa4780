import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { REVIEW_KEY_HEADER } from '#contract/review.ts';
import { readBackupHistory } from '#server/backup/last-backup.ts';
import { journalFile } from '#server/data-folder.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { makeContent } from '#tests/support/factories.ts';
import { openSnapshot } from '#backend/maintenance.ts';
import {
  backUp,
  command,
  commandHere,
  getContents,
  emptyInstallation,
  putBack,
  getRules,
  sql,
  computeSums,
  temporaryFolder,
} from '#tests/support/backups.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { mailsIn } from '#tests/support/outbox.ts';
import { reviewPost } from '#tests/support/posts.ts';
import { startServerProcess } from '#tests/support/processes.ts';
import { startS3 } from '#tests/support/s3.ts';
import { makeUsedFolder } from '#tests/support/used-folder.ts';

const MEBIBYTE = 1024 * 1024;

type Contribution = Readonly<{ id: number; path: string; content: Buffer }>;

/** Interview, turn, file, row of the file: as the flows do it. */
async function contribute(client: SupabaseClient, bytes = 1_000): Promise<Contribution> {
  const { data, error } = await client
    .from('interviews')
    .insert({ transcript: 'Grüße\taus\nKöln \\ 🙂' })
    .select('id')
    .single();
  if (error !== null) throw new Error(error.message);
  const id = Number(data.id);
  const name = `${id}/1700000000000_${randomBytes(4).toString('hex')}.webm`;
  const content = makeContent(bytes);
  const stored = await client.storage.from('Media').upload(name, content, { contentType: 'video/webm' });
  if (stored.error !== null) throw stored.error;
  const registered = await client
    .from('media_uploads')
    .insert({ interview_id: id, file_path: name, file_type: 'video/webm' });
  if (registered.error !== null) throw new Error(registered.error.message);
  const turn = { interview_id: id, position: 0, speaker: 'user', content: 'Hallo' };
  const logged = await client.from('interview_turns').insert(turn);
  if (logged.error !== null) throw new Error(logged.error.message);
  return { id, path: name, content };
}

describe('desk 6: the server runs, and its installation comes back on an empty folder', () => {
  test('every row, file, index and rule, logins, refresh tokens, the next id', async () => {
    const folder = await temporaryFolder();
    const before = { DATA_DIR: await makeUsedFolder(folder) };
    const after = { DATA_DIR: path.join(folder, 'after') };
    const archive = path.join(folder, 'sicherung.tar');
    const first = await startServerProcess(before);
    const accounts = JSON.parse(await readFile(path.join(before.DATA_DIR, 'zugangsdaten.json'), 'utf8')) as {
      email: string;
      password: string;
      role: string;
    }[];
    const account = accounts.find(({ role }) => role === 'firma_a') ?? { email: '', password: '' };
    const member = await openClient(first.url);
    const session = (await member.auth.signInWithPassword(account)).data.session;
    const made = [await contribute(member, 3 * MEBIBYTE), await contribute(member), await contribute(member, 0)];
    await member.auth.resetPasswordForEmail(account.email);
    // Written behind the answer, as the last of what that asks for.
    await expect.poll(() => mailsIn(before.DATA_DIR)).toHaveLength(1);

    expect(await command('backup', before, archive)).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('3 Dateien'),
    });
    expect((await stat(archive)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).not.toContain('sicherung.tar.part');
    const running = JSON.parse(await readFile(path.join(before.DATA_DIR, 'server.json'), 'utf8')) as {
      databaseUrl: string;
    };
    const [contents, rules] = [await getContents(running.databaseUrl), await getRules(running.databaseUrl)];
    await first.end('SIGTERM');

    expect(await command('restore', after, archive)).toMatchObject({ code: 0, err: '' });
    const second = await startServerProcess(after);
    try {
      const restored = JSON.parse(await readFile(path.join(after.DATA_DIR, 'server.json'), 'utf8')) as {
        databaseUrl: string;
      };
      expect(await getContents(restored.databaseUrl)).toEqual(contents);
      expect(await getRules(restored.databaseUrl)).toEqual(rules);
      expect(rules.length).toBeGreaterThan(100);
      for (const kind of ['files/objects', 'outbox']) {
        const sums = await computeSums(path.join(after.DATA_DIR, kind));
        expect(sums).toEqual(await computeSums(path.join(before.DATA_DIR, kind)));
        expect(Object.keys(sums)).not.toEqual([]);
      }
      const again = await openClient(second.url);
      // The refresh token of before the backup opens the restored server, and its access token is still good.
      expect((await again.auth.refreshSession({ refresh_token: session?.refresh_token ?? '' })).error).toBeNull();
      expect((await again.auth.signInWithPassword(account)).error).toBeNull();
      for (const { path: name, content } of made) {
        const { data } = await again.storage.from('Media').download(name);
        expect(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer()).equals(content)).toBe(true);
      }
      expect((await contribute(again)).id).toBe(Math.max(...made.map(({ id }) => id)) + 1);
    } finally {
      await second.end('SIGTERM');
    }
  });
});

describe('desk 6: backup while everybody goes on working', () => {
  let server: TestServer;
  let member: TestUser;
  beforeAll(async () => {
    server = await bootServer();
    member = await createUser(server, { role: 'firma_a' });
  });
  afterAll(() => server.stop());

  const here = (): Record<string, string> => ({ DATA_DIR: server.dataDir, DATABASE_URL: server.databaseUrl });

  test('Records how a backup ended, for the page of administrators', async () => {
    const file = path.join(await temporaryFolder(), 'nacht.tar');
    expect(await commandHere('backup', here(), file)).toMatchObject({ code: 0 });
    const { size } = await stat(file);
    const last = { result: 'done', file: 'nacht.tar', bytes: size, missing: 0, code: null };
    expect(await readBackupHistory(server.dataDir)).toMatchObject({ last, failed: null });
    expect(await commandHere('backup', here(), file)).toMatchObject({ code: 1 });
    expect(await readBackupHistory(server.dataDir)).toMatchObject({ last, failed: { code: 'backup_exists' } });
    expect(await commandHere('backup', here(), `${file}.2`)).toMatchObject({ code: 0 });
    expect(await readBackupHistory(server.dataDir)).toMatchObject({ last: { file: 'nacht.tar.2' }, failed: null });
  });

  test('what was acknowledged before is in, nothing is in by half, and no deletion takes a file away', async () => {
    const acknowledged: Contribution[] = [];
    for (let count = 0; count < 5; count += 1) acknowledged.push(await contribute(member.client));
    const early = acknowledged.map(({ id }) => id);
    const target = await emptyInstallation();
    const file = path.join(await temporaryFolder(), 'backup.tar');
    let stopped = false;
    // Of a contribution that is being erased the file goes first: a moment between the two is whole too.
    const erased: number[] = [];
    const writing = [1, 2, 3].map(async () => {
      while (!stopped) {
        const made = await contribute(member.client, 20_000);
        // Half of them go again, as a retention period or an erasure would have it.
        if (made.id % 2 !== 0) continue;
        erased.push(made.id);
        await erase(server, made);
      }
    });
    const manifest = await backUp(here(), file);
    stopped = true;
    await Promise.all(writing);
    expect(manifest.files.missing).toBe(0);

    await putBack(target, file);
    const rows = await getContents(target.DATABASE_URL);
    const ids = await sql(target.DATABASE_URL, 'select id::int from interviews');
    expect(ids.map(({ id }) => id)).toEqual(expect.arrayContaining(early));
    expect(rows['public.media_uploads']?.length).toBeGreaterThanOrEqual(early.length);
    const orphans = `select count(*)::int as count from media_uploads as m
      where not exists (select from interviews as i where i.id = m.interview_id)
        or not exists (select from storage.objects as o where o.name = m.file_path) and m.interview_id <> all ($1)`;
    expect(await sql(target.DATABASE_URL, orphans, [erased])).toEqual([{ count: 0 }]);
    const objects = await sql(target.DATABASE_URL, 'select version from storage.objects order by 1');
    const stored = Object.keys(await computeSums(path.join(target.DATA_DIR, 'files/objects'))).map((key) =>
      path.basename(key),
    );
    expect(stored.toSorted()).toEqual(objects.map(({ version }) => version));
    // What the backup held on to goes with the next sweep.
    await contribute(member.client);
    await erase(server, await contribute(member.client));
    expect(await sql(server.databaseUrl, 'select version from _backend.unclaimed_files')).toEqual([]);
  });

  test('a file that the store has lost is named, and the exit code is 3', async () => {
    const { path: name } = await contribute(member.client);
    const kept = await contribute(member.client);
    const [object] = await sql(server.databaseUrl, 'select version from storage.objects where name = $1', [name]);
    const version = String(object?.['version']);
    const lost = path.join(server.dataDir, 'files/objects', version.slice(0, 2), version);
    const bytes = await readFile(lost);
    await rm(lost);
    const [folder, target] = [await temporaryFolder(), await emptyInstallation()];
    const taken = await command('backup', here(), path.join(folder, 'a.tar'));
    expect(taken).toMatchObject({ code: 3, err: expect.stringContaining(`Media/${name}`) });
    const back = await commandHere('restore', target, path.join(folder, 'a.tar'));
    expect(back).toMatchObject({ code: 3, err: expect.stringContaining(`Media/${name}`) });
    expect(await getContents(target.DATABASE_URL)).toEqual(await getContents(server.databaseUrl));
    const restored = await bootServer(target);
    const found = await restored.service().storage.from('Media').download(kept.path);
    expect(Buffer.from((await found.data?.arrayBuffer()) ?? new ArrayBuffer()).equals(kept.content)).toBe(true);
    expect((await restored.service().storage.from('Media').download(name)).error).not.toBeNull();
    await restored.stop();
    await writeFile(lost, bytes);
  });

  test('Restores posts, and their review link opens the restored server (posts)', async () => {
    const admin = await createUser(server, { role: 'admin' });
    const { id } = await contribute(member.client);
    const key = await reviewPost(server, admin.client, id, 'Sicherung');
    const [folder, target] = [await temporaryFolder(), await emptyInstallation()];
    await backUp(here(), path.join(folder, 'a.tar'));
    await putBack(target, path.join(folder, 'a.tar'));
    expect(await getContents(target.DATABASE_URL)).toEqual(await getContents(server.databaseUrl));
    const restored = await bootServer(target);
    try {
      const { data } = await restored.client({ headers: { [REVIEW_KEY_HEADER]: key } }).rpc('review_open');
      expect(data).toMatchObject({ posts: [{ body: 'Das sagt Sicherung.', answer: { answer: 'change' } }] });
    } finally {
      await restored.stop();
    }
  });

  test('a table that no migration makes is left in the archive and named', async () => {
    await sql(
      server.databaseUrl,
      `create table public.by_hand (note text); insert into by_hand values ('mein Zettel')`,
    );
    const [folder, target] = [await temporaryFolder(), await emptyInstallation()];
    await backUp(here(), path.join(folder, 'a.tar'));
    await sql(server.databaseUrl, 'drop table public.by_hand');
    expect((await putBack(target, path.join(folder, 'a.tar')))?.skipped).toEqual([{ name: 'public.by_hand', rows: 1 }]);
    expect(await getContents(target.DATABASE_URL)).toEqual(await getContents(server.databaseUrl));
  });

  test('Restores a row that is older than a check it breaks, and leaves the check as it was', async () => {
    const name = 'desk_audit_log_detail_coded';
    const checks = 'select conname, convalidated from pg_constraint where contype = $1 order by conname';
    const [check] = await sql(
      server.databaseUrl,
      'select pg_get_constraintdef(oid) as definition from pg_constraint where conname = $1',
      [name],
    );
    await sql(
      server.databaseUrl,
      `alter table public.desk_audit_log drop constraint ${name};
      insert into public.desk_audit_log (what, detail) values ('view', '{"note": "Freitext"}');
      alter table public.desk_audit_log add constraint ${name} ${String(check?.['definition'])} not valid`,
    );
    const [folder, target] = [await temporaryFolder(), await emptyInstallation()];
    await backUp(here(), path.join(folder, 'a.tar'));
    await putBack(target, path.join(folder, 'a.tar'));
    expect(await getContents(target.DATABASE_URL)).toEqual(await getContents(server.databaseUrl));
    expect(await sql(target.DATABASE_URL, checks, ['c'])).toEqual(await sql(server.databaseUrl, checks, ['c']));
  });

  test('a file that is there is not overwritten', async () => {
    const file = path.join(await temporaryFolder(), 'a.tar');
    await backUp(here(), file);
    const [before, again] = [await readFile(file), await commandHere('backup', here(), file)];
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('gibt es schon') });
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  test('A restore whose store does not open gives the folder back', async () => {
    const file = path.join(await temporaryFolder(), 'a.tar');
    await backUp(here(), file);
    const target = await emptyInstallation();
    await mkdir(target.DATA_DIR);
    const blocked = path.join(target.DATA_DIR, 'files');
    await writeFile(blocked, '');
    await expect(putBack(target, file)).rejects.toThrow();
    await rm(blocked);
    await expect(putBack(target, file)).resolves.toMatchObject({ skipped: [] });
  });

  test('A restore whose journal cannot be removed keeps what it restored', async () => {
    const file = path.join(await temporaryFolder(), 'a.tar');
    await contribute(member.client);
    await backUp(here(), file);
    const target = await emptyInstallation();
    const journal = journalFile(target.DATA_DIR);
    const restoring = await asOwner(target.DATABASE_URL, async (client) => {
      // The restore makes the schema, too, and waits for this one.
      await client.query('begin; create schema private');
      const restored = commandHere('restore', target, file);
      await vi.waitFor(() => expect(existsSync(journal)).toBe(true));
      await rm(journal);
      await mkdir(journal);
      await client.query('rollback');
      return restored;
    });
    expect(restoring).toMatchObject({ code: 1, err: expect.stringMatching(/^Alles ist eingespielt.*\n$/) });
    await rmdir(journal);
    await writeFile(journal, '');
    expect(await commandHere('restore', target, file)).toMatchObject({ code: 0 });
    const [stored, before] = [target.DATA_DIR, server.dataDir].map((folder) => path.join(folder, 'files/objects'));
    expect(await computeSums(String(stored))).toEqual(await computeSums(String(before)));
  });

  test('as long as one runs, deleted files stay and a second one is told to wait', async () => {
    const { path: name } = await contribute(member.client);
    const versions = async (): Promise<string[]> =>
      Object.keys(await computeSums(path.join(server.dataDir, 'files/objects')));
    const [object] = await sql(server.databaseUrl, 'select version from storage.objects where name = $1', [name]);
    const running = await openSnapshot(server.databaseUrl);
    await server.service().storage.from('Media').remove([name]);
    expect((await versions()).join(' ')).toContain(object?.['version']);
    const second = await commandHere('backup', here(), path.join(await temporaryFolder(), 'a.tar'));
    expect(second).toMatchObject({ code: 1, err: expect.stringContaining('läuft schon eine Sicherung') });
    await running.close();
    const later = await contribute(member.client);
    await server.service().storage.from('Media').remove([later.path]);
    expect((await versions()).join(' ')).not.toContain(object?.['version']);
  });

  test('disk to S3 and back: an archive does not know where the files lay', async () => {
    const s3 = await startS3();
    const folder = await temporaryFolder();
    const [cloud, disk] = [{ ...(await emptyInstallation()), ...s3.env }, await emptyInstallation()];
    await contribute(member.client, 6 * MEBIBYTE);
    await backUp(here(), path.join(folder, 'disk.tar'));
    await putBack(cloud, path.join(folder, 'disk.tar'));
    expect(await s3.keys()).toHaveLength(
      Object.keys(await computeSums(path.join(server.dataDir, 'files/objects'))).length,
    );
    await backUp(cloud, path.join(folder, 's3.tar'));
    await putBack(disk, path.join(folder, 's3.tar'));
    expect(await getContents(disk.DATABASE_URL)).toEqual(await getContents(server.databaseUrl));
    const files = await computeSums(path.join(disk.DATA_DIR, 'files/objects'));
    expect(files).toEqual(await computeSums(path.join(server.dataDir, 'files/objects')));
    const kept = await s3.keys();
    const again = await commandHere(
      'restore',
      { ...(await emptyInstallation()), ...s3.env },
      path.join(folder, 's3.tar'),
    );
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('Das Ziel ist nicht leer (S3_BUCKET files') });
    expect(await s3.keys()).toEqual(kept);
    await s3.stop();
  });
});

describe('desk 6: a backup of another version', () => {
  test('an older one is migrated forward at the next start; a newer one waits for the update', async () => {
    const older = path.join(await temporaryFolder(), 'supabase');
    await cp(path.resolve('supabase'), older, { recursive: true });
    const newest = (await readdir(path.join(older, 'migrations'))).toSorted().at(-1) ?? '';
    await rm(path.join(older, 'migrations', newest));
    const server = await bootServer({ SUPABASE_DIR: older });
    const member = await createUser(server, { role: 'firma_a' });
    const { id } = await contribute(member.client);
    const folder = await temporaryFolder();
    await backUp({ DATA_DIR: server.dataDir, DATABASE_URL: server.databaseUrl }, path.join(folder, 'old.tar'));
    await server.stop();

    const target = await emptyInstallation();
    await putBack(target, path.join(folder, 'old.tar'));
    const versions = async (): Promise<unknown[]> =>
      (await getContents(target.DATABASE_URL))['supabase_migrations.schema_migrations']?.map((row) =>
        row.slice(1, 15),
      ) ?? [];
    expect(await versions()).not.toContain(newest.slice(0, 14));
    const updated = await bootServer(target);
    expect(await versions()).toContain(newest.slice(0, 14));
    expect((await updated.service().from('interviews').select('id')).data).toEqual([{ id }]);
    await backUp(target, path.join(folder, 'new.tar'));
    await updated.stop();

    const behind = await commandHere(
      'restore',
      { ...(await emptyInstallation()), SUPABASE_DIR: older },
      path.join(folder, 'new.tar'),
    );
    expect(behind).toMatchObject({ code: 1, err: expect.stringContaining(newest.slice(0, 14)) });
  });
});

async function erase(server: TestServer, { id, path: name }: Contribution): Promise<void> {
  await server.service().storage.from('Media').remove([name]);
  await server.service().from('interviews').delete().eq('id', id);
}

async function openClient(url: string): Promise<SupabaseClient> {
  const { supabaseKey } = (await (await fetch(`${url}/config.json`)).json()) as { supabaseKey: string };
  return createClient(url, supabaseKey, { auth: { persistSession: false, autoRefreshToken: false } });
}
