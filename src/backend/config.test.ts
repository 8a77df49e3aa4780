import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { IGNORED, REFUSED } from './config-unsupported.ts';
import { readProjectConfig } from './config.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-config-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function read(toml: string, env: NodeJS.ProcessEnv = {}) {
  await writeFile(path.join(folder, 'config.toml'), toml);
  return readProjectConfig(folder, env);
}

test('Uses upstream’s defaults without a file', async () => {
  const config = await readProjectConfig(folder, {});
  expect(config.api).toMatchObject({ schemas: ['public', 'graphql_public'], max_rows: 1000 });
  expect(config.auth).toMatchObject({ jwt_expiry: 3600, refresh_token_reuse_interval: 10, enable_signup: true });
  expect(config.storage.file_size_limit).toBe(50 * 1024 * 1024);
});

test('Ignores keys of other services', async () => {
  expect((await read('[studio]\nenabled = true\n[api]\nmax_rows = 7\nport = 54321')).api.max_rows).toBe(7);
});

test('env(NAME) takes the value from the environment', async () => {
  expect((await read('[auth]\njwt_secret = "env(MY_SECRET)"', { MY_SECRET: 'geheim' })).auth.jwt_secret).toBe('geheim');
});

test.each([
  ['"50MiB"', 50 * 1024 ** 2],
  ['"20mb"', 20 * 1024 ** 2],
  ['"2GiB"', 2 * 1024 ** 3],
  ['"1.5k"', 1536],
  ['1024', 1024],
])('file_size_limit = %s is %i bytes', async (written, bytes) => {
  expect((await read(`[storage]\nfile_size_limit = ${written}`)).storage.file_size_limit).toBe(bytes);
});

test('Names a bad value with its key and file', async () => {
  await expect(read('[auth]\njwt_expiry = "bald"')).rejects.toThrow(/config\.toml[\s\S]*auth\.jwt_expiry/);
});

const readIgnoredKeys = async (toml: string): Promise<string[]> => {
  const onIgnored: string[] = [];
  await writeFile(path.join(folder, 'config.toml'), toml);
  await readProjectConfig(folder, {}, (key) => void onIgnored.push(key));
  return onIgnored;
};

test.each(Object.keys(REFUSED))(
  '[auth.%s] enabled = true is refused at the start, disabled it is ignored',
  async (name) => {
    await expect(read(`[auth.${name}]\nenabled = true`)).rejects.toThrow(
      `[auth.${name}] enabled = true: ${REFUSED[name]}`,
    );
    expect(await readIgnoredKeys(`[auth.${name}]\nenabled = false\nurl = "x"`)).toEqual([]);
  },
);

test.each(Object.keys(IGNORED))('auth.%s is ignored with a reason in the log', async (name) => {
  const [section, key] = [name.split('.').slice(0, -1), name.split('.').at(-1)];
  const written = `[${['auth', ...section].join('.')}]\n${key} = "x"`;
  expect(await readIgnoredKeys(written)).toEqual([`auth.${name}: ${IGNORED[name]}`]);
});

test('Names an unknown key of [auth] once and no known one', async () => {
  const toml = `[auth]\nminimum_pasword_length = 12\nsite_url = "https://x.test"
    [auth.external.google]\nenabled = true\nsecrets = "x"\n[auth.sms.test_otp]\n491 = "123456"`;
  expect(await readIgnoredKeys(toml)).toEqual([
    'auth.minimum_pasword_length: unknown',
    'auth.external.google.secrets: unknown',
  ]);
});

test('This repository’s own file has no ignored key', async () => {
  const onIgnored: string[] = [];
  await readProjectConfig('supabase', {}, (key) => void onIgnored.push(key));
  expect(onIgnored).toEqual([]);
});
