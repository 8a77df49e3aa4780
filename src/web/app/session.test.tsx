import '#tests/support/indexed-db.ts';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ReactNode, startTransition, Suspense, useState } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { describe, expect, it, vi } from 'vitest';
import { BackendProvider, useBackend } from '#web/backend/client.ts';
import { connectBackend } from '#web/backend/connect.ts';
import { createSessionStore } from '#web/backend/session-store.ts';
import {
  noConnection,
  storeSession,
  STUB_CONFIG,
  STUB_USER,
  stubServer,
  type Answers,
} from '#tests/support/web/stub-server.ts';
import { applicationForEach, open } from '#tests/support/web/render-application.tsx';

const ROLE = 'GET /rest/v1/user_roles';
const LOGOUT = 'POST /auth/v1/logout';
const roleIs = (role: string): Answers => ({ [ROLE]: () => Response.json({ role }) });
const noRow = () => Response.json({ code: 'PGRST116', message: '' }, { status: 406 });

applicationForEach();

const heading = (name: string) => screen.findByRole('heading', { level: 1, name });
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const goTo = (path: string) => act(async () => window.history.pushState({}, '', path));
const expectPath = (path: string) => waitFor(() => expect(window.location.pathname).toBe(path));
const toast = (text: string) => screen.findByText(text, { selector: '[data-variant] *' });

it('Says Initialisiere... until it is known what this installation is (§2.1, rule 1)', async () => {
  storeSession();
  const config = Promise.withResolvers<Response>();
  open('/firma-a', { ...roleIs('firma_a'), 'GET /config.json': () => config.promise });
  expect(screen.getByText('Initialisiere...')).toBeDefined();
  config.resolve(Response.json(STUB_CONFIG));
  await heading('Willkommen, mara');
});

describe('§2.1 a place that is closed', () => {
  it.each([
    ['firma_a', '/firma-a'],
    ['firma_b', '/firma-b'],
    ['testnormec', '/testnormec'],
    ['vdi_admin', '/content-selection'],
  ])('%s is told why /admin is closed, and is at home: rule 5', async (role, home) => {
    storeSession();
    open('/admin', roleIs(role));
    const title = await toast('Zugriff verweigert');
    expect(title.closest('[data-variant=destructive]')?.textContent).toContain(
      'Sie haben keine Berechtigung für diesen Bereich.',
    );
    await expectPath(home);
  });

  it('A second message takes the place of the first (D22)', async () => {
    storeSession();
    open('/admin', roleIs('vdi_admin'));
    await toast('Zugriff verweigert');
    await expectPath('/content-selection');
    const first = document.querySelector('li[data-variant]');
    await goTo('/admin/benutzer');
    await expectPath('/content-selection');
    await waitFor(() => expect(document.querySelector('li[data-variant]')).not.toBe(first));
    expect(await screen.findAllByText('Zugriff verweigert', { selector: 'li[data-variant] *' })).toHaveLength(1);
    expect(document.querySelectorAll('li[data-variant]')).toHaveLength(1);
  });
});

describe('§2.13 no role', () => {
  it('Says whose account it is; a refresh finds the role once it is given', async () => {
    storeSession();
    const answers = { [ROLE]: noRow as () => Response | Promise<Response> };
    open('/no-role', answers);
    await heading('Keine Berechtigung');
    screen.getByText('Ihrem Account wurde noch keine Rolle zugewiesen. Bitte kontaktieren Sie den Administrator.');
    screen.getByText(STUB_USER.email);
    await press('Berechtigung aktualisieren');
    await screen.findByText('Es ist noch keine Rolle eingetragen.');
    const held = Promise.withResolvers<Response>();
    answers[ROLE] = () => held.promise.then((answer) => answer.clone());
    await press('Berechtigung aktualisieren');
    await screen.findByRole('button', { name: 'Lade...' });
    held.resolve(Response.json({ role: 'firma_a' }));
    await heading('Willkommen, mara');
    expect(window.location.pathname).toBe('/firma-a');
  });

  it('Logs out', async () => {
    storeSession();
    open('/no-role', { [ROLE]: noRow, [LOGOUT]: () => new Response(null, { status: 204 }) });
    await heading('Keine Berechtigung');
    await userEvent.click(screen.getAllByRole('button', { name: 'Abmelden' }).at(-1) ?? document.body);
    await heading('Anmelden');
    expect(window.location.pathname).toBe('/login');
  });
});

describe('A start without network (§4)', () => {
  const keep = (): void => localStorage.setItem('app_config', JSON.stringify(STUB_CONFIG));

  it('Still opens the area with the last known role', async () => {
    keep();
    storeSession();
    localStorage.setItem(`last_role:${STUB_USER.id}`, 'firma_a');
    open('/firma-a/content-selection', { [ROLE]: noConnection, 'GET /config.json': noConnection });
    await heading('Was möchtest du einreichen?');
    await goTo('/admin');
    await expectPath('/firma-a');
    await heading('Willkommen, mara');
  });

  it('Says so where no role is known, and goes on once the connection is back', async () => {
    keep();
    storeSession();
    const answers: Record<string, () => Response> = { [ROLE]: noConnection, 'GET /config.json': noConnection };
    open('/firma-a', answers);
    await screen.findByText('Deine Benutzerdaten sind gerade nicht erreichbar');
    answers[ROLE] = () => Response.json({ role: 'firma_a' });
    await press('Erneut versuchen');
    await heading('Willkommen, mara');
  });
});

describe('§4 logout', () => {
  it.each([
    ['401', () => Response.json({}, { status: 401 })],
    ['403', () => Response.json({}, { status: 403 })],
    ['404', () => Response.json({}, { status: 404 })],
    ['500', () => Response.json({}, { status: 500 })],
    ['nothing', noConnection],
  ])('Is one where the backend answers %s, and every place asks for a login (§7)', async (_answer, answer) => {
    storeSession();
    const calls = open('/firma-a', { ...roleIs('firma_a'), [LOGOUT]: answer });
    await heading('Willkommen, mara');
    await userEvent.click(screen.getByTitle('Abmelden'));
    await toast('Abgemeldet');
    await heading('Anmelden');
    await waitFor(() => expect(calls).toContain(LOGOUT));
    await goTo('/firma-a');
    await expectPath('/login');
  });
});

describe('§4 inactivity', () => {
  it('Logs out after 30 minutes without a sign of life, checked every 60 s, and says so', async () => {
    storeSession(3 * 3_600);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    open('/firma-a', roleIs('firma_a'));
    await heading('Willkommen, mara');
    const pass = (minutes: number) => act(async () => void vi.advanceTimersByTime(minutes * 60_000));
    await pass(29);
    expect(window.location.pathname).toBe('/firma-a');
    window.dispatchEvent(new MouseEvent('mousemove'));
    await pass(29);
    expect(window.location.pathname).toBe('/firma-a');
    await pass(2);
    await toast('Abgemeldet');
    await expectPath('/login');
    await screen.findByText('Du wurdest abgemeldet');
  });
});

/** A member of the team who has opened a review by its link (decision 0412). */
describe('§4 inactivity beside a review', () => {
  const link = `/freigabe#k=${'k'.repeat(43)}`;
  const review = { firstName: 'Ada', sources: { transcript: '', answers: {} }, posts: [] };
  const answers: Answers = {
    ...roleIs('vdi_admin'),
    'POST /rest/v1/rpc/review_open': () => Response.json(review),
    [LOGOUT]: () => new Response(null, { status: 204 }),
  };

  const reload = (): void => {
    cleanup();
    open('/freigabe', answers);
  };

  it('Ends the login and leaves the review, which needs none, also for a reload', async () => {
    storeSession(3 * 3_600);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    open(link, answers);
    await heading('Hallo Ada!');
    await screen.findByTitle('Abmelden');
    await act(async () => void vi.advanceTimersByTime(31 * 60_000));
    vi.useRealTimers();
    await toast('Abgemeldet');
    await waitFor(() => expect(screen.queryByTitle('Abmelden')).toBeNull());
    await heading('Hallo Ada!');
    reload();
    await heading('Hallo Ada!');
    await goTo('/content-selection');
    await expectPath('/login');
  });

  it('Opens the review again in a tab that the browser had put away for hours', async () => {
    storeSession(3 * 3_600);
    open(link, answers);
    await heading('Hallo Ada!');
    localStorage.setItem('last_activity', String(Date.now() - 3 * 3_600_000));
    reload();
    await heading('Hallo Ada!');
    expect(screen.queryByTitle('Abmelden')).toBeNull();
  });

  it('Takes it away where somebody logs out in that tab', async () => {
    storeSession(3 * 3_600);
    open(link, answers);
    await heading('Hallo Ada!');
    await userEvent.click(await screen.findByTitle('Abmelden'));
    await expectPath('/login');
    reload();
    await heading('Dieser Link gilt nicht mehr');
  });
});

describe('D15 a new password', () => {
  it('Tells a user who is logged in, without a link, where the password can be changed', async () => {
    storeSession();
    open('/passwort-neu', {
      ...roleIs('firma_b'),
      'PUT /auth/v1/user': () => Response.json({ code: 400, error_code: 'current_password_required' }, { status: 400 }),
    });
    await heading('Neues Passwort setzen');
    await userEvent.type(screen.getByLabelText('Neues Passwort'), 'ganz-neues-passwort-7');
    await userEvent.type(screen.getByLabelText('Neues Passwort wiederholen'), 'ganz-neues-passwort-7');
    await press('Passwort speichern');
    expect((await screen.findByRole('alert')).textContent).toContain('Ändere es in deinem Konto.');
  });

  it('Cannot be set without a valid link, and a new one is offered', async () => {
    open('/passwort-neu', {});
    await heading('Dieser Link gilt nicht mehr');
    await userEvent.click(screen.getByRole('link', { name: 'Neuen Link anfordern' }));
    await heading('Passwort vergessen?');
    expect(window.location.pathname).toBe('/passwort-vergessen');
  });
});

describe('§2.2 other ways to log in', () => {
  it('Offers none where none is switched on', async () => {
    const calls = open('/login', {
      'GET /auth/v1/settings': () => Response.json({ external: { google: false, email: true }, saml_enabled: false }),
    });
    await waitFor(() => expect(calls).toContain('GET /auth/v1/settings'));
    await act(() => new Promise((resolve) => setTimeout(resolve)));
    screen.getByRole('link', { name: 'Code per E-Mail statt Passwort' });
    expect(screen.queryByRole('link', { name: 'Mit dem Firmenkonto anmelden' })).toBeNull();
    expect(screen.queryByRole('button', { name: /^Mit .* anmelden$/ })).toBeNull();
  });

  it('An answer of a company login that comes after the screen was left leads nowhere', async () => {
    const answer = Promise.withResolvers<Response>();
    const calls = open('/anmeldung-firma', { 'POST /auth/v1/sso': () => answer.promise });
    await userEvent.type(await screen.findByLabelText('E-Mail'), 'anna@zurueck.test');
    await press('Weiter');
    await waitFor(() => expect(calls).toContain('POST /auth/v1/sso'));
    await userEvent.click(screen.getByRole('link', { name: 'Zurück zur Anmeldung' }));
    await userEvent.type(await screen.findByLabelText('E-Mail'), 'anna@');
    // jsdom reports a navigation, which it cannot make, as an error.
    const left = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    answer.resolve(Response.json({ url: 'http://company.example' }));
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(left).not.toHaveBeenCalled();
    await userEvent.type(screen.getByLabelText('E-Mail'), 'anders.test');
    expect(screen.getByLabelText<HTMLInputElement>('E-Mail').value).toBe('anna@anders.test');
    await userEvent.click(screen.getByRole('link', { name: 'Passwort vergessen?' }));
    await heading('Passwort vergessen?');
  });
});

it('A screen whose client comes while it is being drawn is drawn without an error (§2.1)', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  stubServer({});
  const store = createSessionStore(STUB_CONFIG, (config) => Promise.resolve(connectBackend(config)));
  const Screen = (): ReactNode => useState(useBackend().config.supabaseUrl)[0];
  const draw = (value: typeof store): ReactNode => (
    <Suspense>
      <BackendProvider value={value}>
        <Screen />
      </BackendProvider>
    </Suspense>
  );
  const page = document.body.appendChild(document.createElement('div'));
  const errors: unknown[] = [];
  const root = createRoot(page, { onRecoverableError: (error) => void errors.push(error) });
  startTransition(() => root.render(draw(store)));
  await vi.waitFor(() => expect(page.textContent).toBe(STUB_CONFIG.supabaseUrl));
  expect(errors).toEqual([]);
  root.unmount();
  const next = createSessionStore(STUB_CONFIG, (config) => Promise.resolve(connectBackend(config)));
  await next.backend();
  const later = createRoot(page);
  flushSync(() => later.render(draw(next)));
  expect(page.textContent, 'at once where it has come before').toBe(STUB_CONFIG.supabaseUrl);
  later.unmount();
});
