import type { Page } from '@playwright/test';
import type { TestUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { contribute, type ContributionFacts } from '#tests/support/desk.ts';
import { expect, test } from './application.ts';
import { findings } from './findings.ts';
import { leaveContact } from './voice-message.ts';

test.use({ apart: 'unfinished' });

async function contributeUnfinished(
  server: TestServer,
  { id: userId, email: userEmail }: TestUser,
  facts: ContributionFacts,
): Promise<number> {
  const id = await contribute(server, { userId, userEmail, email: 'ada@beispiel.test', ...facts });
  await asOwner(server.databaseUrl, (client) =>
    client.query('update interviews set contact_email = null where id = $1', [id]),
  );
  return id;
}

const section = (page: Page) => page.getByRole('region', { name: 'Noch nicht abgeschlossen' });
const goOn = (page: Page) => section(page).getByRole('button', { name: /^Weitermachen/ });
const question = (page: Page) => page.getByRole('alertdialog', { name: 'Dein Beitrag ist noch nicht abgesendet' });

for (const [role, area, base] of [
  ['vdi_admin', 'generic', ''],
  ['firma_a', 'firma-a', '/firma-a'],
] as const)
  test(`${role}: the start page offers an unfinished contribution; leaving it again asks first, a logout does not (§2.11, §4)`, async ({
    page,
    server,
    loginAs,
  }) => {
    const user = await loginAs(role);
    const id = await contributeUnfinished(server, user, {
      origin: { area, kind: 'voice_message' },
      transcript: 'Du: Fast fertig.',
    });
    const home = base === '' ? '/' : base;
    await page.goto(home);
    await expect(section(page)).toContainText('Es fehlen noch: deine Kontaktdaten.');
    // It is rising: pale until it stands.
    await expect.poll(() => findings(page)).toEqual([]);
    await goOn(page).click();
    await expect(page).toHaveURL(`${base}/thank-you`);
    await expect(page.getByText(`Content-ID: ${id}`)).toBeVisible();
    await expect(page.getByText('Schritt 4 von 4')).toBeVisible();

    await page.getByRole('link', { name: 'Zum eigenen Bereich' }).click();
    await question(page).getByRole('button', { name: 'Hier bleiben' }).click();
    await expect(page).toHaveURL(`${base}/thank-you`);
    await page.goBack();
    await question(page).getByRole('button', { name: 'Hier bleiben' }).click();
    await expect(page).toHaveURL(`${base}/thank-you`);
    await page.getByRole('link', { name: 'Zum eigenen Bereich' }).click();
    await question(page).getByRole('button', { name: 'Trotzdem gehen' }).click();
    await expect(page).toHaveURL(home);

    await goOn(page).click();
    await expect(page).toHaveURL(`${base}/thank-you`);
    if (role === 'firma_a') {
      await page.getByRole('button', { name: 'Abmelden' }).click();
      await expect(page).toHaveURL('/login');
      return;
    }
    await leaveContact(page);
    await expect(page).toHaveURL(home);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(section(page)).toHaveCount(0);
  });

test('What comes after the start page moves nothing on it, at a first visit and later (decision 0351)', async ({
  page,
  server,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin', '/impressum');
  await contributeUnfinished(server, user, {
    origin: { area: 'generic', kind: 'voice_message' },
    transcript: 'Du: Fast fertig.',
  });
  const card = page.getByRole('link', { name: /^Sprachnachricht/ });
  let held = Promise.withResolvers<void>();
  await page.route('**/rpc/own_contributions*', async (route) => {
    await held.promise;
    await route.continue();
  });
  for (const isFirst of [true, false]) {
    held = Promise.withResolvers();
    const asked = page.waitForRequest('**/rpc/own_contributions*');
    await page.goto('/');
    await asked;
    const before = await card.boundingBox();
    held.resolve();
    await expect(section(page)).toBeVisible();
    expect(await card.boundingBox()).toEqual(before);
    const [at, after] = await Promise.all([section(page).boundingBox(), card.boundingBox()]);
    expect((at?.y ?? 0) > (after?.y ?? 0)).toBe(isFirst);
  }
  await goOn(page).click();
  await leaveContact(page);
  await expect(page).toHaveURL('/');
  await expect(section(page)).toHaveCount(0);
});
