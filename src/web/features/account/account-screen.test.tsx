import type { ReactNode } from 'react';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { AppConfig } from '#contract/app-config.ts';
import { BackendProvider } from '#web/backend/client.ts';
import { connectBackend } from '#web/backend/connect.ts';
import { createQueryClient } from '#web/backend/server-state.tsx';
import type { Arrival } from '#web/backend/arrival.ts';
import { createSessionStore } from '#web/backend/session-store.ts';
import { SessionProvider } from '#web/backend/session.ts';
import { type Answers, storeSession, STUB_CONFIG, STUB_USER, stubServer } from '#tests/support/web/stub-server.ts';
import { ToastProvider } from '#web/ui/toast.tsx';
import { AccountScreen, PasswordSection } from './index.tsx';
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

it('Asks for as many characters as the configuration does (D15)', async () => {
  const user = userEvent.setup();
  renderSection({ ...STUB_CONFIG, passwordLength: 12 });
  await user.type(screen.getByLabelText(/^Neues Passwort$/), 'elf-zeichen{Enter}');
  expect(await screen.findByText('Bitte wähle mindestens 12 Zeichen.')).toBeTruthy();
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

  // As for one of more than 72 bytes, which can never be saved.
  answers[PUT] = refused('validation_failed');
  await submit();
  expect(await screen.findByText(/zu lang \(höchstens 72 Zeichen, Umlaute zählen doppelt\)/)).toBeTruthy();

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

/** Before any other test that shows a time: a format keeps the time zone of its first use. */
it('Says when a session was used in the time zone of whoever reads it, as other screens do', async () => {
  vi.stubEnv('TZ', 'America/New_York');
  onTestFinished(() => void vi.unstubAllEnvs());
  stubServer({ 'POST /rest/v1/rpc/my_sessions': () => Response.json([ownSession({})]) });
  storeSession();
  renderSection(STUB_CONFIG, <SessionsSection />);
  expect(await screen.findByText('zuletzt 20.11.2026, 04:30')).toBeTruthy();
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

async function openAccount(answers: Answers, arrival?: Arrival, config: AppConfig = STUB_CONFIG): Promise<void> {
  stubServer(answers);
  storeSession();
  const store = createSessionStore(config, async (given) => connectBackend(given));
  store.dispatch({ type: 'session', user: { ...STUB_USER, username: 'mara' } });
  const account = <AccountScreen factorRequired={false} arrival={arrival} />;
  renderSection(config, <SessionProvider value={store}>{account}</SessionProvider>);
}

it('Announces no mails for the address that the account has already', async () => {
  await openAccount({ [PUT]: () => Response.json(STUB_USER) });
  await userEvent.type(await screen.findByLabelText('Neue E-Mail-Adresse'), `${STUB_USER.email.toUpperCase()}{Enter}`);
  expect(await screen.findByText('Das ist deine jetzige Adresse.')).toBeTruthy();
  expect(screen.queryByText('Zwei E-Mails sind unterwegs')).toBeNull();
});

it('Says where no mail server is set up, also once a new address is asked for', async () => {
  await openAccount({ [PUT]: () => Response.json(STUB_USER) }, undefined, { ...STUB_CONFIG, accountMails: false });
  await userEvent.type(await screen.findByLabelText('Neue E-Mail-Adresse'), 'neu@beispiel.test{Enter}');
  await screen.findByText('Zwei E-Mails sind unterwegs');
  expect(screen.getByText(/^Hier ist kein Mailversand eingerichtet/)).toBeTruthy();
});

it('Does not say that nothing has changed where a link about a new address was opened twice', async () => {
  await openAccount({}, 'expired');
  const notice = (await screen.findByText('Dieser Link gilt nicht mehr')).closest('[role]');
  expect(notice?.textContent).toContain('schon benutzt');
  expect(notice?.textContent).not.toContain('nichts geändert');
});
