import '#tests/support/indexed-db.ts';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { Role } from '#contract/roles.ts';
import { storeSession } from '#tests/support/web/stub-server.ts';
import { applicationForEach, open } from '#tests/support/web/render-application.tsx';
import { deskItem, deskPage } from '#tests/support/web/desk-items.ts';

applicationForEach();

/** Without a role: a guest. */
function openAs(role: Role | undefined, path: string, answers: Record<string, () => Response> = {}): void {
  answers['GET /rest/v1/user_roles'] ??= () => Response.json({ role });
  if (role !== undefined) storeSession();
  open(path, answers);
}

/** jsdom shows both, of which a window has one. */
const bars = () => screen.findAllByRole('navigation', { name: 'Navigation' });
const heading = (name: string | RegExp) => screen.findByRole('heading', { level: 1, name });
const account = () => screen.getByRole('link', { name: /^Konto von / });
/** A screen that comes in pieces is waited for. */
const click = (element: HTMLElement) => act(() => userEvent.click(element));
const goTo = (path: string) => act(async () => window.history.pushState({}, '', path));
const expectPath = (path: string) => waitFor(() => expect(window.location.pathname).toBe(path));

/** Name, address and heading of each way, in its order. */
const WAYS: Readonly<Record<Role, readonly (readonly [string, string, RegExp])[]>> = {
  admin: [
    ['Administration', '/admin', /^Administration$/],
    ['Eingang', '/admin/eingang', /^Eingang$/],
    ['Neuer Beitrag', '/', /^Hallo /],
    ['Meine Beiträge', '/meine-beitraege', /^Meine Beiträge$/],
  ],
  vdi_admin: [
    ['Start', '/', /^Hallo /],
    ['Meine Beiträge', '/meine-beitraege', /^Meine Beiträge$/],
  ],
  firma_a: company('/firma-a'),
  firma_b: company('/firma-b'),
  testnormec: [
    ['Start', '/testnormec', /^Willkommen, /],
    ['Meine Beiträge', '/meine-beitraege', /^Meine Beiträge$/],
  ],
};

function company(home: string) {
  return [
    ['Start', home, /^Willkommen, /],
    ['Neuer Beitrag', `${home}/content-selection`, /^Was möchtest du einreichen\?$/],
    ['Meine Beiträge', '/meine-beitraege', /^Meine Beiträge$/],
  ] as const;
}

/** Walks every way of one of both bars, from its end. */
async function walk(ways: (typeof WAYS)[Role], which: number): Promise<void> {
  const bar = async () => within((await bars())[which] ?? document.body);
  expect((await bar()).getAllByRole('link').map(({ textContent }) => textContent)).toEqual(ways.map(([name]) => name));
  for (const [name, path, title] of ways.toReversed()) {
    await click((await bar()).getByRole('link', { name }));
    await heading(title);
    expect(window.location.pathname).toBe(path);
    const current = (await bar()).getAllByRole('link').filter((link) => link.ariaCurrent !== null);
    expect(current.map(({ textContent, ariaCurrent }) => [textContent, ariaCurrent])).toEqual([[name, 'page']]);
  }
}

describe('The navigation (§2.3)', () => {
  it.each(Object.entries(WAYS))(
    'Leads %s everywhere, says where one is, and the logo leads home',
    async (role, ways) => {
      const home = ways[0]?.[1] ?? '';
      openAs(role as Role, home);
      await heading(ways[0]?.[2] ?? '');
      expect(await bars()).toHaveLength(2);
      for (const which of [0, 1]) await walk(ways, which);
      await click(account());
      await heading('Konto');
      expect(account().ariaCurrent).toBe('page');
      await click(within(screen.getByRole('main')).getByRole('link', { name: 'Zurück' }));
      await expectPath(home);
      await click(account());
      await heading('Konto');
      await click(screen.getByRole('link', { name: 'Zum eigenen Bereich' }));
      await expectPath(home);
      const title = within(screen.getByRole('banner')).getByRole('link', { name: 'Social-Media-Content-Assistent' });
      expect(title.getAttribute('href')).toBe('/');
    },
  );

  it('The start page of the generic area is the same under both of its addresses (§2.4, D5)', async () => {
    openAs('vdi_admin', '/content-selection');
    await heading(/^Hallo /);
    const content = screen.getByRole('main').textContent;
    for (const bar of await bars()) expect(within(bar).getByRole('link', { name: 'Start' }).ariaCurrent).toBe('page');
    await goTo('/');
    await heading(/^Hallo /);
    expect(screen.getByRole('main').textContent).toBe(content);
  });

  it('An administrator comes back from the start page of a company (§2.12)', async () => {
    openAs('admin', '/firma-a');
    await heading(/^Willkommen, /);
    await click(within(screen.getByRole('main')).getByRole('link', { name: 'Administration' }));
    await heading('Administration');
    expect(window.location.pathname).toBe('/admin');
  });

  it('Guests see none, and nothing of it leads to the login (D4)', async () => {
    openAs(undefined, '/datenschutz');
    await heading('Datenschutz');
    for (const [path, title] of [
      ['/upload', 'Upload von Medien'],
      ['/thank-you', 'Vielen Dank für deinen Beitrag!'],
      ['/ausgangskorb', 'Ausgangskorb'],
      ['/impressum', 'Impressum'],
      ['/login', 'Anmelden'],
    ] as const) {
      await goTo(path);
      await heading(title);
      expect(window.location.pathname).toBe(path);
      expect(screen.queryByRole('navigation', { name: 'Navigation' })).toBeNull();
    }
  });

  it('A guest who reads the Impressum comes back to the upload (D4, D8)', async () => {
    openAs(undefined, '/upload');
    await heading('Upload von Medien');
    await click(screen.getByRole('link', { name: 'Impressum' }));
    await heading('Impressum');
    await click(screen.getByRole('link', { name: 'Zurück' }));
    await heading('Upload von Medien');
    expect(window.location.pathname).toBe('/upload');
  });

  it('Eingang counts the new contributions as the desk does, for administrators (§2.12)', async () => {
    const answers: Record<string, () => Response> = {
      'POST /rest/v1/rpc/desk_pulse': () => Response.json('1'),
      'POST /rest/v1/rpc/desk_inbox': () => Response.json(deskPage([])),
    };
    openAs('admin', '/konto', answers);
    const inbox = async () => within((await bars())[0] ?? document.body).getByRole('link', { name: /^Eingang/ });
    expect((await inbox()).textContent).toBe('Eingang');
    answers['POST /rest/v1/rpc/desk_pulse'] = () => Response.json('2');
    answers['POST /rest/v1/rpc/desk_inbox'] = () =>
      Response.json({ ...deskPage([deskItem()]), counts: { new: 1, open: 1, all: 1 } });
    await act(async () => void window.dispatchEvent(new Event('visibilitychange')));
    await waitFor(async () => expect((await inbox()).textContent).toContain('1 neuer Beitrag'));
  });
});
