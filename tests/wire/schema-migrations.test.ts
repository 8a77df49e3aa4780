import { readFile } from 'node:fs/promises';
import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate, listSqlFiles, type MigrationPlan } from '#backend/database/index.ts';
import { asOwner } from '#tests/support/callers.ts';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PLATFORM = ['database/platform', 'auth/schema', 'storage/schema'];
let databases: readonly [TestDatabase, TestDatabase, TestDatabase];

beforeAll(async () => {
  databases = [await createDatabase(), await createDatabase(), await createDatabase()];
});
afterAll(async () => {
  for (const database of databases) await database.drop();
});

async function planFor(url: string): Promise<MigrationPlan> {
  const services = PLATFORM.map(async (folder) => {
    const files = await listSqlFiles(path.join(ROOT, 'src/backend', folder));
    return files.map((file) => ({ ...file, name: `${folder}/${file.name}` }));
  });
  return {
    url,
    platform: (await Promise.all(services)).flat(),
    project: await listSqlFiles(path.join(ROOT, 'supabase/migrations')),
    seeds: [],
  };
}

/** Policies, grants and bodies: everything that decides about access. */
async function rightsIn(url: string): Promise<unknown[]> {
  const result = await asOwner(url, (client) =>
    client.query(`
      select 'policy' as kind, tablename || ': ' || policyname as name, concat(roles, cmd, qual, with_check) as value
        from pg_policies
      union all select 'table', oid::regclass::text, concat(relacl, relrowsecurity) from pg_class
        where relnamespace in ('public'::regnamespace, 'private'::regnamespace) and relkind in ('r', 'S')
      union all select 'function', oid::regprocedure::text, concat(proacl, prosecdef, provolatile, proconfig,
        md5(prosrc)) from pg_proc
        where pronamespace in ('public'::regnamespace, 'private'::regnamespace)
      order by 1, 2`),
  );
  return result.rows;
}

test('the migrations apply once, and to a second database of the same cluster with the same result', async () => {
  const [first, second] = databases;
  const plan = await planFor(first.url);
  expect((await migrate(plan)).applied).toEqual([...plan.platform, ...plan.project].map((file) => file.name));
  expect((await migrate(plan)).applied).toEqual([]);
  await migrate(await planFor(second.url));
  expect(await rightsIn(second.url)).toEqual(await rightsIn(first.url));
});

test('every table of public and private has row-level security, every function that runs with its owner’s rights a fixed search_path', async () => {
  const open = await asOwner(databases[0].url, (client) =>
    client.query(`
      select oid::regclass::text as name from pg_class
        where relnamespace in ('public'::regnamespace, 'private'::regnamespace) and relkind = 'r' and not relrowsecurity
      union all select oid::regprocedure::text from pg_proc
        where pronamespace in ('public'::regnamespace, 'private'::regnamespace) and prosecdef
          and not coalesce(proconfig @> array['search_path=""'], false)`),
  );
  expect(open.rows).toEqual([]);
});

test('the migrations need no superuser: they run as a hosted project’s owner, with auth and storage there already', async () => {
  const { url } = databases[2];
  const role = `hosted_${randomBytes(4).toString('hex')}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await migrate({ ...(await planFor(url)), project: [] });
    // A hosted project has the bucket or gets it; its owner may write policies for storage, but owns none of its
    // tables.
    await client.query(`
      create role ${role}_storage;
      create role ${role} nosuperuser bypassrls in role ${role}_storage;
      alter table storage.objects owner to ${role}_storage;
      alter table storage.buckets owner to ${role}_storage;
      grant usage, create on schema public to ${role};
      grant usage on schema auth, storage to ${role};
      grant select, references on auth.users to ${role};
      grant select on auth.sessions, auth.mfa_factors to ${role};
      grant usage on schema storage to ${role}_storage;
      insert into storage.buckets (id, name, public) values ('Media', 'Media', true);`);
    await client.query(
      `do $$ begin execute format('grant create on database %I to ${role}', current_database()); end $$`,
    );
    await client.query(`set role ${role}`);
    for (const { file } of await listSqlFiles(path.join(ROOT, 'supabase/migrations'))) {
      await client.query(await readFile(file, 'utf8'));
    }
    const rows = await client.query(
      `select pg_get_userbyid(relowner) as owner from pg_class where oid = 'public.interviews'::regclass`,
    );
    expect(rows.rows).toEqual([{ owner: role }]);
    await client.query('set role anon');
    await client.query(`select set_config('request.headers', $1, false)`, [
      JSON.stringify({ 'x-interview-key': 'k'.repeat(43) }),
    ]);
    expect((await client.query('insert into interviews default values returning id')).rows).toHaveLength(1);
    const claims = JSON.stringify({ sub: randomUUID(), session_id: randomUUID() });
    await client.query(
      `select set_config('role', 'authenticated', false), set_config('request.jwt.claims', $1, false)`,
      [claims],
    );
    expect((await client.query('select role from user_roles')).rows).toEqual([]);
    expect((await client.query('select id from interviews where private.is_admin()')).rows).toEqual([]);
  } finally {
    await client.query(
      `reset role; drop owned by ${role}, ${role}_storage cascade; drop role ${role}, ${role}_storage`,
    );
    await client.end();
  }
});
