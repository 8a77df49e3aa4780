import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runUserCommand } from '#server/accounts/run.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { runFile, startServerProcess, type Finished, type RunningProcess } from '#tests/support/processes.ts';
import { makeUsedFolder } from '#tests/support/used-folder.ts';

type Environment = Record<string, string>;

/** `npm run user -- …` as a process of its own. */
const userProcess = (env: Environment, ...args: string[]): Promise<Finished> =>
  runFile('src/server/accounts/cli.ts', args, env);

/** The same in this process. */
async function user(env: Environment, ...args: string[]): Promise<Finished> {
  const said = { out: '', err: '' };
  const code = await runUserCommand(args, {
    variables: env,
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
  });
  return { code, ...said };
}

const rows = (listing: string): string[] => listing.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').trim());

/** The whole life of an account. `entry` tells whether a password opens it, where anybody listens. */
async function lifeOfAnAccount(
  env: Environment,
  enters: (email: string, password: string) => Promise<boolean>,
): Promise<void> {
  const email = 'neu@beispiel.test';
  const added = await user(env, 'add', email.toUpperCase(), 'firma_a');
  const password = /Passwort \(nur jetzt angezeigt\): (\S+)\n$/.exec(added.out)?.[1] ?? '';
  expect(added).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining(`Konto ${email} angelegt, Rolle firma_a.`),
  });
  expect(password).toMatch(/^\w{4}(-\w{4}){3}$/);
  expect(await enters(email, password)).toBe(true);
  expect(rows((await user(env, 'list')).out)).toContainEqual(expect.stringMatching(`^${email} firma_a `));

  const again = await user(env, 'add', email, 'firma_a');
  expect(again).toMatchObject({ code: 1, out: '', err: expect.stringContaining('gibt es schon ein Konto') });

  expect(await user(env, 'role', email, 'vdi_admin')).toMatchObject({ code: 0 });
  expect(rows((await user(env, 'list')).out)).toContainEqual(expect.stringMatching(`^${email} vdi_admin `));

  const given = await user(env, 'password', email, '--password', 'selbst ausgedacht');
  expect(given).toMatchObject({ code: 0, err: '' });
  expect(given.out).not.toContain('selbst ausgedacht');
  expect(await enters(email, 'selbst ausgedacht')).toBe(true);
  expect(await enters(email, password)).toBe(false);

  const weak = await user(env, 'password', email, '--password', 'kurz');
  expect(weak).toMatchObject({ code: 1, err: expect.stringContaining('zu schwach') });

  const next = 'geheiratet@beispiel.test';
  const moved = await user(env, 'email', email, next.toUpperCase());
  expect(moved).toMatchObject({ code: 0, out: `Das Konto ${email} hat jetzt die Adresse ${next}.\n` });
  expect(await enters(email, 'selbst ausgedacht')).toBe(false);
  expect(await enters(next, 'selbst ausgedacht')).toBe(true);
  expect(rows((await user(env, 'list')).out)).toContainEqual(expect.stringMatching(`^${next} vdi_admin `));
  const other = 'jemand@beispiel.test';
  await user(env, 'add', other, 'firma_a');
  const taken = await user(env, 'email', next, other);
  expect(taken).toMatchObject({ code: 1, err: expect.stringContaining('gibt es schon ein Konto') });
  expect(await user(env, 'remove', other)).toMatchObject({ code: 0 });

  expect(await user(env, 'remove', next)).toMatchObject({ code: 0, out: `Konto ${next} gelöscht.\n` });
  expect((await user(env, 'list')).out).not.toContain(next);
  expect(await user(env, 'remove', email)).toMatchObject({
    code: 1,
    err: `Es gibt kein Konto mit der Adresse ${email}.\n`,
  });
}

/** The same door, without the talk: where it stands differs, what it does is shown above. */
async function comesAndGoes(env: Environment, enters?: (email: string, password: string) => Promise<boolean>) {
  const email = 'kurz@beispiel.test';
  const added = await user(env, 'add', email, 'firma_a', '--password', 'selbst ausgedacht');
  expect(added).toMatchObject({ code: 0, err: '' });
  expect(await enters?.(email, 'selbst ausgedacht')).not.toBe(false);
  expect(rows((await user(env, 'list')).out)).toContainEqual(expect.stringMatching(`^${email} firma_a `));
  expect(await user(env, 'remove', email)).toMatchObject({ code: 0, out: `Konto ${email} gelöscht.\n` });
}

describe('D14 npm run user, embedded database', () => {
  let folder: string;
  let server: RunningProcess;
  beforeAll(async () => {
    folder = await makeUsedFolder();
    server = await startServerProcess({ DATA_DIR: folder });
  });
  afterAll(async () => {
    await server.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  const enters = async (email: string, password: string): Promise<boolean> => {
    const response = await fetch(`${server.url}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    return response.status === 200;
  };

  test('while the server runs', () => comesAndGoes({ DATA_DIR: folder }, enters));

  test('beside the server: what it is just taking in stays where it is', async () => {
    const begun = path.join(folder, 'files', 'incoming', 'angefangen');
    await writeFile(begun, 'die ersten Bytes');
    expect(await userProcess({ DATA_DIR: folder }, 'list')).toMatchObject({ code: 0, err: '' });
    expect(await readFile(begun, 'utf8')).toBe('die ersten Bytes');
  });

  test('the file that tells where the server is can be read by its owner only and goes with the server', async () => {
    const file = path.join(folder, 'server.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ url: server.url, pid: expect.any(Number) });
    await server.end('SIGTERM');
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  test('while no server runs, also after one was killed', async () => {
    const killed = await startServerProcess({ DATA_DIR: folder });
    await killed.end('SIGKILL');
    expect(await userProcess({ DATA_DIR: folder }, 'list')).toMatchObject({ code: 0, err: '' });
    await comesAndGoes({ DATA_DIR: folder });
  });
});

describe('D14 npm run user, other backends', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await bootServer();
  });
  afterAll(() => server.stop());

  const enters = async (email: string, password: string): Promise<boolean> =>
    (await server.client().auth.signInWithPassword({ email, password })).error === null;

  test.each([
    ['npm run user', 'src/server/accounts/cli.ts', ['list']],
    ['npm run keys', 'src/server/keys/cli.ts', ['list']],
    ['npm run backup', 'src/server/backup/cli.ts', ['backup', path.join(tmpdir(), 'smca-never.tar')]],
  ])('%s names DATABASE_URL where it is wrong', async (_, file, args) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'smca-cli-'));
    const wrong = new URL(server.databaseUrl);
    wrong.pathname = '/nowhere';
    const { code, out, err } = await runFile(file, args, { DATA_DIR: folder, DATABASE_URL: wrong.href });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^Die Datenbank „nowhere“ gibt es bei \S+ nicht. Prüfe DATABASE_URL.\n/);
    expect(err).not.toContain(wrong.password);
    await rm(folder, { recursive: true, force: true });
  });

  test('against DATABASE_URL', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'smca-cli-'));
    await comesAndGoes({ DATA_DIR: folder, DATABASE_URL: server.databaseUrl }, enters);
    await rm(folder, { recursive: true, force: true });
  });

  test('against a hosted project, which the server plays here', () =>
    lifeOfAnAccount({ SUPABASE_URL: server.url, SUPABASE_SERVICE_KEY: server.backend.keys.secretKey }, enters));

  test('a password that is set for somebody who has not accepted the invitation opens the account', async () => {
    const email = 'eingeladen@beispiel.test';
    await server.service().auth.admin.inviteUserByEmail(email);
    const hosted = { SUPABASE_URL: server.url, SUPABASE_SERVICE_KEY: server.backend.keys.secretKey };
    const given = await user(hosted, 'password', email, '--password', 'selbst ausgedacht');
    expect(given).toMatchObject({ code: 0, err: '' });
    expect(await enters(email, 'selbst ausgedacht')).toBe(true);
  });

  test('a hosted project without the service key, or with the public one, is told', async () => {
    const hosted = { SUPABASE_URL: server.url };
    expect(await userProcess(hosted, 'list')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('SUPABASE_SERVICE_KEY'),
    });
    const publicKey = { ...hosted, SUPABASE_SERVICE_KEY: server.backend.keys.publishableKey };
    expect(await user(publicKey, 'list')).toMatchObject({
      code: 1,
      err: expect.stringContaining('SUPABASE_SERVICE_KEY: ist der öffentliche Schlüssel'),
    });
  });

  test('a backend that cannot be reached is told without any secret', async () => {
    const nowhere = { SUPABASE_URL: 'http://127.0.0.1:1', SUPABASE_SERVICE_KEY: 'sb_secret_geheim' };
    const { code, err } = await user(nowhere, 'list');
    expect([code, err.includes('geheim')]).toEqual([1, false]);
  });
});

describe('D14 npm run user, usage', () => {
  test.each([
    [[], 'Es fehlt, was zu tun ist.'],
    [['anlegen'], 'Unbekannter Befehl: anlegen'],
    [['add', 'a@b.test'], 'Es fehlen Angaben.'],
    [['add', 'a@b.test', 'chef'], 'Unbekannte Rolle: chef'],
    [['add', 'ohne-at', 'admin'], 'Das ist keine E-Mail-Adresse: ohne-at'],
    [['list', 'alles'], 'Es sind zu viele Angaben.'],
    [['list', '--laut'], 'Eine Angabe wird nicht verstanden.'],
  ])('%j → exit 2 and the usage', async (args, message) => {
    const { code, out, err } = await user({}, ...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err).toContain('npm run user -- add E-MAIL ROLLE');
  });

  test('as a process: the exit code, the usage on the right stream', async () => {
    expect(await userProcess({}, 'anlegen')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('npm run user -- add E-MAIL ROLLE'),
    });
    expect(await userProcess({}, '--help')).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('Konten verwalten'),
    });
  });

  test('a bad environment is named', async () => {
    expect(await user({ PORT: 'x' }, 'list')).toMatchObject({ code: 1, err: expect.stringContaining('PORT') });
  });
});
