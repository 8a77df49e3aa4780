import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from '@playwright/test';
import type { Role } from '#contract/roles.ts';
import { toPng } from '../../scripts/seed/canvas.ts';
import { film } from '../../scripts/seed/film.ts';
import { drawScene } from '../../scripts/seed/scenes.ts';
import { type ServerProcess, spawnServer } from '#tests/support/process.ts';
import { expect, login, test as base } from './application.ts';
import { answerAll, choose, REPORT } from './files.ts';
import { PICTURES } from './pictures.ts';
import { CHANNEL, expectOwnState, linkInMail, publish, sendForReview, writeFromMaterial } from './posts-loop.ts';
import { getCard } from './review.ts';
import { leaveContact, record } from './voice-message.ts';

/** A walk as each role, from a fresh `npm start` to an answered contribution: docs/walkthrough.md. */
type Installation = Readonly<{ url: string; dataDir: string; browser: Browser; password: (role: Role) => string }>;

/** Painted, because the pictures of the walk show them. */
const PICTURE = { name: 'werkstatt.png', mimeType: 'image/png', buffer: toPng(drawScene('workshop', 1, 540, 360)) };
const FILM = { name: 'halle.mp4', mimeType: 'video/mp4', buffer: film('workshop', 2) };

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 800 };

const test = base.extend<{ installation: Installation }>({
  installation: async ({ browser }, provide) => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'smca-walk-'));
    const server: ServerProcess = spawnServer({ DATA_DIR: dataDir, DESK_MAIL_PAUSE_S: '0' });
    const url = await server.url;
    const file = await readFile(path.join(dataDir, 'zugangsdaten.json'), 'utf8');
    const accounts = JSON.parse(file) as readonly { role: Role; password: string }[];
    const password = (role: Role) => accounts.find((one) => one.role === role)?.password ?? '';
    await provide({ url, dataDir, browser, password });
    await server.end('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  },
});

async function open({ browser, url }: Installation, viewport: typeof PHONE): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, locale: 'de-DE', viewport, permissions: ['microphone'] });
  await context.addInitScript(() => {
    Reflect.deleteProperty(globalThis, 'SpeechRecognition');
    Reflect.deleteProperty(globalThis, 'webkitSpeechRecognition');
  });
  return context.newPage();
}

async function enter(installation: Installation, role: Role, viewport = PHONE): Promise<Page> {
  const page = await open(installation, viewport);
  await login(page, { email: `${role.replace('_', '-')}@beispiel.test`, password: installation.password(role) });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  return page;
}

async function show(page: Page, name: string): Promise<void> {
  const close = page.getByRole('button', { name: 'Meldung schließen' });
  // It may go by itself right now.
  if (await close.isVisible()) await close.click({ timeout: 1_000 }).catch(() => undefined);
  await expect(close).toHaveCount(0);
  await expect(page.getByText(/^Lade /)).toHaveCount(0);
  if (!PICTURES) return;
  await page.waitForFunction(() =>
    [...document.images].every((image) => image.complete || image.getBoundingClientRect().top > window.innerHeight),
  );
  await mkdir('docs/walkthrough', { recursive: true });
  await page.screenshot({ path: `docs/walkthrough/${name}.png`, animations: 'disabled' });
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();

test('From a fresh start to an answered and published contribution, as each role', async ({ installation }) => {
  const admin = await enter(installation, 'admin', DESK);
  await show(admin, '01-administration');
  await admin.goto('/admin/einrichtung');
  await expect(admin.getByRole('heading', { level: 1 })).toHaveText('Einrichtung');
  await show(admin, '02-einrichtung');

  const member = await enter(installation, 'firma_a');
  await show(member, '03-start-firma');
  await member
    .getByRole('link', { name: /Sprachnachricht/ })
    .first()
    .click();
  await expect(member.getByRole('button', { name: 'Aufnahme starten' })).toBeVisible();
  await show(member, '04-sprachnachricht');
  await record(member, 3);
  await show(member, '05-aufnahme-fertig');
  await press(member, 'Weiter');
  await member
    .getByRole('textbox', { name: 'Transkript' })
    .fill(
      'Du: Unsere neue Prüfmaschine misst jedes Bauteil in unter zwei Sekunden. Früher ging jedes Teil in den Messraum.',
    );
  await show(member, '06-text');
  await press(member, 'Weiter zum Bild-Upload');
  await choose(member, PICTURE);
  await press(member, 'Hochladen');
  await expect(member.getByRole('heading', { level: 1 })).toHaveText('Vielen Dank für deinen Beitrag!');
  await show(member, '07-kontaktdaten');
  const id = Number(/\d+/.exec((await member.getByText(/^Content-ID: /).textContent()) ?? '')?.[0]);
  const link = new URL(await member.getByLabel('Link', { exact: true }).inputValue());

  const guest = await open(installation, PHONE);
  await guest.goto(`${link.pathname}${link.hash}`);
  await expect(guest.getByRole('heading', { name: 'Upload von Medien' })).toBeVisible();
  await choose(guest, FILM);
  await show(guest, '08-gast');
  await press(guest, 'Hochladen');
  await expect(guest).toHaveURL('/thank-you');
  await show(guest, '09-gast-fertig');

  await leaveContact(member);
  await expect(member).toHaveURL('/firma-a');
  await expectOwnState(member, 'Eingegangen');

  await handInOthers(installation);

  await admin.goto('/admin/eingang');
  await expect(
    admin
      .getByRole('main')
      .getByText(/Prüfmaschine/)
      .first(),
  ).toBeVisible();
  await show(admin, '10-eingang');
  await admin.goto(`/admin/eingang/${id}`);
  await press(admin, 'In Arbeit nehmen');
  await expect(admin.getByRole('button', { name: 'In Arbeit nehmen' })).toHaveCount(0);
  await show(admin, '11-beitrag');
  await writeFromMaterial(admin);
  await show(admin, '12-post');
  await sendForReview(admin);

  await expectOwnState(member, 'Wartet auf dich');
  await show(member, '13-wartet-auf-dich');
  const reviewer = await open(installation, PHONE);
  await reviewer.goto(await linkInMail(installation, id, 1));
  await expect(reviewer.getByRole('heading', { level: 1 })).toHaveText('Hallo Ada!');
  await show(reviewer, '14-freigabe');
  await getCard(reviewer, CHANNEL).getByRole('button', { name: 'Passt so' }).click();
  await expect(getCard(reviewer, CHANNEL)).toContainText('Du hast Ja gesagt');

  await admin.reload();
  await expect(admin.getByText('1 von 1 freigegeben')).toBeVisible();
  await publish(admin, id);
  await expectOwnState(member, 'Veröffentlicht');
  await show(member, '15-veroeffentlicht');
});

/** The other three roles: a picture with answers, a document, a voice message in the test area. */
async function handInOthers(installation: Installation): Promise<void> {
  const association = await enter(installation, 'vdi_admin');
  await association.goto('/image-upload');
  await choose(association, PICTURE);
  await press(association, 'Weiter');
  await press(association, /Textformular/);
  await answerAll(association);
  await press(association, 'Absenden');
  await handOver(association);

  const company = await enter(installation, 'firma_b');
  await company.goto('/firma-b/document-upload');
  await choose(company, REPORT);
  await press(company, 'Hochladen');
  await handOver(company);

  const tester = await enter(installation, 'testnormec');
  await tester.goto('/testnormec/voice-message');
  await record(tester, 1);
  await press(tester, 'Hochladen & Transkribieren');
  await tester.getByRole('textbox', { name: 'Transkript' }).fill('Du: Ein Versuch im Testbereich.');
  await press(tester, 'Weiter zum Bild-Upload');
  await press(tester, 'Überspringen');
  await handOver(tester);
}

async function handOver(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Vielen Dank für deinen Beitrag!');
  await leaveContact(page);
  // Left before that, the contact details would not arrive.
  await expect(page).not.toHaveURL(/thank-you/);
  await expectOwnState(page, 'Eingegangen');
  await page.context().close();
}
