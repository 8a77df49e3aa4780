import { useMemo, useState, type ReactNode } from 'react';
import { createClient } from '@supabase/supabase-js';
import { notifyManager, QueryClientProvider } from '@tanstack/react-query';
import { act, render } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { vi } from 'vitest';
import type { AppConfig } from '#contract/app-config.ts';
import type { Role } from '#contract/roles.ts';
import { type BackendClient, BackendProvider } from '#web/backend/client.ts';
import { createQueryClient } from '#web/backend/server-state.tsx';
import type { SessionStore } from '#web/backend/session-store.ts';
import { SessionProvider } from '#web/backend/session.ts';
import { storeSession, STUB_CONFIG, STUB_USER } from '#tests/support/web/stub-server.ts';
import { NavigationProvider } from '#web/ui/link.tsx';
import { ToastProvider } from '#web/ui/toast.tsx';

// Tests may stop the clock, which would hold notifications back.
notifyManager.setScheduler(queueMicrotask);

/** Answers by SQL function ('desk_inbox') or by method and path ('POST /v1/desk/tickets'). */
export type DeskAnswers = Record<string, (args: never) => unknown>;

export type DeskRun = Readonly<{
  user: UserEvent;
  /** The current address. */
  place: () => string;
  /** The requests, in order. */
  requests: readonly Readonly<{ name: string; args: unknown }>[];
  /** How often session and role were checked again. */
  rechecks: () => number;
}>;

const supabase = createClient(STUB_CONFIG.supabaseUrl, STUB_CONFIG.supabaseKey, { auth: { autoRefreshToken: false } });

/** A refusal of the database: HTTP status and SQLSTATE. */
export function refusal(status: number, code: string): Response {
  return Response.json({ code, message: 'refused', details: null, hint: null }, { status });
}

export function unreachable(): never {
  throw new TypeError('Failed to fetch');
}

type DeskPlace = Readonly<{ address?: string; role?: Role; config?: Partial<AppConfig>; answers: DeskAnswers }>;

/** Renders a desk screen with the real supabase-js and a stubbed network; the screen can navigate. */
export function renderDesk(
  view: (address: string) => ReactNode,
  { address = '', role = 'admin', config, answers }: DeskPlace,
): DeskRun {
  const requests: { name: string; args: unknown }[] = [];
  vi.stubGlobal('fetch', network(answers, requests));
  storeSession();
  let now = address;
  let rechecks = 0;
  const client = { supabase, config: { ...STUB_CONFIG, ...config } };
  const session = { ...signIn(role, client), recheck: async (): Promise<void> => void (rechecks += 1) };
  render(
    <SessionProvider value={session}>
      <BackendProvider value={client}>
        <QueryClientProvider client={createQueryClient()}>
          <ToastProvider>
            <TestScreen first={address} view={view} onPlace={(place) => (now = place)} />
          </ToastProvider>
        </QueryClientProvider>
      </BackendProvider>
    </SessionProvider>,
  );
  return { user: userEvent.setup({ delay: null }), place: () => now, requests, rechecks: () => rechecks };
}

type TestScreenProps = Readonly<{
  first: string;
  view: (address: string) => ReactNode;
  onPlace: (place: string) => void;
}>;

/** Applies navigation to the search part only. */
function TestScreen({ first, view, onPlace }: TestScreenProps): ReactNode {
  const [address, setAddress] = useState(first);
  const navigate = useMemo(
    () => (href: string) => {
      onPlace(href);
      setAddress(new URL(href, 'http://desk.example').search);
    },
    [onPlace],
  );
  return <NavigationProvider value={navigate}>{view(address)}</NavigationProvider>;
}

function signIn(role: Role, client: BackendClient): SessionStore {
  const connected = Object.assign(Promise.resolve(client), { status: 'fulfilled', value: client });
  const state = {
    status: 'signed-in',
    user: { ...STUB_USER, username: 'mara' },
    role: { status: 'known', role, remembered: false },
    recovery: false,
    factor: 'none',
  } as const;
  const nothing = (): Promise<never> => Promise.reject(new Error('not needed here'));
  return {
    config: client.config,
    getState: () => state,
    subscribe: () => () => undefined,
    dispatch: () => undefined,
    backend: () => connected,
    start: () => () => undefined,
    refreshRole: nothing,
    recheck: nothing,
    signOut: nothing,
  };
}

function network(answers: DeskAnswers, requests: { name: string; args: unknown }[]): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, 'http://desk.example');
    const rpc = /^\/rest\/v1\/rpc\/(.*)$/.exec(url.pathname)?.[1];
    const name = rpc ?? `${init?.method ?? 'GET'} ${url.pathname}`;
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    const args = rpc === undefined && url.search !== '' ? Object.fromEntries(url.searchParams) : body;
    requests.push({ name, args });
    await Promise.resolve();
    const answer = answers[name] ?? DEFAULTS[name];
    if (answer === undefined) return new Response('{}', { status: 404 });
    const content = await answer(args as never);
    return content instanceof Response ? content : Response.json(content);
  };
}

const DEFAULTS: DeskAnswers = {
  desk_colleagues: () => [{ id: STUB_USER.id, email: STUB_USER.email }],
  desk_pulse: () => 'a',
  desk_gone: () => [],
  desk_posts: () => ({ posts: [], link: null, mailWaiting: false }),
  'POST /storage/v1/object/sign/Media': () => [],
};

/** Lets everything arrive that waits for nothing any more. */
export async function passRounds(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await act(() => new Promise((resolve) => setImmediate(resolve)));
}

/** Simulates a wide screen, because jsdom has no media queries. */
export function onWideScreen(): void {
  vi.stubGlobal('matchMedia', (media: string) => ({
    media,
    matches: media.includes('min-width'),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
}
