import { request } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import path from 'node:path';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { onEachStore, openStage, type Stage } from '#tests/support/storage.ts';
import { repetitions } from '#tests/support/thorough.ts';

const NAMES = repetitions(250, 1_000);

/** Past every client that would tidy the path up first. */
function send(stage: Stage, method: string, target: string, body = ''): Promise<{ status: number; text: string }> {
  const { server } = stage;
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.backend.keys.secretKey}`, 'x-upsert': 'true' };
    const sending = request({ hostname, port, method, path: target, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sending.once('error', reject).end(body);
  });
}

const nasty = fc.constantFrom(
  '..',
  '../..',
  '.',
  '/',
  '//',
  '%2e%2e%2f',
  '%2f',
  '%00',
  '%0d%0a',
  '%5c',
  '\\',
  '..%2f..%2fetc%2fpasswd',
  '~',
  '%c3%bc',
  '%ff',
  'C:',
  'CON',
  ' ',
  '%20',
  '*',
  '$(id)',
  '`',
  "'",
  '"',
  ';',
  '&',
  '?',
  '#',
  '%25',
  '.emptyFolderPlaceholder',
  'incoming',
  'objects',
);
const encoded = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed()));
const nameArbitrary = fc
  .array(fc.oneof(nasty, encoded, fc.webSegment()), { minLength: 1, maxLength: 6 })
  .chain((parts) => fc.constantFrom('', '/').map((glue) => parts.join(glue).replaceAll(/[^\u0021-\u007E]/g, '%20')));

test(`threat 17: ${NAMES} generated names write nothing outside, and are never an error of ours`, async () => {
  const outer = await mkdtemp(path.join(tmpdir(), 'smca-names-'));
  const files = 'some/where/data/files/objects';
  const stage = await openStage('disk', { DATA_DIR: path.join(outer, 'some/where/data') });
  try {
    const everything = (): Promise<string[]> => readdir(outer, { recursive: true });
    const isFile = (entry: string): boolean => entry.startsWith(files) && /\/[\da-f]{2}\/[\da-f-]{36}$/.test(entry);
    const isShard = (entry: string): boolean => entry.startsWith(files) && /\/objects\/[\da-f]{2}$/.test(entry);
    const others = async (): Promise<string[]> =>
      (await everything()).filter((entry) => !isFile(entry) && !isShard(entry)).toSorted();
    const before = await others();
    let stored = 0;
    await fc.assert(
      fc.asyncProperty(nameArbitrary, async (name) => {
        const put = await send(stage, 'POST', `/storage/v1/object/private/${name}`, 'content');
        expect(put.status).toBeLessThan(500);
        for (const call of [
          'object/private',
          'object/info/private',
          'object/public',
          'bucket',
          'object/sign/private',
        ]) {
          expect((await send(stage, 'GET', `/storage/v1/${call}/${name}`)).status).toBeLessThan(500);
        }
        if (put.status !== 200) return;
        stored += 1;
        expect((await send(stage, 'GET', `/storage/v1/object/private/${name}`)).text).toBe('content');
      }),
      { numRuns: NAMES },
    );
    expect(stored).toBeGreaterThan(NAMES / 50);
    expect(await others()).toEqual(before);
    const [row] = await stage.sql('select count(*)::int as n from storage.objects');
    expect((await everything()).filter(isFile)).toHaveLength(Number(row?.['n']));
  } finally {
    await stage.close();
    await rm(outer, { recursive: true, force: true });
  }
});

onEachStore((stage) => {
  test.each(["a/b c/!-_.*'()&$@=;:+,d.txt", '../../up', './here', 'a//b', 'a'.repeat(1_024)])(
    'The key %.40j is taken as it is (contract §3.1)',
    async (name) => {
      const target = `/storage/v1/object/private/${name.split('/').map(encodeURIComponent).join('/')}`;
      expect(JSON.parse((await send(stage(), 'POST', target, 'x')).text)).toMatchObject({ Key: `private/${name}` });
      expect((await send(stage(), 'GET', target)).text).toBe('x');
      const [row] = await stage().sql('select name from storage.objects where name = $1', [name]);
      expect(row).toEqual({ name });
    },
  );

  test.each(['Müll.txt', 'a%b', 'a"b', 'a\nb', 'a\\b', '', '\u0000', '💥', 'a'.repeat(1_025)])(
    'The key %.40j is InvalidKey (contract §3.1)',
    async (name) => {
      const target = `/storage/v1/object/private/${encodeURIComponent(name)}`;
      const answer = await send(stage(), 'POST', target, 'x');
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.text)).toEqual({
        statusCode: '400',
        error: 'InvalidKey',
        code: 'InvalidKey',
        message: `Invalid key: ${name}`,
      });
    },
  );
});
