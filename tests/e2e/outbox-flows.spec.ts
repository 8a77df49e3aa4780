import { createHash } from 'node:crypto';
import type { Page } from '@playwright/test';
import type { TestUser } from '#tests/support/accounts.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { anon, asOwner, newKey } from '#tests/support/callers.ts';
import { createInterview } from '#tests/support/factories.ts';
import { startCuttingProxy, type CuttingProxy } from '#tests/support/cutting-proxy.ts';
import { bytes } from '#tests/support/storage.ts';
import { repetitions } from '#tests/support/thorough.ts';
import { expect, test as base } from './application.ts';
import { answerAll, ANSWERS, choose, film, getStored } from './files.ts';
import { enterScreen } from './flow.ts';
import { goOffline } from './offline.ts';
import { leaveContact, PICTURE } from './voice-message.ts';

/** The browser reaches the server through a network that can break. */
const test = base.extend<{ network: CuttingProxy }>({
  network: async ({ server }, provide) => {
    const proxy = await startCuttingProxy(server.url);
    await provide(proxy);
    await proxy.stop();
  },
  baseURL: async ({ network }, provide) => provide(network.url),
});
test.use({ serviceWorkers: 'allow' });

const KIBIBYTE = 1024;
const KEEP = 'Auf diesem Gerät sichern';
type Kind = 'document' | 'image' | 'video' | 'contributor';
type Given = Readonly<{ name: string; mimeType: string; buffer: Buffer }>;

/** Bytes of their own for every submission, so that none can stand for another. */
function document(number: number): Given {
  const buffer = Buffer.concat([Buffer.from('%PDF-1.4\n'), bytes(20 * KIBIBYTE, number)]);
  return { name: `bericht-${number}.pdf`, mimeType: 'application/pdf', buffer };
}
function picture(number: number, name = `foto-${number}.png`): Given {
  return { ...PICTURE, name, buffer: Buffer.concat([PICTURE.buffer, bytes(30 * KIBIBYTE, number)]) };
}
function clip(number: number): Given {
  const made = film(60 * KIBIBYTE, `clip-${number}.mp4`);
  return { ...made, buffer: Buffer.concat([made.buffer, bytes(KIBIBYTE, number)]) };
}

const FILES: Readonly<Record<Kind, (number: number) => readonly Given[]>> = {
  document: (number) => [document(number)],
  image: (number) => [picture(number)],
  video: (number) => [clip(number)],
  contributor: (number) => [picture(number), picture(number + 1_000), clip(number)],
};

/** From the choice of the files to the contact details; returns what was handed in. */
async function contribute(page: Page, kind: Kind, number: number): Promise<readonly Given[]> {
  const files = FILES[kind](number);
  await enterScreen(page, kind === 'contributor' ? '/upload' : `/${kind}-upload`);
  await choose(page, [...files]);
  if (kind === 'image' || kind === 'video') {
    await page.getByRole('button', { name: 'Weiter', exact: true }).click();
    await page.getByRole('button', { name: /Textformular/ }).click();
    await answerAll(page);
  }
  await page.getByRole('button', { name: KEEP }).click();
  await expect(page).toHaveURL('/thank-you');
  await leaveContact(page);
  // The toasts of earlier steps say the same. The form closes once the details are kept.
  await expect(page.locator('input:not([readonly])').and(page.getByLabel('Vorname'))).toHaveCount(0);
  return files;
}

type StoredRow = Readonly<{
  id: string;
  contact_email: string | null;
  w_questions_answers: Record<string, string> | null;
  paths: string[] | null;
}>;

/** What has arrived of this user, every file by its sha256. */
async function arrived(server: TestServer, { id }: Pick<TestUser, 'id'>) {
  const rows = await asOwner(server.databaseUrl, (client) =>
    client.query<StoredRow>(
      `select i.id, i.contact_email, i.w_questions_answers,
        array_agg(m.file_path) filter (where m.id is not null) as paths
       from public.interviews i left join public.media_uploads m on m.interview_id = i.id where i.user_id = $1
         group by i.id`,
      [id],
    ),
  );
  const bucket = server.service().storage.from('Media');
  const hashFile = async (path: string): Promise<string> => {
    const { data } = await bucket.download(path);
    return data === null ? 'gone' : hash(Buffer.from(await data.arrayBuffer()));
  };
  return Promise.all(
    rows.rows.map(async (row) => ({ ...row, files: await Promise.all((row.paths ?? []).map(hashFile)) })),
  );
}

function hash(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

const KINDS: readonly Kind[] = ['document', 'contributor', 'image', 'document', 'video', 'contributor', 'document'];
const SUBMISSIONS = repetitions(7, 20);
const CUTS = repetitions(20, 60);

test(`${SUBMISSIONS} submissions offline, a reload, two tabs and ${CUTS} broken connections: each arrives once, byte for byte`, async ({
  page,
  context,
  server,
  network,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  await goOffline(page, context);
  const given: (readonly Given[])[] = [];
  const kinds = Array.from({ length: SUBMISSIONS }, (_, index) => KINDS[index % KINDS.length] ?? 'document');
  for (const [index, kind] of kinds.entries()) {
    given.push(await contribute(page, kind, index + 1));
    if (index === Math.floor(SUBMISSIONS / 2)) await page.reload();
  }
  const other = await context.newPage();
  await other.goto('/ausgangskorb');
  await expect(other.getByText('Wartet auf die Verbindung')).toHaveCount(SUBMISSIONS);

  network.cut({ seed: 20_261_121, most: CUTS, withinBytes: 60 * KIBIBYTE });
  await context.setOffline(false);
  await expect.poll(network.cuts).toBeGreaterThan(CUTS / 6);
  await Promise.all([page.reload(), other.reload()].map((reload) => reload.catch(() => undefined)));
  const sent = other.getByText('Vollständig gesendet');
  await expect(async () => {
    // As a phone tells that it has found a network again.
    await other.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(sent).toHaveCount(SUBMISSIONS, { timeout: 2_000 });
  }).toPass();
  expect(network.cuts()).toBe(CUTS);

  const stored = await arrived(server, user);
  const expected = given.map((files) => files.map(({ buffer }) => hash(buffer)).toSorted());
  expect(stored.map(({ files }) => files.toSorted()).toSorted(byText)).toEqual(expected.toSorted(byText));
  expect(new Set(stored.map(({ contact_email }) => contact_email))).toEqual(new Set(['ada@beispiel.test']));
  const described = stored.filter(({ w_questions_answers: answers }) => answers?.['who'] === ANSWERS['Wer?']);
  expect(described).toHaveLength(kinds.filter((kind) => kind === 'image' || kind === 'video').length);
});

test('a contributor without a login, by a link: kept on this device, sent under the link’s contribution, whose id it keeps', async ({
  page,
  context,
  server,
}) => {
  const key = newKey();
  const id = await createInterview(server.backend.database, anon(key));
  await page.goto(`/upload#i=${id}&k=${key}`);
  await expect(page.getByText(`${id}...`)).toBeVisible();
  await goOffline(page, context);
  const [photo, film] = [picture(901), clip(902)];
  await choose(page, [photo, film]);
  await page.getByRole('button', { name: KEEP }).click();
  await expect(page).toHaveURL('/thank-you');
  await expect(page.getByText('Auf diesem Gerät gesichert')).toBeVisible();
  await expect(page.getByText(film.name)).toBeVisible();
  await page.reload();
  await expect(page.getByText('Auf diesem Gerät gesichert')).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('Auf diesem Gerät gesichert')).toHaveCount(0);
  const { media, objects } = await getStored(server.databaseUrl, String(id));
  expect(media.map(({ file_type: type }) => type)).toEqual(['image/png', 'video/mp4']);
  expect(objects.map(({ size }) => Number(size))).toEqual([photo.buffer.length, film.buffer.length]);
});

test('a flow that began without a network goes on with the real id once there is one', async ({
  page,
  context,
  server,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  await goOffline(page, context);
  await enterScreen(page, '/document-upload');
  await choose(page, document(903));
  await page.getByRole('button', { name: KEEP }).click();
  await expect(page.getByText(/Content-ID: local_/)).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText(/Content-ID: \d+$/)).toBeVisible();
  await expect(page.getByText('Auf diesem Gerät gesichert')).toHaveCount(0);
  await expect(page.getByText('bericht-903.pdf')).toBeVisible();
  await leaveContact(page);
  await expect(page.getByText('Ihre Kontaktdaten wurden gespeichert.').first()).toBeVisible();
  const [row, ...others] = await arrived(server, user);
  expect(others).toEqual([]);
  expect(row).toMatchObject({ contact_email: 'ada@beispiel.test', files: [hash(document(903).buffer)] });
});

function byText(one: readonly string[], other: readonly string[]): number {
  return one.join() < other.join() ? -1 : 1;
}
