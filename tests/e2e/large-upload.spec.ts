import { open } from 'node:fs/promises';
import { anon, newKey } from '#tests/support/callers.ts';
import { createInterview } from '#tests/support/factories.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { startS3 } from '#tests/support/s3.ts';
import { repetitions } from '#tests/support/thorough.ts';
import { choose, getStored } from './files.ts';
import { expect, test } from './application.ts';

// A trace would hold every byte.
if (process.env['TRACE'] === 'true') test.use({ trace: 'off' });

const MEBIBYTE = 1024 ** 2;
/** In a thorough run D19's largest video, to the byte. */
const MEBIBYTES = repetitions(256, 2048);
const SIZE = MEBIBYTES * MEBIBYTE;
const MARK_EVERY = SIZE / 8;

/** A file that takes no room on the disk, with its place written into it at eight places. */
async function sparseFilm(path: string): Promise<void> {
  const file = await open(path, 'w');
  await file.truncate(SIZE);
  await file.write(Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex'), 0, 24, 0);
  for (let place = MARK_EVERY; place < SIZE; place += MARK_EVERY) await file.write(markAt(place), 0, 16, place);
  await file.write(markAt(SIZE - 16), 0, 16, SIZE - 16);
  await file.close();
}

function markAt(place: number): Buffer {
  return Buffer.from(place.toString(16).padStart(16, '0'));
}

type Store = Readonly<{ boot: () => Promise<TestServer & { end: () => Promise<void> }> }>;
const STORES: Readonly<Record<'disk' | 's3', Store>> = {
  disk: {
    boot: async () => {
      const server = await bootServer();
      return { ...server, end: server.stop };
    },
  },
  s3: {
    boot: async () => {
      const s3 = await startS3();
      const server = await bootServer(s3.env);
      return { ...server, end: () => server.stop().then(s3.stop) };
    },
  },
};

/** The S3 server of the tests takes minutes for it: only a thorough run has it. */
const kinds = (['disk', 's3'] as const).slice(0, repetitions(1, 2));

for (const kind of kinds) {
  test(`A video of ${MEBIBYTES} MB arrives whole on ${kind} (D19)`, async ({ browser }, testInfo) => {
    test.setTimeout(900_000);
    const server = await STORES[kind].boot();
    const context = await browser.newContext({ baseURL: server.url, locale: 'de-DE' });
    try {
      const key = newKey();
      const id = String(await createInterview(server.backend.database, anon(key)));
      const film = testInfo.outputPath('maschine.mp4');
      await sparseFilm(film);
      const page = await context.newPage();
      await page.goto(`/upload#i=${id}&k=${key}`);
      await choose(page, film);
      await expect(page.getByText(`${MEBIBYTES.toLocaleString('de-DE')},0 MB`)).toBeVisible();
      await page.getByRole('button', { name: 'Hochladen', exact: true }).click();
      await expect(page).toHaveURL('/thank-you', { timeout: 880_000 });
      const { media, objects } = await getStored(server.databaseUrl, id);
      expect(objects).toEqual([{ name: media[0]?.file_path, size: String(SIZE) }]);
      const headers = { 'x-interview-key': key, apikey: server.backend.keys.publishableKey };
      for (const place of [MARK_EVERY, 5 * MARK_EVERY, SIZE - 16]) {
        const part = await fetch(`${server.url}/storage/v1/object/Media/${media[0]?.file_path}`, {
          headers: { ...headers, range: `bytes=${place}-${place + 15}` },
        });
        expect(part.status).toBe(206);
        expect(await part.text()).toBe(markAt(place).toString());
      }
    } finally {
      await context.close();
      await server.end();
    }
  });
}
