import type { Page } from '@playwright/test';
import { anon, newKey } from '#tests/support/callers.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { createInterview } from '#tests/support/factories.ts';
import { HOSTILE_FILES, LIVE_PAGE, type HostileFile } from '#tests/support/hostile-files.ts';
import { acceptEveryType } from '#tests/support/storage.ts';
import { expect, test } from './application.ts';
import { listen } from './canary.ts';
import { choose } from './files.ts';

test.use({ apart: 'hostile' });

type Uploaded = Readonly<{ given: HostileFile; path: string }>;

/** As anybody with a key could, past every screen: any type under any name. */
async function upload(server: TestServer, key: string, id: number): Promise<Uploaded[]> {
  const stored: Uploaded[] = [];
  for (const [index, given] of HOSTILE_FILES.entries()) {
    const extension = /\.(\w+)$/.exec(given.name)?.[1] ?? 'bin';
    const path = `${id}/${index}_${'0'.repeat(32)}.${extension}`;
    const body = new FormData();
    body.append('contentType', given.type);
    body.append('', new Blob([new Uint8Array(given.content)]));
    const answer = await fetch(`${server.url}/storage/v1/object/Media/${path}`, {
      method: 'POST',
      headers: { 'x-interview-key': key, apikey: server.backend.keys.publishableKey },
      body,
    });
    if (answer.ok) stored.push({ given, path });
    else expect(answer.status, given.name).toBe(400);
  }
  return stored;
}

/** Whether a browser may show it: pictures, sound, PDF and plain text that are what they say. */
const SHOWN = /^(image\/(png|jpeg|gif|webp|bmp|avif)|audio\/|video\/|application\/pdf|text\/plain)/;

async function expectSafe(address: string, { given }: Uploaded, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(address, { headers });
  await answer.arrayBuffer();
  expect(answer.status, given.name).toBe(200);
  expect(answer.headers.get('x-content-type-options'), given.name).toBe('nosniff');
  expect(answer.headers.get('content-security-policy'), given.name).toBe("sandbox; default-src 'none'");
  const type = answer.headers.get('content-type') ?? '';
  expect(type, given.name).not.toMatch(/^text\/html/i);
  if (!SHOWN.test(type)) expect(answer.headers.get('content-disposition'), given.name).toMatch(/^attachment/);
}

/** Opens every address in the tab, as a link to it would; a download is no page. */
async function openAll(page: Page, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    await page.goto(address).catch((error: Error) => {
      if (!/Download is starting|ERR_ABORTED/.test(error.message)) throw error;
    });
  }
}

test(`threat 8: ${HOSTILE_FILES.length} hostile files, opened by every address there is: no script runs`, async ({
  browser,
  server,
}) => {
  const key = newKey();
  const id = await createInterview(server.backend.database, anon(key));
  await acceptEveryType(server);
  const stored = await upload(server, key, id);
  expect(stored.length).toBeGreaterThanOrEqual(60);
  const { publishableKey } = server.backend.keys;
  const headers = { 'x-interview-key': key, apikey: publishableKey, authorization: `Bearer ${publishableKey}` };
  const bucket = server.client({ headers: { 'x-interview-key': key } }).storage.from('Media');
  const signed = await bucket.createSignedUrls(
    stored.map(({ path }) => path),
    600,
  );
  const base = `${server.url}/storage/v1/object`;
  await server.service().storage.updateBucket('Media', { public: true });

  const opened = await browser.newContext({ baseURL: server.url, extraHTTPHeaders: headers });
  const heard = await listen(opened);
  const kinds = [
    stored.map(({ path }) => `${base}/Media/${path}`),
    stored.map(({ path }) => `${base}/authenticated/Media/${path}`),
    (signed.data ?? []).map(({ signedUrl }) => signedUrl ?? ''),
    stored.map(({ path }) => `${base}/public/Media/${path}`),
  ];
  for (const addresses of kinds) {
    expect(addresses).toHaveLength(stored.length);
    for (const [place, address] of addresses.entries()) {
      const file = stored[place];
      if (file !== undefined) await expectSafe(address, file, headers);
    }
  }
  await Promise.all(kinds.map(async (addresses) => openAll(await opened.newPage(), addresses)));
  expect(heard).toEqual([]);
  await opened.close();
});

const MISLEADING = ['.jpg', '.png', '.webp', '.jpeg', '.mp4', '.webm', '.mov'] as const;

test('threat 8: the screens show the same files by object addresses: no script runs, nor in a tab of its own', async ({
  page,
  context,
  server,
}) => {
  const heard = await listen(context);
  await page.route('**/live', (route) => route.fulfill({ contentType: 'text/html', body: LIVE_PAGE }));
  await page.goto(`${server.url}/live`);
  await expect.poll(() => heard.length, 'the canary sings where a page really runs').toBeGreaterThan(1);
  await page.goto('/upload');
  heard.length = 0;
  const files = HOSTILE_FILES.map(({ content }, index) => ({
    name: `"><img src=x onerror=canary(1)>${index}${MISLEADING[index % MISLEADING.length]}`,
    mimeType: HOSTILE_FILES[index]?.type ?? '',
    buffer: content,
  }));
  await expect(page.getByRole('heading', { name: 'Upload von Medien' })).toBeVisible();
  let opened = 0;
  const list = page.getByRole('list', { name: 'Ausgewählte Dateien' });
  for (let first = 0; first < files.length; first += 10) {
    const some = files.slice(first, first + 10);
    await choose(page, some);
    await expect(list.getByRole('listitem')).toHaveCount(some.length);
    const shown = await list
      .locator('img')
      .evaluateAll((images) => images.map((image) => (image instanceof HTMLImageElement ? image.src : '')));
    for (const address of shown) {
      const [tab] = await Promise.all([
        context.waitForEvent('page'),
        page.evaluate((url) => void window.open(url), address),
      ]);
      await tab.waitForLoadState();
      await tab.close();
      opened += 1;
    }
    for (const _ of some)
      await list
        .getByRole('button', { name: /entfernen$/ })
        .first()
        .click();
    await expect(list).toHaveCount(0);
  }
  expect(opened).toBeGreaterThan(20);
  expect(heard).toEqual([]);
});
