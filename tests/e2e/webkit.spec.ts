import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { startGateProxy, type GateProxy } from '#tests/support/gate-proxy.ts';
import { SPOKEN_TEXT } from '#tests/support/transcription-service.ts';
import { openWebkit, webkitDriverPath, type WebkitPage } from '#tests/support/webkit.ts';
import { expect, test as base } from './application.ts';
import { ANSWERS } from './files.ts';
import { getStored } from './flow.ts';
import { PICTURE } from './voice-message.ts';

/** What contributors do most, in the engine of Safari: real presses and keys in WebKitGTK, which is no iPhone. */
const driver = webkitDriverPath();

/** Somebody logged in on a WebKit page of their own, behind a network that the test takes away. */
type Seat = Readonly<{ page: WebkitPage; network: GateProxy; user: TestUser }>;

const test = base.extend<{ seat: Seat }>({
  seat: async ({ server, transcription }, provide) => {
    transcription.reset();
    const network = await startGateProxy(server.url);
    const user = await createUser(server, { role: 'vdi_admin' });
    const page = await openWebkit(driver ?? '');
    try {
      await page.goto(`${network.url}/login`);
      await page.type('E-Mail', user.email);
      await page.type('Passwort', user.password);
      await page.press('Anmelden');
      await page.shows('Woraus soll der nächste Beitrag entstehen?');
      await provide({ page, network, user });
    } finally {
      await page.close();
      await network.stop();
    }
  },
});

async function record(page: WebkitPage, url: string): Promise<void> {
  await page.goto(`${url}/voice-message`);
  await page.press('Aufnahme starten');
  await page.shows(/00:(0[2-9]|[1-5]\d)/);
  await page.press('Aufnahme beenden');
  await page.shows('Aufnahme fertig');
  await page.press('Weiter');
}

async function leaveContact(page: WebkitPage): Promise<void> {
  await page.type('Vorname', 'Ada');
  await page.type('Nachname', 'Lovelace');
  await page.type('E-Mail', 'ada@beispiel.test');
  await page.press('Content übermitteln');
  await page.shows('Woraus soll der nächste Beitrag entstehen?');
}

if (driver === undefined) {
  process.stdout.write(
    'No WebKit that can show a window on this machine: nothing is tried in one (WebKitWebDriver of ' +
      'webkit2gtk-driver and a display, or WEBKIT_DRIVER).\n',
  );
} else {
  test('In WebKit: a voice message is recorded, transcribed and handed in with a picture (§2.5)', async ({
    seat: { page, network, user },
    server,
    transcription,
  }) => {
    await record(page, network.url);
    await page.shows('Transkript bearbeiten');
    await expect.poll(() => page.run(() => document.querySelector('textarea')?.value)).toBe(SPOKEN_TEXT);
    expect(transcription.calls().map(({ faults }) => faults)).toEqual([[]]);
    await page.press('Weiter zum Bild-Upload');
    await page.choose(PICTURE);
    await page.press('Hochladen');
    await page.shows('Kontaktdaten für Review und Nutzung');
    await leaveContact(page);
    const { interviews, media } = await getStored(server, user);
    expect(interviews).toMatchObject([{ contact_email: 'ada@beispiel.test', transcript: SPOKEN_TEXT }]);
    expect(media.map(({ file_type }) => file_type)).toContain('image/png');
  });

  test('In WebKit: a picture is described and handed in (§2.7)', async ({ seat: { page, network, user }, server }) => {
    await page.goto(`${network.url}/image-upload`);
    await page.choose(PICTURE);
    await page.press('Weiter');
    await page.press('Textformular');
    for (const [question, answer] of Object.entries(ANSWERS)) await page.type(question, answer);
    await page.press('Absenden');
    await page.shows('Bilder erfolgreich hochgeladen (1)');
    await leaveContact(page);
    expect((await getStored(server, user)).media).toMatchObject([{ file_type: 'image/png' }]);
  });

  test('In WebKit: without the server everything stays on the device and is sent later (§4)', async ({
    seat: { page, network, user },
    server,
  }) => {
    // A service worker of which a file did not come is installed with the next page.
    await expect(async () => {
      await page.goto(`${network.url}/voice-message`);
      await expect.poll(() => page.run(() => navigator.serviceWorker.controller !== null)).toBe(true);
    }).toPass();
    network.decide(() => 'cut');
    await record(page, network.url);
    await page.press('Auf diesem Gerät sichern');
    await page.type('Transkript', 'Ohne Netz erzählt.');
    await page.press('Weiter zum Bild-Upload');
    await page.choose(PICTURE);
    await page.press('Hochladen');
    await page.shows('Kontaktdaten für Review und Nutzung');
    await leaveContact(page);
    await page.goto(`${network.url}/ausgangskorb`);
    await page.shows('Wartet auf die Verbindung');
    await page.shows(PICTURE.name);
    expect((await getStored(server, user)).interviews).toEqual([]);
    network.decide(() => 'pass');
    await page.press('Jetzt senden');
    await page.shows('Vollständig gesendet');
    const { interviews, media } = await getStored(server, user);
    expect(interviews).toMatchObject([{ contact_email: 'ada@beispiel.test', transcript: 'Ohne Netz erzählt.' }]);
    expect(media.map(({ file_type }) => file_type).toSorted()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^audio\/mp4/), 'image/png']),
    );
  });
}
