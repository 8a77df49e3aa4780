import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeFirstAccounts } from '#server/accounts/first-accounts.ts';
import { readEnv } from '#server/env.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { startServerProcess } from '#tests/support/processes.ts';

type Credentials = { email: string; password: string; role: string }[];

const ROLES = {
  'admin@beispiel.test': 'admin',
  'vdi-admin@beispiel.test': 'vdi_admin',
  'firma-a@beispiel.test': 'firma_a',
  'firma-b@beispiel.test': 'firma_b',
  'testnormec@beispiel.test': 'testnormec',
};

const readCredentials = async (folder: string): Promise<Credentials> =>
  JSON.parse(await readFile(path.join(folder, 'zugangsdaten.json'), 'utf8')) as Credentials;

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

async function boot(): Promise<TestServer> {
  const server = await bootServer();
  cleanups.push(server.stop);
  return server;
}

async function make(server: TestServer, source: Record<string, string> = {}): Promise<string> {
  let printed = '';
  const env = readEnv({ DATA_DIR: server.dataDir, ...source });
  await makeFirstAccounts({ env, server, print: (text) => void (printed += text) });
  return printed;
}

async function rolesSeen(url: string, key: string, credentials: Credentials): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  for (const { email, password } of credentials) {
    const client = createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } });
    const { data } = await client.auth.signInWithPassword({ email, password });
    const role = await client
      .from('user_roles')
      .select('role')
      .eq('user_id', data.user?.id ?? '')
      .single<{ role: string }>();
    seen[email] = role.data?.role;
  }
  return seen;
}

describe('D14 first accounts (decision 0022)', () => {
  test('npm start on an empty folder: one account a role, its password kept in a file for its owner only, and not printed', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'smca-first-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const first = await startServerProcess({ DATA_DIR: folder });
    cleanups.push(() => first.end('SIGTERM'));
    const credentials = await readCredentials(folder);
    expect((await stat(path.join(folder, 'zugangsdaten.json'))).mode & 0o777).toBe(0o600);
    for (const { email, password, role } of credentials) {
      expect(first.out()).toMatch(new RegExp(`${email}\\s+${role}\\n`));
      expect(first.out()).not.toContain(password);
    }
    expect(first.out()).toContain(`Die Passwörter stehen in ${path.join(folder, 'zugangsdaten.json')}`);
    const { supabaseKey } = (await (await fetch(`${first.url}/config.json`)).json()) as { supabaseKey: string };
    expect(await rolesSeen(first.url, supabaseKey, credentials)).toEqual(ROLES);
    await first.end('SIGTERM');
    const second = await startServerProcess({ DATA_DIR: folder });
    cleanups.push(() => second.end('SIGTERM'));
    expect(await rolesSeen(second.url, supabaseKey, credentials)).toEqual(ROLES);
    await second.end('SIGTERM');
    expect(second.out()).not.toContain('Erste Konten');
    expect(await readCredentials(folder)).toEqual(credentials);
  });

  test('a start cut short in the middle is completed by the next one, with the passwords already written', async () => {
    const server = await boot();
    const written = Object.entries(ROLES).map(([email, role]) => ({
      email,
      password: `schon-geschrieben-${role}`,
      role,
    }));
    await writeFile(path.join(server.dataDir, 'zugangsdaten.json'), JSON.stringify(written));
    await writeFile(path.join(server.dataDir, 'zugangsdaten.unvollstaendig'), '');
    await server.service().auth.admin.createUser({ email: 'admin@beispiel.test', email_confirm: true });
    expect(await make(server)).toContain('testnormec@beispiel.test');
    expect(await rolesSeen(server.url, server.backend.keys.publishableKey, written)).toEqual(ROLES);
    expect(await make(server)).toBe('');
  });

  test('of two first starts on one database each names the passwords of the accounts that it made', async () => {
    const server = await boot();
    const other = await mkdtemp(path.join(tmpdir(), 'smca-first-'));
    cleanups.push(() => rm(other, { recursive: true, force: true }));
    await asOwner(server.databaseUrl, async (client) => {
      await client.query('begin; lock table auth.users in exclusive mode');
      const made = Promise.all([make(server), make(server, { DATA_DIR: other })]);
      for (const folder of [server.dataDir, other])
        await vi.waitFor(() => expect(existsSync(path.join(folder, 'zugangsdaten.unvollstaendig'))).toBe(true));
      await client.query('commit');
      await made;
    });
    const named = [...(await readCredentials(server.dataDir)), ...(await readCredentials(other))];
    expect(named.map(({ email }) => email).toSorted()).toEqual(Object.keys(ROLES).toSorted());
    expect(await rolesSeen(server.url, server.backend.keys.publishableKey, named)).toEqual(ROLES);
  });

  test('the file is on disk before the first account exists', async () => {
    const server = await boot();
    await mkdir(path.join(server.dataDir, 'zugangsdaten.json'));
    await expect(make(server)).rejects.toThrow(/zugangsdaten/);
    expect((await server.service().auth.admin.listUsers()).data.users).toEqual([]);
  });

  test('none where an account exists', async () => {
    const server = await boot();
    await server.service().auth.admin.createUser({ email: 'da@beispiel.test' });
    expect(await make(server)).toBe('');
    await expect(readCredentials(server.dataDir)).rejects.toThrow('ENOENT');
  });

  test('made only where nobody but this machine can reach the server', async () => {
    const server = await boot();
    for (const HOST of ['0.0.0.0', '::', '192.0.2.1', 'server.example']) expect(await make(server, { HOST })).toBe('');
    expect((await server.service().auth.admin.listUsers()).data.users).toEqual([]);
    expect(await make(server, { HOST: '::1' })).toContain('admin@beispiel.test');
  });

  test("none in somebody else's project that knows no roles", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'smca-project-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const server = await bootServer({ SUPABASE_DIR: folder });
    cleanups.push(server.stop);
    expect(await make(server)).toBe('');
    expect((await server.service().auth.admin.listUsers()).data.users).toEqual([]);
  });
});
