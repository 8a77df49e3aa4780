import type { Locator, Page } from '@playwright/test';
import type { Role } from '#contract/roles.ts';
import { expect, test } from './application.ts';
import { richContribution, toDesk } from './desk.ts';

/** Holds the answers to these requests until the function is called that this returns. */
async function holdAnswers(page: Page, url: RegExp): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await gate.promise;
    await route.fallback();
  });
  return gate.resolve;
}

/** Remembers where the headings in sight, and what can be pressed there, are; lists what is elsewhere by then. */
async function rememberPlaces(page: Page): Promise<() => Promise<readonly string[]>> {
  const places = await page.evaluateHandle(() => {
    // A busy button gets another label.
    const elements = document.querySelectorAll('main :is(a, button:not([aria-busy]), input, h1, h2, h3)');
    const places = Array.from(elements, (element) => [element, element.getBoundingClientRect()] as const);
    return new Map(places.filter(([, { top }]) => top < innerHeight));
  });
  return () =>
    places.evaluate((known) => {
      const distances = [...known].map(([element, { x, y }]) => {
        const now = element.getBoundingClientRect();
        return { text: element.textContent, by: element.isConnected ? Math.hypot(now.x - x, now.y - y) : 0 };
      });
      return distances.filter(({ by }) => by > 1).map(({ text, by }) => `${text}: ${Math.round(by)} px`);
    });
}

// Without contributions, so that each count has one digit.
test.use({ apart: 'still screens' });

type Screen = Readonly<{
  role: Role;
  path: string;
  /** What is answered only after the screen is shown. */
  held: RegExp;
  shown: (page: Page) => Locator;
  /** Seen once the answers have been drawn. */
  answered: (page: Page) => Locator;
}>;

const SCREENS: readonly Screen[] = [
  {
    role: 'admin',
    path: '/admin',
    held: /\/rest\/v1\/rpc\//,
    shown: (page) => page.getByRole('link', { name: /^Eingang/ }).first(),
    answered: (page) => page.getByRole('button', { name: 'Aktualisieren' }),
  },
  {
    role: 'testnormec',
    path: '/testnormec',
    held: /\/rest\/v1\/rpc\//,
    shown: (page) => page.getByRole('link', { name: 'Meine Beiträge ansehen' }),
    answered: (page) => page.locator('main span[hidden]'),
  },
  {
    role: 'vdi_admin',
    path: '/konto',
    held: /\/rest\/v1\/user_roles/,
    shown: (page) => page.getByRole('heading', { name: 'Angemeldet auf' }),
    answered: (page) => page.getByRole('navigation').getByRole('link', { name: 'Meine Beiträge' }),
  },
  {
    role: 'vdi_admin',
    path: '/passwort-neu',
    held: /\/rest\/v1\/user_roles/,
    shown: (page) => page.getByRole('button', { name: 'Passwort speichern' }),
    answered: (page) => page.getByRole('navigation').getByRole('link', { name: 'Meine Beiträge' }),
  },
  {
    role: 'admin',
    path: '/admin/eingang',
    held: /\/rest\/v1\/rpc\//,
    shown: (page) => page.getByRole('link', { name: 'Abgelehnt' }),
    answered: (page) => page.getByRole('link', { name: 'Abgelehnt 0' }),
  },
];

for (const { role, path, held, shown, answered } of SCREENS)
  test(`Nothing moves away under a finger when the answers come: ${path} (§2)`, async ({ page, loginAs }) => {
    const release = await holdAnswers(page, held);
    const entered = loginAs(role, path);
    await expect(shown(page)).toBeVisible();
    const listMoved = await rememberPlaces(page);
    release();
    await entered;
    await expect(answered(page)).toBeAttached();
    await expect(page.getByText(/^(?:Lade|Wird geladen)/)).toHaveCount(0);
    expect(await listMoved()).toEqual([]);
  });

test('The words of a contribution stay where they are when its recordings and pictures come (desk)', async ({
  page,
  server,
}) => {
  await page.setViewportSize({ width: 1440, height: 1400 });
  const id = await richContribution(server);
  const release = await holdAnswers(page, /\/storage\/v1\/object\/sign\//);
  await toDesk(page, server, `/admin/eingang/${id}`);
  await expect(page.getByRole('heading', { name: 'W-Fragen' })).toBeVisible();
  const listMoved = await rememberPlaces(page);
  release();
  await expect(page.getByRole('slider', { name: 'Wiedergabe' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Bild 2 (PNG) groß ansehen' })).toBeVisible();
  expect(await listMoved()).toEqual([]);
});
