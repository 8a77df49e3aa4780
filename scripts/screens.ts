/**
 * `npm run screens [-- NAME …]`: lets the browser tests take pictures of the running application and puts those of one
 * screen together, light beside dark, the phone before the desk; with names, of these screens only. `--taken` uses the
 * pictures of the last run.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { chromium, type Page } from '@playwright/test';
import { SHOTS } from '#tests/e2e/screens.ts';
import { testBrowser } from './browser.ts';

const TAKEN = 'test-results/pictures';
const INTO = 'docs/screens';
const TESTS = ['screens.spec', 'account', 'other-logins', 'admin-setup', 'setup-parts', 'desk-posts.spec'];
const MORE_TESTS = ['desk-drafts', 'review.spec', 'own-contributions'];

/** The chapters of docs/screens/README.md: picture and what it shows. */
const CHAPTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Handing in': {
    start: 'The start page of the association (§2.4)',
    'dashboard-firma-a': 'The area of a company (§2.12)',
    'interview-notes': 'Before an interview (§2.5)',
    'interview-ready': 'An interview begins (§2.5)',
    'voice-message-recording': 'A voice message is recorded (§2.6)',
    'voice-message-recorded': 'It can be listened to before it is sent (§2.6)',
    'transcript-edit': 'Its transcript (§2.7)',
    'image-upload': 'A picture (§2.9)',
    'document-upload': 'A document (§2.9)',
    upload: 'Photos without a login (§2.10)',
    'thank-you': 'Contact details and what arrived (§2.11)',
    'outbox-empty': 'The outbox of a device',
    'own-contributions': 'Own contributions ([posts](../posts.md))',
    review: 'A post waits for the contributor’s answer ([posts](../posts.md))',
  },
  'The team': {
    'desk-inbox': 'The inbox ([desk](../desk.md))',
    'desk-board': 'The board ([desk](../desk.md))',
    'desk-contribution': 'One contribution ([desk](../desk.md))',
    'desk-posts': 'Its posts, with the evidence of each sentence ([posts](../posts.md))',
    'desk-drafts': 'A draft of a language model ([posts](../posts.md))',
    'desk-people': 'Everything about one person ([privacy](../privacy.md))',
  },
  Administration: {
    admin: 'Figures (§2.12)',
    'admin-setup-summary': 'Set-up ([operations](../operations.md#einrichtung))',
    'admin-accounts': 'Accounts (§2.12)',
  },
  'Logging in': {
    login: 'The login (§2.2)',
    'second-factor': 'A second factor ([authentication](../authentication.md))',
    account: 'The own account ([authentication](../authentication.md))',
    'no-role': 'An account without a role (§2.13)',
  },
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { taken: { type: 'boolean' } } });
const all = Object.values(CHAPTERS).flatMap((chapter) => Object.keys(chapter));
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`no such screen: ${unknown.join(', ')}; there are ${all.join(', ')}`);
const names = positionals.length > 0 ? positionals : all;

if (values.taken !== true) takePictures();
const { executablePath, env } = await testBrowser();
const browser = await chromium.launch({
  executablePath,
  env: { ...process.env, ...env },
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1_900, height: 660 } });
  if (names === all) await Promise.all(globSync(`${INTO}/*.{png,webp}`).map((old) => rm(old)));
  for (const name of names) await compose(page, name);
} finally {
  await browser.close();
}
await writeFile(`${INTO}/README.md`, formatPage());

function takePictures(): void {
  // A screen that is only visited has a test of its own; the way to the others is part of a longer one.
  const visited = names.every((name) => SHOTS.some((shot) => shot.name === name));
  const tests = visited ? ['screens.spec', '--grep', `picture of (?:${names.join('|')})$`] : [...TESTS, ...MORE_TESTS];
  const { status } = spawnSync('playwright', ['test', ...tests], {
    stdio: 'inherit',
    env: { ...process.env, SCREENSHOTS: '1' },
  });
  if (status !== 0) throw new Error('the browser tests that take the pictures have failed');
}

/** Light on the left, dark on the right; in each half the phone stands before the desk. */
async function compose(page: Page, name: string): Promise<void> {
  const halves = ['', '-dark'].map(async (theme) => {
    const [phone, desk] = await Promise.all(
      [360, 1440].map(async (width) => (await readFile(`${TAKEN}/${name}${theme}-${width}.png`)).toString('base64')),
    );
    return `<div class="half${theme}"><img class="desk" src="data:image/png;base64,${desk}">
      <img class="phone" src="data:image/png;base64,${phone}"></div>`;
  });
  await page.setContent(`<style>
    body { margin: 0; display: flex; }
    div { position: relative; width: 950px; height: 660px; background: #dfe5ee; }
    .half-dark { background: #1d2430; }
    img { position: absolute; box-shadow: 0 10px 30px rgb(0 0 0 / 0.28); }
    .desk { left: 24px; top: 24px; width: 864px; height: 540px; border-radius: 8px; }
    .phone { right: 20px; bottom: 20px; width: 243px; height: 500px; border-radius: 18px; }
    </style>${(await Promise.all(halves)).join('')}`);
  const picture = (await page.screenshot()).toString('base64');
  const webp = await page.evaluate(async (png) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.82);
  }, picture);
  await writeFile(`${INTO}/${name}.webp`, Buffer.from(webp.slice(webp.indexOf(',') + 1), 'base64'));
}

function formatPage(): string {
  const chapters = Object.entries(CHAPTERS).map(
    ([title, pictures]) =>
      `## ${title}\n\n${Object.entries(pictures)
        .map(([name, what]) => `${what}\n\n![${what.replaceAll(/ ?\(.*\)$/g, '')}](${name}.webp)\n`)
        .join('\n')}`,
  );
  return `# Screens

Each screen in light and dark, on a phone (360 px) before a desk (1440 px). \`npm run screens\` makes the pictures again
from the running application and writes this page; \`npm run screens -- thank-you\` makes one. What is shown, and the way
there, stands in [\`tests/e2e/screens.ts\`](../../tests/e2e/screens.ts). All other screens and states are visited by the
accessibility tests, in the same themes.

${chapters.join('\n')}`;
}
