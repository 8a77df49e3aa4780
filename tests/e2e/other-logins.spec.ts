import type { Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { openFrontDoor, type FrontDoor } from '#tests/support/front-door.ts';
import { startOpenidProvider, type OpenidProvider } from '#tests/support/openid-provider.ts';
import { projectFolder } from '#tests/support/project-folder.ts';
import { createSamlIdp, type IdpOptions, type SamlIdp } from '#tests/support/saml-idp.ts';
import { startSamlPages, type SamlPages } from '#tests/support/saml-pages.ts';
import { openAccount } from './account.ts';
import { expect, test } from './application.ts';
import { picture } from './pictures.ts';

test.describe.configure({ mode: 'serial' });

let door: FrontDoor;
let openid: OpenidProvider;
let pages: SamlPages;
let server: TestServer;
let removeFolder: () => Promise<void>;
let spMetadata = '';
test.beforeAll(async () => {
  door = await openFrontDoor();
  openid = await startOpenidProvider(`${door.url}/auth/v1/callback`);
  pages = await startSamlPages();
  const { client_id, secret, url } = openid.config;
  const project = await projectFolder(
    `[auth.saml]
enabled = true
[auth.external.keycloak]
enabled = true
client_id = "${client_id}"
secret = "${secret}"
url = "${url}"
[auth.external.azure]
enabled = true
client_id = "x"
secret = "y"
url = "http://127.0.0.1:1/niemand"
`,
    `internal_hosts = ["${openid.host}"]`,
  );
  removeFolder = project.remove;
  server = await bootServer({ SUPABASE_DIR: project.folder, PUBLIC_URL: door.url });
  door.leadTo(server.url);
  spMetadata = await (await fetch(`${door.url}/auth/v1/sso/saml/metadata`)).text();
});
test.afterAll(async () => {
  await server.stop();
  await Promise.all([door.stop(), openid.stop(), pages.stop(), removeFolder()]);
});

/** A company with a login of its own for addresses of this domain. */
async function establish(company: string, options: IdpOptions = {}): Promise<SamlIdp> {
  const idp = createSamlIdp(spMetadata, { ...options, location: pages.getLocation(company) });
  const response = await fetch(`${server.url}/auth/v1/admin/sso/providers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${server.backend.keys.secretKey}` },
    body: JSON.stringify({ type: 'saml', metadata_xml: idp.metadata, domains: [`${company}.test`] }),
  });
  expect(response.status, await response.text()).toBe(201);
  return idp;
}

async function toCompany(page: Page, email: string): Promise<void> {
  await page.goto(`${door.url}/login`);
  await page.getByRole('link', { name: 'Mit dem Firmenkonto anmelden' }).click();
  await page.getByLabel('E-Mail').fill(email);
  await page.getByRole('button', { name: 'Weiter' }).click();
}

test('company login: first without a role, then with one on its start screen; the account is the company’s', async ({
  page,
}) => {
  const idp = await establish('werk');
  const email = 'anna@werk.test';
  pages.expectPerson('werk', idp, email);
  await toCompany(page, email);
  await page.getByRole('button', { name: `Als ${email} fortfahren` }).click();
  await expect(page).toHaveURL(`${door.url}/no-role`);
  await expect(page.getByText(email)).toBeVisible();
  await asOwner(server.databaseUrl, (client) =>
    client.query(
      `insert into public.user_roles (user_id, role) select id, 'firma_a' from auth.users where email = $1`,
      [email],
    ),
  );
  await page.getByRole('button', { name: 'Abmelden' }).click();
  await toCompany(page, email);
  await page.getByRole('button', { name: `Als ${email} fortfahren` }).click();
  await expect(page).toHaveURL(`${door.url}/firma-a`);
  await expect(page.getByRole('heading', { name: /^Willkommen, / })).toBeVisible();
  await openAccount(page);
  await expect(page.getByText('Dein Konto verwaltet deine Firma')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Passwort ändern' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Adresse ändern' })).toHaveCount(0);
});

test('company login: an answer too old or signed by somebody else ends at the login, in words, and the next try works', async ({
  page,
}) => {
  const forged = await establish('falsch', { key: 'another' });
  pages.expectPerson('falsch', forged, 'eva@falsch.test');
  await toCompany(page, 'eva@falsch.test');
  await page.getByRole('button', { name: 'Als eva@falsch.test fortfahren' }).click();
  await expect(page).toHaveURL(`${door.url}/login`);
  await expect(page.getByText('Die Anmeldung wurde nicht angenommen')).toBeVisible();

  const late = await establish('spaet');
  pages.expectPerson('spaet', late, 'udo@spaet.test', { from: -900, until: -600 });
  await toCompany(page, 'udo@spaet.test');
  await page.getByRole('button', { name: 'Als udo@spaet.test fortfahren' }).click();
  await expect(page.getByText('Die Anmeldung wurde nicht angenommen')).toBeVisible();
  await expect(page).toHaveURL(`${door.url}/login`);
  pages.expectPerson('spaet', late, 'udo@spaet.test');
  await toCompany(page, 'udo@spaet.test');
  await page.getByRole('button', { name: 'Als udo@spaet.test fortfahren' }).click();
  await expect(page).toHaveURL(`${door.url}/no-role`);

  await page.getByRole('button', { name: 'Abmelden' }).click();
  await toCompany(page, 'ada@unbekannt.test');
  await expect(page.getByText('Für diese Adresse ist keine Anmeldung mit Firmenkonto eingerichtet.')).toBeVisible();
});

test('other provider: no account here, given up there, not reachable, and in', async ({ page }) => {
  const user = await createUser(server, { role: 'firma_b' });
  openid.addAccount('fremd', { email: 'fremd@beispiel.test', email_verified: true });
  openid.addAccount('eigen', { email: user.email, email_verified: true });
  const button = page.getByRole('button', { name: 'Mit Keycloak anmelden' });
  await page.goto(`${door.url}/login`);
  await button.click();
  await page.getByRole('button', { name: 'Abbrechen' }).click();
  await expect(page.getByText('Anmeldung abgebrochen')).toBeVisible();
  await expect(button).toBeVisible();
  await picture(page, 'login-other-ways');
  await expect(page, 'nothing of it stays in the address').toHaveURL(`${door.url}/login`);

  await page.getByRole('button', { name: 'Mit Microsoft anmelden' }).click();
  await expect(page.getByText('Microsoft ist gerade nicht erreichbar.')).toBeVisible();

  await button.click();
  await page.getByLabel('Konto').fill('fremd');
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await expect(page.getByText('Hier gibt es dazu kein Konto')).toBeVisible();

  await page.context().clearCookies();
  await button.click();
  await page.getByLabel('Konto').fill('eigen');
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await expect(page).toHaveURL(`${door.url}/firma-b`);
});
