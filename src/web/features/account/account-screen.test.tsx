import type { ReactNode } from 'react';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { AppConfig } from '#contract/app-config.ts';
import { BackendProvider } from '#web/backend/client.ts';
import { connectBackend } from '#web/backend/connect.ts';
import { createQueryClient } from '#web/backend/server-state.tsx';
import type { SessionState } from '#web/backend/session-state.ts';
import { createSessionStore } from '#web/backend/session-store.ts';
import { SessionProvider } from '#web/backend/session.ts';
import {
  type Answers,
  SESSION_KEY,
  storeSession,
  STUB_CONFIG,
  STUB_USER,
  stubServer,
  stubSession,
} from '#web/backend/testing/stub-server.ts';
import { ToastProvider } from '#web/ui/toast.tsx';
import { FactorsSection } from './factors-section.tsx';
import { AccountScreen, PasswordSection } from './index.tsx';
import { SecondFactorScreen } from './second-factor-screen.tsx';
import { SessionsSection } from './sessions-section.tsx';

afterEach(() => vi.unstubAllGlobals());

const refused = (error_code: string) => (): Response =>
  Response.json({ code: 400, error_code, msg: error_code }, { status: 400 });
const NEW_PASSWORD = 'ein-neues-passwort-9';
const PUT = 'PUT /auth/v1/user';

function renderSection(config: AppConfig, section: ReactNode = <PasswordSection />): void {
  render(
    <BackendProvider value={connectBackend(config)}>
      <QueryClientProvider client={createQueryClient()}>
        <ToastProvider>{section}</ToastProvider>
      </QueryClientProvider>
    </BackendProvider>,
  );
}

it('Asks for the present password if the configuration says so (decision 0145)', async () => {
  stubServer({
    [PUT]: (body) => {
      expect(JSON.parse(String(body))).toMatchObject({ password: NEW_PASSWORD, current_password: 'das-richtige' });
      return Response.json(STUB_USER);
    },
  });
  storeSession();
  const user = userEvent.setup();
  renderSection({ ...STUB_CONFIG, currentPassword: true });
  await user.type(screen.getByLabelText('Jetziges Passwort'), 'das-richtige');
  await user.type(screen.getByLabelText('Neues Passwort'), NEW_PASSWORD);
  await user.type(screen.getByLabelText('Neues Passwort wiederholen'), NEW_PASSWORD);
  await user.click(screen.getByRole('button', { name: 'Passwort ändern' }));
  expect(await screen.findByText('Passwort geändert')).toBeTruthy();
});

it('Asks for the present password when the backend requires it, and reports a wrong one', async () => {
  const answers: Record<string, (body: unknown) => Response> = { [PUT]: refused('current_password_required') };
  stubServer(answers);
  storeSession();
  const user = userEvent.setup();
  renderSection(STUB_CONFIG);
  const submit = () => user.click(screen.getByRole('button', { name: 'Passwort ändern' }));
  expect(screen.queryByLabelText('Jetziges Passwort')).toBeNull();
  await user.type(screen.getByLabelText('Neues Passwort'), NEW_PASSWORD);
  await user.type(screen.getByLabelText('Neues Passwort wiederholen'), NEW_PASSWORD);
  await submit();
  expect(await screen.findByText('Gib bitte auch dein jetziges Passwort ein.')).toBeTruthy();

  answers[PUT] = refused('current_password_invalid');
  await user.type(screen.getByLabelText('Jetziges Passwort'), 'falsch');
  await submit();
  expect(await screen.findByText('Das jetzige Passwort stimmt nicht. Bitte gib es noch einmal ein.')).toBeTruthy();

  answers[PUT] = (body) => {
    expect(JSON.parse(String(body))).toMatchObject({ password: NEW_PASSWORD, current_password: 'das-richtige' });
    return Response.json(STUB_USER);
  };
  await user.clear(screen.getByLabelText('Jetziges Passwort'));
  await user.type(screen.getByLabelText('Jetziges Passwort'), 'das-richtige');
  await submit();
  expect(await screen.findByText('Passwort geändert')).toBeTruthy();
});

const ownSession = (facts: object) => ({
  id: crypto.randomUUID(),
  created_at: '2026-11-20T09:30:00Z',
  last_used_at: '2026-11-20T09:30:00Z',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0',
  address: null,
  aal: 'aal1',
  is_current: false,
  ...facts,
});

it('Lists no session any more that a new password has ended (D15)', async () => {
  let sessions = [ownSession({ is_current: true }), ownSession({ user_agent: 'iPhone Safari/605' })];
  stubServer({
    [PUT]: () => {
      sessions = sessions.slice(0, 1);
      return Response.json(STUB_USER);
    },
    'POST /rest/v1/rpc/my_sessions': () => Response.json(sessions),
  });
  storeSession();
  const user = userEvent.setup();
  renderSection(
    STUB_CONFIG,
    <>
      <PasswordSection />
      <SessionsSection />
    </>,
  );
  expect(await screen.findByText(/iPhone/)).toBeTruthy();
  await user.type(screen.getByLabelText('Neues Passwort'), NEW_PASSWORD);
  await user.type(screen.getByLabelText('Neues Passwort wiederholen'), NEW_PASSWORD);
  await user.click(screen.getByRole('button', { name: 'Passwort ändern' }));
  await waitFor(() => expect(screen.queryByText(/iPhone/)).toBeNull());
});

const FACTOR = {
  id: '22222222-2222-4222-8222-222222222222',
  factor_type: 'totp',
  status: 'verified',
  friendly_name: 'App',
  created_at: '2026-11-20T09:30:00Z',
  updated_at: '2026-11-20T09:30:00Z',
};

it.each([
  ['a logout', 0],
  ['nothing else', 1],
])('After %s a second factor that is accepted late says so %i times (§8)', async (what, times) => {
  const held = Promise.withResolvers<Response>();
  const path = `POST /auth/v1/factors/${FACTOR.id}`;
  stubServer({
    'GET /auth/v1/user': () => Response.json({ ...stubSession().user, factors: [FACTOR] }),
    [`${path}/challenge`]: () => Response.json({ id: 'c-1', type: 'totp', expires_at: 4_000_000_000 }),
    [`${path}/verify`]: () => held.promise,
  });
  storeSession();
  const user = userEvent.setup();
  const store = createSessionStore(STUB_CONFIG, async (config) => connectBackend(config));
  let state: SessionState = {
    status: 'signed-in',
    user: { ...STUB_USER, username: 'mara' },
    role: { status: 'loading' },
    recovery: false,
    factor: 'due',
  };
  renderSection(
    STUB_CONFIG,
    <SessionProvider value={{ ...store, getState: () => state }}>
      <SecondFactorScreen onLogout={() => (state = { status: 'signed-out', left: true })} />
    </SessionProvider>,
  );
  await user.type(await screen.findByLabelText(/Code/), '123456');
  await user.click(screen.getByRole('button', { name: 'Bestätigen' }));
  if (what === 'a logout') await user.click(screen.getByRole('button', { name: 'Abmelden' }));
  held.resolve(Response.json(stubSession()));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Bestätigen' }).getAttribute('aria-busy')).toBeNull());
  // The toast, which is drawn once it is all over.
  for (let round = 0; round < 10; round += 1) await act(() => new Promise((resolve) => setImmediate(resolve)));
  expect(screen.queryAllByText('Erfolgreich angemeldet', { selector: '[data-variant] *' })).toHaveLength(times);
});

/** The account of this browser; its session is at `aal`, and a new token at aal1. */
async function openAccount(factors: readonly object[], aal: 'aal1' | 'aal2', answers: Answers) {
  const session = (level: string) => ({ ...stubSession(3_600, level), user: { ...stubSession().user, factors } });
  stubServer({
    'GET /auth/v1/user': () => Response.json(session(aal).user),
    'POST /auth/v1/token': () => Response.json(session('aal1')),
    ...answers,
  });
  localStorage.setItem(SESSION_KEY, JSON.stringify(session(aal)));
  const store = createSessionStore(STUB_CONFIG, async (config) => connectBackend(config));
  onTestFinished(store.start());
  const backend = await store.backend();
  await waitFor(() => expect(store.getState()).toMatchObject({ factor: expect.any(String) }));
  const show = (section: ReactNode) =>
    render(
      <BackendProvider value={backend}>
        <QueryClientProvider client={createQueryClient()}>
          <SessionProvider value={store}>
            <ToastProvider>{section}</ToastProvider>
          </SessionProvider>
        </QueryClientProvider>
      </BackendProvider>,
    );
  return { store, show };
}

it('Asks for the other second factor at once where the one that was shown is removed (decision 0140)', async () => {
  const passkey = { ...FACTOR, factor_type: 'webauthn', friendly_name: 'Passkey' };
  const factors = [{ ...FACTOR, id: '33333333-3333-4333-8333-333333333333' }, passkey];
  const removal = { [`DELETE /auth/v1/factors/${passkey.id}`]: () => Response.json(factors.pop()) };
  const { store, show } = await openAccount(factors, 'aal2', removal);
  show(<FactorsSection required={false} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Passkey entfernen' }));
  await userEvent.click(screen.getByRole('button', { name: 'Entfernen' }));
  await waitFor(() => expect(store.getState()).toMatchObject({ factor: 'due' }));
});

it.each(['before', 'after'])('Goes on %s a code where an administrator has removed the factor (D14)', async (when) => {
  const factors = [FACTOR];
  const gone = refused('mfa_factor_not_found');
  const { store, show } = await openAccount(factors, 'aal1', {
    [`POST /auth/v1/factors/${FACTOR.id}/challenge`]: gone,
  });
  if (when === 'before') factors.pop();
  show(<SecondFactorScreen onLogout={() => undefined} />);
  if (when === 'after') {
    const code = await screen.findByLabelText(/Code/);
    factors.pop();
    await userEvent.type(code, '123456{Enter}');
  }
  await waitFor(() => expect(store.getState()).toMatchObject({ factor: 'none' }));
});

it('Announces no mails for the address that the account has already', async () => {
  const { show } = await openAccount([], 'aal1', { [PUT]: () => Response.json(STUB_USER) });
  show(<AccountScreen factorRequired={false} arrival={undefined} />);
  await userEvent.type(await screen.findByLabelText('Neue E-Mail-Adresse'), `${STUB_USER.email.toUpperCase()}{Enter}`);
  expect(await screen.findByText('Das ist deine jetzige Adresse.')).toBeTruthy();
  expect(screen.queryByText('Zwei E-Mails sind unterwegs')).toBeNull();
});

it('Does not say that nothing has changed where a link about a new address was opened twice', async () => {
  const { show } = await openAccount([], 'aal1', {});
  show(<AccountScreen factorRequired={false} arrival="expired" />);
  const notice = (await screen.findByText('Dieser Link gilt nicht mehr')).closest('[role]');
  expect(notice?.textContent).toContain('schon benutzt');
  expect(notice?.textContent).not.toContain('nichts geändert');
});
