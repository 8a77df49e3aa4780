import { createClient } from '@supabase/supabase-js';
import { render } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { useMemo, useState, type ReactNode } from 'react';
import { vi } from 'vitest';
import { BackendProvider } from '#web/backend/client.ts';
import { SessionProvider } from '#web/backend/session.ts';
import type { SessionStore } from '#web/backend/session-store.ts';
import { storeSession, STUB_CONFIG, STUB_USER } from '#web/backend/testing/stub-server.ts';
import { NavigationProvider } from '#web/ui/link.tsx';
import { ToastProvider } from '#web/ui/toast.tsx';

/**
 * Answers by name of the function ('desk_inbox') or method and path ('POST /v1/desk/tickets'), each given the
 * arguments.
 */
export type DeskAnswers = Record<string, (args: never) => unknown>;

export type DeskRun = Readonly<{
  user: UserEvent;
  /** Where the address is now. */
  place: () => string;
  /** What was asked, in order. */
  asked: readonly Readonly<{ name: string; args: unknown }>[];
  /** How often session and role were looked up anew. */
  rechecks: () => number;
}>;

const supabase = createClient(STUB_CONFIG.supabaseUrl, STUB_CONFIG.supabaseKey, { auth: { autoRefreshToken: false } });

/** What the database refuses with: HTTP status and SQLSTATE. */
export function refusal(status: number, code: string): Response {
  return Response.json({ code, message: 'refused', details: null, hint: null }, { status });
}

export function unreachable(): never {
  throw new TypeError('Failed to fetch');
}

/** A screen of the desk at an address that it can change, in front of the real supabase-js and a network of answers. */
export function renderDesk(
  view: (address: string) => ReactNode,
  { address = '', answers }: Readonly<{ address?: string; answers: DeskAnswers }>,
): DeskRun {
  const asked: { name: string; args: unknown }[] = [];
  vi.stubGlobal('fetch', network(answers, asked));
  storeSession();
  let now = address;
  let rechecks = 0;
  const session = { ...SIGNED_IN, recheck: async (): Promise<void> => void (rechecks += 1) };
  render(
    <SessionProvider value={session}>
      <BackendProvider value={{ config: STUB_CONFIG, supabase }}>
        <ToastProvider>
          <Stage first={address} view={view} onPlace={(place) => (now = place)} />
        </ToastProvider>
      </BackendProvider>
    </SessionProvider>,
  );
  return { user: userEvent.setup({ delay: null }), place: () => now, asked, rechecks: () => rechecks };
}

type StageProps = Readonly<{ first: string; view: (address: string) => ReactNode; onPlace: (place: string) => void }>;

/** Stays on the screen as long as the path is the same. */
function Stage({ first, view, onPlace }: StageProps): ReactNode {
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

const SIGNED_IN: SessionStore = (() => {
  const state = {
    status: 'signed-in',
    user: { ...STUB_USER, username: 'mara' },
    role: { status: 'known', role: 'admin', remembered: false },
    recovery: false,
    factor: 'none',
  } as const;
  const nothing = (): Promise<never> => Promise.reject(new Error('not needed here'));
  return {
    config: STUB_CONFIG,
    getState: () => state,
    subscribe: () => () => undefined,
    dispatch: () => undefined,
    backend: nothing,
    connected: () => undefined,
    start: () => () => undefined,
    refreshRole: nothing,
    recheck: nothing,
    signOut: nothing,
  };
})();

function network(answers: DeskAnswers, asked: { name: string; args: unknown }[]): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, 'http://desk.example');
    const rpc = /^\/rest\/v1\/rpc\/(.*)$/.exec(url.pathname)?.[1];
    const name = rpc ?? `${init?.method ?? 'GET'} ${url.pathname}`;
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    const args = rpc === undefined && url.search !== '' ? Object.fromEntries(url.searchParams) : body;
    asked.push({ name, args });
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
  'POST /storage/v1/object/sign/Media': () => [],
};

/** The desk as it is on a wide screen; jsdom has no screen of its own. */
export function onWideScreen(): void {
  vi.stubGlobal('matchMedia', (media: string) => ({
    media,
    matches: media.includes('min-width'),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
}
