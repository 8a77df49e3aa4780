import type { ReactNode } from 'react';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { type BackendClient, BackendProvider } from '#web/backend/client.ts';
import { connectBackend } from '#web/backend/connect.ts';
import { createQueryClient } from '#web/backend/server-state.tsx';
import type { SessionState } from '#web/backend/session-state.ts';
import { createSessionStore, type SessionStore } from '#web/backend/session-store.ts';
import { SessionProvider } from '#web/backend/session.ts';
import {
  type Answers,
  SESSION_KEY,
  storeSession,
  STUB_CONFIG,
  STUB_USER,
  stubServer,
  stubSession,
} from '#tests/support/web/stub-server.ts';
import { ToastProvider } from '#web/ui/toast.tsx';
import { FactorsSection } from './factors-section.tsx';
import { SecondFactorScreen } from './second-factor-screen.tsx';

afterEach(() => vi.unstubAllGlobals());

function show(backend: BackendClient, store: SessionStore, section: ReactNode): void {
  render(
    <BackendProvider value={backend}>
      <QueryClientProvider client={createQueryClient()}>
        <SessionProvider value={store}>
          <ToastProvider>{section}</ToastProvider>
        </SessionProvider>
      </QueryClientProvider>
    </BackendProvider>,
  );
}

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
  show(
    await store.backend(),
    { ...store, getState: () => state },
    <SecondFactorScreen onLogout={() => (state = { status: 'signed-out', left: true })} />,
  );
  await user.type(await screen.findByLabelText(/Code/), '123456');
  await user.click(screen.getByRole('button', { name: 'Bestätigen' }));
  if (what === 'a logout') await user.click(screen.getByRole('button', { name: 'Abmelden' }));
  held.resolve(Response.json(stubSession()));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Bestätigen' }).getAttribute('aria-busy')).toBeNull());
  // The toast is drawn some tasks after the answer.
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
  return { store, backend };
}

it.each(['123-456', 'Dein Code: 123\u00A0456', '\u200B123456'])(
  'Takes a code as it was copied: %j (§2.2)',
  async (pasted) => {
    const sent: unknown[] = [];
    const path = `POST /auth/v1/factors/${FACTOR.id}`;
    const { store, backend } = await openAccount([FACTOR], 'aal1', {
      [`${path}/challenge`]: () => Response.json({ id: 'c-1', type: 'totp', expires_at: 4_000_000_000 }),
      [`${path}/verify`]: (body) => {
        sent.push(JSON.parse(String(body)));
        return Response.json({ code: 422, error_code: 'mfa_verification_failed', msg: '' }, { status: 422 });
      },
    });
    show(backend, store, <SecondFactorScreen onLogout={vi.fn()} />);
    const user = userEvent.setup();
    await user.click(await screen.findByLabelText(/Code/));
    await user.paste(pasted);
    await user.click(screen.getByRole('button', { name: 'Bestätigen' }));
    await waitFor(() => expect(sent).toMatchObject([{ code: '123456' }]));
  },
);

it('Asks for the other second factor at once where the one that was shown is removed (decision 0140)', async () => {
  const passkey = { ...FACTOR, factor_type: 'webauthn', friendly_name: 'Passkey' };
  const factors = [{ ...FACTOR, id: '33333333-3333-4333-8333-333333333333' }, passkey];
  const removal = { [`DELETE /auth/v1/factors/${passkey.id}`]: () => Response.json(factors.pop()) };
  const { store, backend } = await openAccount(factors, 'aal2', removal);
  show(backend, store, <FactorsSection required={false} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Passkey entfernen' }));
  await userEvent.click(screen.getByRole('button', { name: 'Entfernen' }));
  await waitFor(() => expect(store.getState()).toMatchObject({ factor: 'due' }));
});

it.each(['before', 'after'])('Goes on %s a code where an administrator has removed the factor (D14)', async (when) => {
  const factors = [FACTOR];
  const gone = () => Response.json({ error_code: 'mfa_factor_not_found', msg: 'gone' }, { status: 404 });
  const { store, backend } = await openAccount(factors, 'aal1', {
    [`POST /auth/v1/factors/${FACTOR.id}/challenge`]: gone,
  });
  if (when === 'before') factors.pop();
  show(backend, store, <SecondFactorScreen onLogout={() => undefined} />);
  if (when === 'after') {
    const code = await screen.findByLabelText(/Code/);
    factors.pop();
    await userEvent.type(code, '123456{Enter}');
  }
  await waitFor(() => expect(store.getState()).toMatchObject({ factor: 'none' }));
});
