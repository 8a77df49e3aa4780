import type { Page } from '@playwright/test';
import { SPOKEN_TEXT } from '#tests/support/transcription-service.ts';
import { expect, test as withApplication } from './application.ts';
import { COLOURS, findings, tabTo } from './findings.ts';
import { startedInterview, enterScreen } from './flow.ts';
import { show, SHOTS } from './screens.ts';
import { test } from './visitors.ts';
import { expectRecorded } from './voice-message.ts';

/** WCAG 1.4.12. */
const SPACING = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
  p { margin-bottom: 2em !important }`;

/** What reaches beyond the window, and words that are cut off; excerpts of a text that stands elsewhere may be. */
function overflowing(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const cut = [...document.querySelectorAll('body *')].filter((element) => {
      const clips = getComputedStyle(element).textOverflow === 'ellipsis' && element.clientWidth > 1;
      return clips && element.scrollWidth > element.clientWidth + 1 && !element.hasAttribute('title');
    });
    const wide = document.documentElement.scrollWidth > window.innerWidth ? ['the page'] : [];
    return [...wide, ...cut.map((element) => element.outerHTML.slice(0, 120))];
  });
}

test.describe('WCAG 2.2 AA', () => {
  for (const shot of SHOTS) {
    test(`${shot.name}: no finding in light and dark, and no sideways scrolling on desk, phone and at 400 %`, async ({
      getSeat,
    }) => {
      const { page, interviewId } = await getSeat(shot.visitor);
      await page.setViewportSize({ width: 1280, height: 900 });
      await show(page, shot, interviewId);
      await expect.poll(() => findings(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(() => findings(page, COLOURS), 'dark').toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
      // 1280 px at 400 % leave 320 (WCAG 1.4.10).
      for (const width of [1440, 360, 320]) {
        await page.setViewportSize({ width, height: 740 });
        await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
      await expect.poll(() => findings(page, ['target-size', 'label-content-name-mismatch']), '320 px').toEqual([]);
      const apart = await page.addStyleTag({ content: SPACING });
      await expect.poll(() => overflowing(page), 'letters, words and lines further apart').toEqual([]);
      await apart.evaluate((style) => style.parentNode?.removeChild(style));
      // A recording goes with its document; from any other screen the next one is a step away.
      if (shot.begun === true) await page.goto('/impressum');
    });
  }
});

withApplication('who looks for findings finds them, in frames too', async ({ page }) => {
  await page.goto('/impressum');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Impressum');
  await page.getByRole('main').evaluate((main) => {
    const grey = document.createElement('p');
    grey.textContent = 'Kaum zu lesen';
    grey.className = 'barely';
    grey.style.cssText = 'color: #ccc; background: #fff';
    const frame = document.createElement('iframe');
    frame.title = 'Fremdes';
    main.append(document.createElement('input'), grey, frame);
    frame.contentDocument?.body.append(document.createElement('textarea'));
  });
  const found = await findings(page);
  expect(found.filter((finding) => finding.startsWith('label:'))).toHaveLength(2);
  expect(found).toContainEqual(expect.stringMatching(/^color-contrast: \.barely/));
  expect(await findings(page, COLOURS)).toHaveLength(1);
});

withApplication('the voice message with the keyboard alone', async ({ page, loginAs }) => {
  await loginAs('vdi_admin');
  await tabTo(page, 'link', /Sprachnachricht aufnehmen/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/voice-message');
  await tabTo(page, 'button', 'Aufnahme starten');
  await page.keyboard.press('Enter');
  await expectRecorded(page, 1);
  await expect(page.getByRole('button', { name: 'Aufnahme beenden' })).toBeFocused();
  await page.keyboard.press('Space');
  await expect(page.getByText('Aufnahme fertig')).toBeVisible();
  await tabTo(page, 'button', 'Abspielen');
  await tabTo(page, 'button', 'Weiter');
  await page.keyboard.press('Enter');

  await expect(page.getByRole('textbox', { name: 'Transkript' })).toHaveValue(SPOKEN_TEXT);
  await tabTo(page, 'textbox', 'Transkript');
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' Ende.');
  await tabTo(page, 'button', 'Weiter zum Bild-Upload');
  await page.keyboard.press('Enter');

  await expect(page).toHaveURL('/image-upload-after-voice');
  await tabTo(page, 'button', 'Überspringen');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/thank-you');
  for (const [field, value] of [
    ['Vorname', 'Ada'],
    ['Nachname', 'Lovelace'],
    ['E-Mail', 'ada@beispiel.test'],
  ] as const) {
    await tabTo(page, 'textbox', new RegExp(`^${field}`));
    await page.keyboard.type(value);
  }
  await tabTo(page, 'button', 'Content übermitteln');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/');
});

withApplication.describe('focus', () => {
  withApplication(
    'moves to the heading of each screen that is gone to, back and forward too',
    async ({ page, loginAs }) => {
      const user = await loginAs('vdi_admin');
      const interviewId = await startedInterview(user);
      await page.getByRole('link', { name: /Sprachnachricht aufnehmen/ }).click();
      const heading = (name: string) => page.getByRole('heading', { level: 1, name });
      await expect(heading('Sprachnachricht')).toBeFocused();
      await enterScreen(page, '/transcript-edit', { transcript: 'Du: Hallo', interviewId });
      await expect(heading('Transkript bearbeiten')).toBeFocused();
      await page.goBack();
      await expect(heading('Sprachnachricht')).toBeFocused();
      await page.goForward();
      await expect(heading('Transkript bearbeiten')).toBeFocused();
      await expect(page).toHaveTitle(/^Transkript bearbeiten/);
    },
  );
});

withApplication(
  'The first Tab offers the way past the header; reduced motion: a colour changes at once, nothing moves while recording',
  async ({ page, loginAs }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await loginAs('vdi_admin', '/voice-message');
    const heading = page.getByRole('heading', { level: 1 });
    await expect(heading).toHaveText('Sprachnachricht');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Zum Inhalt springen' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main')).toBeFocused();
    const colours = await heading.evaluate((title) => {
      const read = () => getComputedStyle(title).color;
      const before = read();
      document.body.style.color = 'rgb(1, 2, 3)';
      return { before, after: read() };
    });
    expect(colours.before).not.toBe('rgb(1, 2, 3)');
    expect(colours.after, 'an inherited colour, everywhere at once').toBe('rgb(1, 2, 3)');
    await page.getByRole('button', { name: 'Aufnahme starten' }).click();
    await expect(page.getByText('Aufnahme läuft')).toBeVisible();
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .filter(({ effect }) => Number(effect?.getComputedTiming().duration ?? 0) > 1)
        .map(({ effect }) => (effect instanceof KeyframeEffect ? (effect.target?.className ?? '') : '')),
    );
    expect(moving).toEqual([]);
  },
);
