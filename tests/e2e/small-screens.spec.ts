import type { Locator, Page } from '@playwright/test';
import { film } from './files.ts';
import { expect, startInterview, test, openInterview } from './interview.ts';
import { enterScreen, startedInterview, walkTo } from './flow.ts';

/** A phone with its browser's bars, and the smallest one in use. */
const PHONES = [
  { width: 360, height: 560 },
  { width: 320, height: 480 },
] as const;

/** A page of 1280 × 1024 px at 400 %. */
const ENLARGED = { width: 320, height: 256 } as const;

const DESKTOPS = [
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
] as const;

/**
 * Whole within the window, below the header, above the actions at the lower edge, and the top element in its middle.
 */
async function expectInSight(page: Page, parts: Readonly<Record<string, Locator>>): Promise<void> {
  for (const [name, part] of Object.entries(parts)) {
    await expect(part, name).toBeInViewport({ ratio: 1 });
    const hit = await part.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      return top !== null && (element.contains(top) || top.contains(element));
    });
    expect(hit, `nothing lies over ${name}`).toBe(true);
  }
}

/** How many pixels stay where they are when the page is scrolled, in the window's height. */
async function fixedHeight(page: Page): Promise<number> {
  return page.evaluate(async () => {
    window.scrollTo({ top: 120, behavior: 'instant' });
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const rows = Array.from({ length: window.innerHeight }, (_, y) => y);
    return rows.filter((y) => {
      const all = document.elementsFromPoint(window.innerWidth / 2, y);
      return all.some((element) => {
        const { position } = getComputedStyle(element);
        return position === 'fixed' || position === 'sticky';
      });
    }).length;
  });
}

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

function interviewParts(page: Page): Readonly<Record<string, Locator>> {
  return {
    level: page.getByRole('meter', { name: 'Pegel des Mikrofons' }).locator('..'),
    time: page.getByRole('timer', { name: 'Interviewdauer' }),
    state: page.locator('p[aria-live=polite]'),
    mute: button(page, 'Mikrofon stumm schalten'),
    stop: button(page, 'Interview beenden'),
  };
}

test('Level, time, state, pause and stop of a recording are in sight on small phones (§2.6)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin', '/voice-message');
  await button(page, 'Aufnahme starten').click();
  const parts = {
    level: page.getByRole('meter', { name: 'Pegel des Mikrofons' }).locator('..'),
    time: page.getByRole('timer', { name: 'Aufnahmedauer' }),
    pause: button(page, 'Pause'),
    stop: button(page, 'Aufnahme beenden'),
  };
  await expect(parts.pause).toBeVisible();
  for (const size of [...PHONES, ...DESKTOPS]) {
    await page.setViewportSize(size);
    await page.evaluate(() => window.scrollTo(0, 0));
    await expectInSight(page, { ...parts, state: page.getByText('Aufnahme läuft') });
  }
  await parts.pause.click();
  await expectInSight(page, { state: page.getByText('Aufnahme pausiert'), resume: button(page, 'Fortsetzen') });
});

test('Level, time, state, mute and stop of an interview are in sight on small phones (§2.5)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin');
  for (const size of [...PHONES, ...DESKTOPS]) {
    await page.setViewportSize(size);
    await openInterview(page);
    await startInterview(page);
    await expectInSight(page, interviewParts(page));
    await button(page, 'Interview beenden').click();
    await button(page, 'Weiter zum Bild-Upload').click();
  }
});

test('Level, time, state, mute and stop of the interview about a video are in sight on small phones (§2.9)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin');
  for (const size of PHONES) {
    await page.setViewportSize(size);
    await page.goto('/video-upload');
    await page.locator('input[type=file]').first().setInputFiles(film());
    await button(page, 'Weiter').click();
    await page.getByRole('button', { name: /Kurzes Sprachinterview/ }).click();
    await startInterview(page);
    await expectInSight(page, interviewParts(page));
    await button(page, 'Interview beenden').click();
  }
});

test('Bars at the edges take at most a third of an enlarged screen (WCAG 1.4.10)', async ({ page, loginAs }) => {
  const user = await loginAs('admin');
  await page.setViewportSize(ENLARGED);
  for (const path of ['/voice-message', '/interview/behind-scenes', '/document-upload', '/admin/eingang', '/konto']) {
    await walkTo(page, path);
    expect(await fixedHeight(page), path).toBeLessThanOrEqual(ENLARGED.height / 3);
  }
  await enterScreen(page, '/transcript-edit', { interviewId: await startedInterview(user), transcript: 'Text' });
  await expect(page.getByRole('textbox', { name: 'Transkript' })).toBeVisible();
  expect(await fixedHeight(page), 'transcript').toBeLessThanOrEqual(ENLARGED.height / 3);
});

test('The primary action of every flow is in sight at the desk without scrolling (§2)', async ({ page, loginAs }) => {
  const user = await loginAs('vdi_admin');
  const flows: readonly (readonly [path: string, state: object, name: string | RegExp])[] = [
    ['/voice-message', {}, 'Weiter'],
    ['/interview/behind-scenes', {}, 'Ich habe die Hinweise gelesen'],
    ['/document-upload', {}, /Weiter|Hochladen/],
    ['/video-upload', {}, 'Weiter'],
    ['/image-upload', {}, 'Weiter'],
    ['/transcript-edit', { transcript: 'Text' }, 'Weiter zum Bild-Upload'],
    ['/image-upload-after-voice', { transcript: 'Text' }, 'Hochladen'],
  ];
  const interviewId = await startedInterview(user);
  for (const [path, state, name] of flows) {
    await page.goto('/content-selection');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await enterScreen(page, path, Object.keys(state).length === 0 ? {} : { ...state, interviewId });
    const primary = page
      .getByRole('main')
      .getByRole('button', { name, exact: typeof name === 'string' })
      .last();
    for (const size of DESKTOPS) {
      await page.setViewportSize(size);
      await expectInSight(page, { [`${path} at ${size.height}`]: primary });
    }
  }
});
