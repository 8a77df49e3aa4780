import type { Page } from '@playwright/test';
import type { Role } from '#contract/roles.ts';
import { enterScreen } from './flow.ts';
import { record } from './voice-message.ts';

export type Visitor = Role | 'without a role' | 'not logged in';

/** One thing a person may have in front of them, and the way there. */
export type Shot = Readonly<{
  name: string;
  visitor: Visitor;
  path: string;
  /**
   * State the screen before would have handed over. `interviewId` is filled in where it stands as '', and for `:id` in
   * the path.
   */
  state?: Readonly<{ transcript?: string; interviewId?: string; uploadSuccess?: boolean }>;
  heading: string | RegExp;
  /** Brings the screen into the state meant; may record. */
  act?: (page: Page) => Promise<void>;
  /** It begins something that would be asked about, or found again, where the screen is left by a step. */
  begun?: true;
}>;

export const TRANSCRIPT = [
  'Guten Tag. Wir haben in unserer Werkstatt eine neue Prüfmaschine gebaut. Sie misst jedes Bauteil in ' +
    'unter zwei Sekunden.',
  'Der Anstoß kam aus der Schicht: Früher ging ein Teil zum Messraum, heute misst die Maschine direkt ' +
    'neben der Drehbank. Das spart uns am Tag gut eine Stunde.',
].join('\n\n');

const KEPT = { interviewId: '', transcript: TRANSCRIPT } as const;

export const SHOTS: readonly Shot[] = [
  { name: 'login', visitor: 'not logged in', path: '/login', heading: 'Anmelden' },
  {
    name: 'login-errors',
    begun: true,
    visitor: 'not logged in',
    path: '/login',
    heading: 'Anmelden',
    act: press('Anmelden'),
  },
  { name: 'forgotten-password', visitor: 'not logged in', path: '/passwort-vergessen', heading: 'Passwort vergessen?' },
  {
    name: 'new-password-expired',
    visitor: 'not logged in',
    path: '/passwort-neu',
    heading: 'Dieser Link gilt nicht mehr',
  },
  { name: 'new-password', visitor: 'vdi_admin', path: '/passwort-neu', heading: 'Neues Passwort setzen' },
  { name: 'mail-code', visitor: 'not logged in', path: '/anmeldung-code', heading: 'Mit Code anmelden' },
  {
    name: 'company-login',
    visitor: 'not logged in',
    path: '/anmeldung-firma',
    heading: 'Mit dem Firmenkonto anmelden',
  },
  { name: 'account', visitor: 'vdi_admin', path: '/konto', heading: 'Konto' },
  { name: 'imprint', visitor: 'not logged in', path: '/impressum', heading: 'Impressum' },
  { name: 'privacy', visitor: 'not logged in', path: '/datenschutz', heading: 'Datenschutz' },
  { name: 'not-found', visitor: 'not logged in', path: '/gibt-es-nicht', heading: 'Oops! Page not found' },
  { name: 'no-role', visitor: 'without a role', path: '/no-role', heading: 'Keine Berechtigung' },
  { name: 'start', visitor: 'vdi_admin', path: '/', heading: /^Hallo / },
  {
    name: 'content-selection',
    visitor: 'firma_a',
    path: '/firma-a/content-selection',
    heading: 'Was möchtest du einreichen?',
  },
  {
    name: 'own-contributions-begun',
    visitor: 'vdi_admin',
    path: '/meine-beitraege',
    heading: 'Meine Beiträge',
    act: settled('Deine Beiträge werden geladen...'),
  },
  { name: 'review-dead-link', visitor: 'not logged in', path: '/freigabe', heading: 'Dieser Link gilt nicht mehr' },
  { name: 'outbox-empty', visitor: 'vdi_admin', path: '/ausgangskorb', heading: 'Ausgangskorb' },
  { name: 'admin', visitor: 'admin', path: '/admin', heading: 'Administration' },
  { name: 'admin-accounts', visitor: 'admin', path: '/admin/benutzer', heading: 'Benutzer' },
  {
    name: 'admin-setup',
    visitor: 'admin',
    path: '/admin/einrichtung#transcription',
    heading: 'Einrichtung',
    act: settled('Wird geladen...'),
  },
  {
    name: 'desk-inbox',
    visitor: 'admin',
    path: '/admin/eingang',
    heading: 'Eingang',
    act: settled('Lade Beiträge...'),
  },
  {
    name: 'desk-inbox-nothing-found',
    visitor: 'admin',
    path: '/admin/eingang?suche=gibtesnicht&bereich=firma-a',
    heading: 'Eingang',
    act: settled('Lade Beiträge...'),
  },
  {
    name: 'desk-board',
    visitor: 'admin',
    path: '/admin/eingang/tafel',
    heading: 'Eingang',
    act: settled('Lade Beiträge...'),
  },
  { name: 'desk-contribution', visitor: 'admin', path: '/admin/eingang/:id', heading: /@admin\.beispiel\.test$/ },
  {
    name: 'desk-people',
    visitor: 'admin',
    path: '/admin/eingang/datenschutz',
    heading: 'Datenschutz',
    act: settled('Wird geladen...'),
  },
  { name: 'dashboard-firma-a', visitor: 'firma_a', path: '/firma-a', heading: /^Willkommen, / },
  { name: 'dashboard-firma-b', visitor: 'firma_b', path: '/firma-b', heading: /^Willkommen, / },
  { name: 'dashboard-testnormec', visitor: 'testnormec', path: '/testnormec', heading: /^Willkommen, / },
  {
    name: 'interview-category',
    visitor: 'vdi_admin',
    path: '/interview-category',
    heading: 'Worüber möchtest du sprechen?',
  },
  {
    name: 'interview-category-testnormec',
    visitor: 'testnormec',
    path: '/testnormec/interview-category',
    heading: 'Worüber möchtest du sprechen?',
  },
  { name: 'interview-notes', visitor: 'vdi_admin', path: '/interview/tech-dive', heading: 'Bevor es losgeht' },
  {
    name: 'interview-ready',
    begun: true,
    visitor: 'vdi_admin',
    path: '/interview/tech-dive',
    heading: /Content-Interview-Bot$/,
    act: press('Ich habe die Hinweise gelesen'),
  },
  { name: 'voice-message', visitor: 'vdi_admin', path: '/voice-message', heading: 'Sprachnachricht' },
  {
    name: 'voice-message-recording',
    begun: true,
    visitor: 'vdi_admin',
    path: '/voice-message',
    heading: 'Sprachnachricht',
    act: async (page) => {
      await page.getByRole('button', { name: 'Aufnahme starten' }).click();
      // A busy machine may pass over a second.
      await page
        .getByRole('timer', { name: 'Aufnahmedauer' })
        .getByText(/00:(?:0[3-9]|[1-5]\d)/)
        .waitFor();
    },
  },
  {
    name: 'voice-message-recorded',
    begun: true,
    visitor: 'vdi_admin',
    path: '/voice-message',
    heading: 'Sprachnachricht',
    act: (page) => record(page, 1),
  },
  {
    name: 'voice-message-failed',
    begun: true,
    visitor: 'vdi_admin',
    path: '/voice-message',
    heading: 'Sprachnachricht',
    act: async (page) => {
      await page.route('**/v1/audio/transcriptions', (route) => route.abort());
      await record(page, 1);
      await page.getByRole('button', { name: 'Weiter', exact: true }).click();
      await page.getByRole('button', { name: 'Ohne Transkript weiter' }).waitFor();
      await page.unrouteAll();
    },
  },
  {
    name: 'voice-message-testnormec',
    begun: true,
    visitor: 'testnormec',
    path: '/testnormec/voice-message',
    heading: 'Sprachnachricht',
    act: (page) => record(page, 1),
  },
  {
    name: 'transcript-edit',
    visitor: 'vdi_admin',
    path: '/transcript-edit',
    state: KEPT,
    heading: 'Transkript bearbeiten',
  },
  {
    name: 'image-upload-after-voice',
    visitor: 'vdi_admin',
    path: '/image-upload-after-voice',
    state: KEPT,
    heading: 'Bilder hinzufügen',
  },
  {
    name: 'image-upload-after-voice-testnormec',
    begun: true,
    visitor: 'testnormec',
    path: '/testnormec/image-upload-after-voice',
    state: KEPT,
    heading: 'Bilder hinzufügen',
    act: async (page) => {
      const photo = await page.screenshot();
      const names = ['halle-3.png', 'pruefmaschine.png', 'team.png'];
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles(names.map((name) => ({ name, mimeType: 'image/png', buffer: photo })));
      await page.getByTitle('team.png', { exact: true }).waitFor();
    },
  },
  {
    name: 'thank-you',
    visitor: 'vdi_admin',
    path: '/thank-you',
    state: { ...KEPT, uploadSuccess: true },
    heading: 'Vielen Dank für deinen Beitrag!',
  },
  { name: 'thank-you-empty', visitor: 'not logged in', path: '/thank-you', heading: 'Vielen Dank für deinen Beitrag!' },
  {
    name: 'thank-you-firma-a',
    visitor: 'firma_a',
    path: '/firma-a/thank-you',
    state: KEPT,
    heading: 'Vielen Dank für deinen Beitrag!',
  },
  {
    name: 'thank-you-testnormec',
    visitor: 'testnormec',
    path: '/testnormec/thank-you',
    state: KEPT,
    heading: 'Vielen Dank für deinen Beitrag!',
  },
  { name: 'upload', visitor: 'not logged in', path: '/upload', heading: 'Upload von Medien' },
  { name: 'video-upload', visitor: 'vdi_admin', path: '/video-upload', heading: 'Video hochladen' },
  { name: 'image-upload', visitor: 'vdi_admin', path: '/image-upload', heading: 'Bild hochladen' },
  { name: 'document-upload', visitor: 'vdi_admin', path: '/document-upload', heading: 'Dokument hochladen' },
];

/** Once everything on its way has come. */
function settled(words: string): (page: Page) => Promise<void> {
  return (page) => page.getByText(words).first().waitFor({ state: 'detached' });
}

function press(name: string): (page: Page) => Promise<void> {
  return (page) => page.getByRole('button', { name }).click();
}

/** To the screen in the state meant, as the screen before it would lead there. */
export async function show(page: Page, shot: Shot, interviewId: string): Promise<void> {
  const state = shot.state?.interviewId === '' ? { ...shot.state, interviewId } : shot.state;
  await page.evaluate(() => sessionStorage.clear());
  await enterScreen(page, shot.path.replace(':id', interviewId), state);
  await shot.act?.(page);
  await page.getByRole('heading', { level: 1, name: shot.heading }).waitFor();
}
