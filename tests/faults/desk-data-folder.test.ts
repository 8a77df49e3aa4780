import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deskApi, handIn } from '#tests/support/desk-calls.ts';
import { enterAs } from '#tests/support/first-accounts.ts';
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

test('security row 20: after an erasure a search through the whole data folder finds nothing', async () => {
  const word = 'kanarienvogel4711';
  const server = spawnServer({ DATA_DIR: dataDir });
  try {
    const url = await server.url;
    const [person, admin] = [await enterAs(url, dataDir, 'firma_a'), await enterAs(url, dataDir, 'admin')];
    const file = { type: 'text/plain', extension: 'txt', bytes: Buffer.from(word.repeat(50)) };
    const facts = { transcript: `Du: ${word} `.repeat(300), name: word, email: `${word}@beispiel.test`, files: [file] };
    await handIn(person, facts);
    const { id } = await handIn(person, { transcript: 'bleibt' });
    await person.client.auth.resetPasswordForEmail(`${word}@beispiel.test`);
    expect((await filesWith(word)).length).toBeGreaterThan(1);

    const desk = await deskApi(url, admin);
    const erased = await desk('POST', '/v1/desk/erasures', { email: `${word}@beispiel.test` });
    expect(erased).toMatchObject({ status: 200, body: { receipt: { contributions: 1, files: 1 } } });
    expect((await desk('GET', `/v1/desk/contributions/${id}/archive`)).status).toBe(200);
  } finally {
    await server.end('SIGTERM');
  }
  expect(await filesWith(word)).toEqual([]);
}, 120_000);
