import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Role } from '#contract/roles.ts';
import { deskApi, handIn } from '#tests/support/desk-calls.ts';
import { spawnServer } from '#tests/support/process.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'smca-traces-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** Files anywhere below the data folder that hold the word: the database's own, its log of changes and its reports too. */
async function filesWith(word: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('grep', ['-rlaF', word, dataDir]).catch(() => ({ stdout: '' }));
  return stdout.split('\n').filter((line) => line !== '');
}

async function enter(
  url: string,
  role: Role,
): Promise<Readonly<{ client: SupabaseClient; token: string; email: string }>> {
  const { supabaseKey } = (await (await fetch(`${url}/config.json`)).json()) as { supabaseKey: string };
  const accounts = JSON.parse(await readFile(path.join(dataDir, 'zugangsdaten.json'), 'utf8')) as { role: string; email: string; password: string }[]; // prettier-ignore
  const client = createClient(url, supabaseKey, { auth: { persistSession: false, autoRefreshToken: false } });
  const account = accounts.find((one) => one.role === role) ?? { email: '', password: '' };
  const { data } = await client.auth.signInWithPassword(account);
  return { client, token: data.session?.access_token ?? '', email: account.email };
}

test('security row 20: after an erasure a search through the whole data folder finds nothing', async () => {
  const word = 'kanarienvogel4711';
  const server = spawnServer({ DATA_DIR: dataDir });
  try {
    const url = await server.url;
    const [member, admin] = [await enter(url, 'firma_a'), await enter(url, 'admin')];
    const person = { ...member, id: '', password: '' };
    const file = { type: 'text/plain', extension: 'txt', bytes: Buffer.from(word.repeat(50)) };
    const facts = { transcript: `Du: ${word} `.repeat(300), name: word, email: `${word}@beispiel.test`, files: [file] };
    await handIn(person, facts);
    const { id } = await handIn(person, { transcript: 'bleibt' });
    // A refusal of the database names the values it refuses.
    await member.client
      .from('interviews')
      .update({ contact_email: `${word} ist keine Adresse` })
      .eq('id', id);
    await member.client.auth.resetPasswordForEmail(`${word}@beispiel.test`);
    expect((await filesWith(word)).length).toBeGreaterThan(1);

    const desk = await deskApi(url, admin.token);
    const erased = await desk('POST', '/v1/desk/erasures', { email: `${word}@beispiel.test` });
    expect(erased).toMatchObject({ status: 200, body: { receipt: { contributions: 1, files: 1 } } });
    expect((await desk('GET', `/v1/desk/contributions/${id}/archive`)).status).toBe(200);
  } finally {
    await server.end('SIGTERM');
  }
  expect(await filesWith(word)).toEqual([]);
}, 120_000);
