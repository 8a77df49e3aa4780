import type { Locator, Page } from '@playwright/test';
import { asOwner } from '#tests/support/callers.ts';
import { contribute } from '#tests/support/desk.ts';
import { must } from '#tests/support/desk-calls.ts';
import { richContribution, toDesk } from './desk.ts';
import { choose, film, PICTURE } from './files.ts';
import { expect, startInterview, test, openInterview } from './interview.ts';
import { enterScreen, startedInterview, walkTo } from './flow.ts';
import { openReview } from './review.ts';

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

/** How many pixels it could be moved sideways. */
const beyond = (part: Locator): Promise<number> => part.evaluate((box) => box.scrollWidth - box.clientWidth);

const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(3);

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
  const picker = page.getByRole('combobox', { name: 'Mikrofon' });
  await expect(picker, 'the arrow of every other choice').toHaveCSS('appearance', 'none');
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

test('Level, time, state, mute and stop of an interview are in sight on small phones; muting moves no other control (§2.5)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin');
  await page.setViewportSize(PHONES[1]);
  await openInterview(page);
  await startInterview(page);
  for (const size of [PHONES[1], PHONES[0], ...DESKTOPS]) {
    await page.setViewportSize(size);
    await expectInSight(page, interviewParts(page));
    expect(await beyond(page.getByRole('log', { name: 'Gespräch' })), 'the conversation moves down only').toBe(0);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  const top = async (name: string): Promise<number> => (await button(page, name).boundingBox())?.y ?? 0;
  await button(page, 'Mikrofon stumm schalten').click();
  const apart = (await top('Ton und Mikrofon')) - (await top('Mikrofon einschalten'));
  expect(apart, 'side by side').toBeLessThan(4);
});

test('Level, time, state, mute and stop of the interview about a video are in sight on small phones (§2.9)', async ({
  page,
  loginAs,
}) => {
  await page.setViewportSize(PHONES[1]);
  await loginAs('vdi_admin', '/video-upload');
  await page.locator('input[type=file]').first().setInputFiles(film());
  await button(page, 'Weiter').click();
  await page.getByRole('button', { name: /Kurzes Sprachinterview/ }).click();
  await startInterview(page);
  for (const size of [PHONES[1], PHONES[0]]) {
    await page.setViewportSize(size);
    await expectInSight(page, interviewParts(page));
  }
  await button(page, 'Interview beenden').click();
  await expect(page.getByRole('main').locator(':focus'), 'WCAG 2.4.3').toHaveAccessibleName(/Interview/);
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

test('In landscape nothing lies beside the camera, and a dialog ends above the keyboard (WCAG 2.4.11)', async ({
  page,
  loginAs,
}) => {
  await loginAs('admin', '/admin/benutzer');
  await page.setViewportSize({ width: 740, height: 360 });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setSafeAreaInsetsOverride', { insets: { left: 47, right: 47 } });
  for (const part of [page.getByRole('banner').getByRole('link').first(), page.getByRole('heading', { level: 1 })])
    await expect.poll(async () => (await part.boundingBox())?.x).toBeGreaterThan(47);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'Benutzer anlegen' }).click();
  await page.locator('html').evaluate((root) => root.style.setProperty('--keyboard-height', '300px'));
  const getBox = () => page.getByRole('dialog').boundingBox();
  await expect.poll(async () => getBox().then((box) => (box?.y ?? 0) + (box?.height ?? 0))).toBeLessThanOrEqual(440);
  expect((await getBox())?.y).toBeGreaterThan(0);
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

test('A word longer than the screen breaks in a file name, a search and a name (WCAG 1.4.10)', async ({
  page,
  server,
}) => {
  const root = page.locator('html');
  await page.goto('/upload');
  await choose(page, [{ ...PICTURE, name: `${LONG_WORD}.png` }, film()]);
  const each = page.locator('summary').filter({ hasText: 'Für jede Datei einzeln angeben' });
  await expect(each.locator('svg'), 'one sees that it opens').toBeVisible();
  await each.click();
  await expect(page.getByRole('combobox', { name: LONG_WORD })).toBeVisible();
  expect(await beyond(root), 'the answers for each file').toBe(0);

  const review = await openReview(server, ['website']);
  await asOwner(server.databaseUrl, (client) =>
    client.query('update interviews set contact_first_name = $2 where id = $1', [review.contribution, LONG_WORD]),
  );
  await page.goto(review.link);
  await page.getByRole('button', { name: 'Passt so' }).click();
  await expect(page.getByRole('heading', { name: /das war alles!$/ })).toBeVisible();
  expect(await beyond(root), 'the review').toBe(0);

  await toDesk(page, server, `/admin/eingang?suche=${LONG_WORD}`);
  await expect(page.getByRole('button', { name: `Filter entfernen: „${LONG_WORD}“` })).toBeVisible();
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 740 });
    expect(await beyond(root), `the filters at ${width} px`).toBe(0);
  }
  expect(await beyond(page.getByRole('region', { name: 'Filter' })), 'the filters move down only').toBe(0);
});

test('The desk on a phone breaks no word and cuts no answer; with a pointer all posts are in sight (desk)', async ({
  page,
  server,
}) => {
  const id = await richContribution(server);
  await page.setViewportSize({ width: 360, height: 740 });
  const admin = await toDesk(page, server, `/admin/eingang/${id}`);
  const files = page
    .getByRole('region', { name: 'Dateien' })
    .or(page.locator('section').filter({ hasText: 'Alles als ZIP' }));
  const [answer, row] = [files.last().getByRole('combobox').first(), files.last().getByRole('listitem').first()];
  await expect(answer).toBeVisible();
  const widths = await Promise.all([answer, row].map((part) => part.evaluate((box) => box.clientWidth)));
  expect((widths[1] ?? 0) - (widths[0] ?? 0), 'the answer is as wide as its row').toBeLessThanOrEqual(2);
  await expect(button(page, 'Kopieren'), 'of the transcript').toBeVisible();

  for (const channel of ['linkedin', 'instagram', 'facebook', 'x', 'website', 'newsletter'])
    await must(admin.client.rpc('desk_post_add', { contribution: id, channel, body: 'Kurz' }));
  await page.goto(`/admin/eingang/${id}?ansicht=posts`);
  const used = page.getByRole('list', { name: 'Bilder' }).getByText('Verwenden').first();
  await expect(used).toBeVisible();
  const lines = await used.evaluate((word) => word.getBoundingClientRect().height / 21);
  expect(lines, 'one line of 21 px').toBe(1);
  await page.setViewportSize({ width: 1280, height: 900 });
  expect(await beyond(page.getByRole('list', { name: 'Posts dieses Beitrags' }))).toBe(0);
});

test('Text of twice the size moves no screen sideways on a phone (WCAG 1.4.4, 1.4.10)', async ({ page, server }) => {
  await contribute(server, { firstName: 'Ottmar', lastName: 'Mergenthaler', email: 'o@beispiel.test' });
  await page.addInitScript(() => {
    document.addEventListener('DOMContentLoaded', () => (document.documentElement.style.fontSize = '200%'));
  });
  await toDesk(page, server, '/admin');
  for (const path of [
    '/admin',
    '/admin/benutzer',
    '/admin/eingang',
    '/admin/eingang/datenschutz',
    '/admin/einrichtung',
    '/content-selection',
    '/interview-category',
    '/firma-b',
    '/meine-beitraege',
  ]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByText(/^(Lade|Wird geladen)/)).toHaveCount(0);
    expect(await beyond(page.locator('html')), path).toBe(0);
    expect(await broken(page), `${path} leaves room for words`).toEqual([]);
  }
});

/** Texts that stand one or two letters a line, and fields below the button beside them. */
function broken(page: Page): Promise<readonly string[]> {
  return page.getByRole('main').evaluate((main) => {
    const found = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const bad: string[] = [];
    while (found.nextNode()) {
      range.selectNodeContents(found.currentNode);
      const letters = range.toString().trim().length;
      const lines = new Set([...range.getClientRects()].map(({ top }) => top)).size;
      if (lines > 2 && letters / lines < 4) bad.push(range.toString());
    }
    const search = main.querySelector('search');
    const field = search?.querySelector('input')?.getBoundingClientRect();
    const filter = search?.parentElement?.nextElementSibling?.getBoundingClientRect();
    if (field && filter && field.right > filter.left && field.bottom > filter.top) bad.push('the search');
    return bad;
  });
}

test('The name of the product is whole beside text of twice the size on a phone (§2.3, WCAG 1.4.4)', async ({
  page,
  server,
}) => {
  await page.addInitScript(() => {
    document.addEventListener('DOMContentLoaded', () => (document.documentElement.style.fontSize = '200%'));
  });
  const expectWhole = async (path: string): Promise<void> => {
    await page.goto(path);
    const name = page.getByRole('banner').getByText('Social-Media-Content-Assistent');
    await expect(name).toBeInViewport({ ratio: 1 });
    const cut = await name.evaluate((box) => [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight]);
    expect(cut, path).toEqual([0, 0]);
  };
  for (const width of [360, 320]) {
    await page.setViewportSize({ width, height: 740 });
    await expectWhole('/impressum');
  }
  await toDesk(page, server, '/admin');
  await expectWhole('/admin');
});

test('The name of the product is whole where the header is narrowest, and the board breaks no common name (§2.3, desk)', async ({
  page,
  server,
}) => {
  await contribute(server, { firstName: 'Ottmar', lastName: 'Mergenthaler', email: 'o@beispiel.test' });
  await page.setViewportSize({ width: 1024, height: 740 });
  await toDesk(page, server, '/admin/eingang/tafel');
  const name = page.getByRole('link', { name: 'Ottmar Mergenthaler' }).first();
  await expect(name).toBeVisible();
  const lines = await name.evaluate((link) => {
    const text = document.createRange();
    text.selectNodeContents(link);
    return text.getClientRects().length;
  });
  expect(lines, 'a line for each of both words').toBe(2);
  const title = page.getByRole('banner').getByText('Social-Media-Content-Assistent');
  await expect(page.getByRole('navigation', { name: 'Navigation' }).getByText('Eingang')).toBeVisible();
  const header = await title.evaluate((box) => ({
    height: box.getBoundingClientRect().height,
    lines: parseFloat(getComputedStyle(box).lineHeight),
  }));
  expect(header.height / header.lines, 'lines').toBeLessThanOrEqual(2);
  await expect(page.getByRole('link', { name: /^Konto von / })).toBeVisible();
});
