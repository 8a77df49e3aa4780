import '#tests/support/indexed-db.ts';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { storeSession, STUB_CONFIG, STUB_USER, stubServer, type Answers } from '#tests/support/web/stub-server.ts';
import { TABLE, VISITORS, type Outcome, type Visitor } from '#tests/support/route-table.ts';
import { Boot } from './application.tsx';

vi.mock('#web/features/interview/voice/client.ts', () => import('#tests/support/web/fake-line.ts'));

/** What every step of a flow would hand on, so that no screen sends its visitor away for want of it. */
const STATE = { transcript: 'Du: Hallo', interviewId: 'local_1_a', uploadSuccess: true };
const QUERY = '?q=1#teil';

beforeEach(() => {
  vi.spyOn(window, 'scrollTo').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  window.history.replaceState(null, '', '/');
});

async function open(visitor: Visitor): Promise<void> {
  window.history.replaceState(null, '', '/impressum');
  const answers: Answers = {
    'GET /config.json': () => Response.json(STUB_CONFIG),
    'GET /rest/v1/user_roles': () =>
      visitor === 'without a role'
        ? Response.json({ code: 'PGRST116', message: '' }, { status: 406 })
        : Response.json({ role: visitor }),
    'POST /rest/v1/rpc/desk_contribution': () => Response.json({ code: 'PT404', message: '' }, { status: 404 }),
  };
  stubServer(answers);
  if (visitor !== 'not logged in') storeSession();
  render(<Boot />);
  await screen.findByRole('heading', { level: 1, name: 'Impressum' });
  if (visitor === 'not logged in' || visitor === 'without a role') return;
  await waitFor(() => expect(localStorage.getItem(`last_role:${STUB_USER.id}`)).toBe(visitor));
}

/** The first place of each kind; every screen for those who together see all of them. */
function listVisits(visitor: Visitor): readonly (readonly [string, Outcome])[] {
  const seesAll = visitor === 'admin' || visitor === 'not logged in' || visitor === 'without a role';
  const all = TABLE.map(({ path, outcome }) => [path, outcome(visitor)] as const);
  return all.filter(
    ([, { kind }], index) =>
      (seesAll && kind === 'allowed') || all.findIndex(([, other]) => other.kind === kind) === index,
  );
}

/** Query, fragment and state stay for a visitor who is let in or forwarded; a login to come remembers the path. */
function checkRest(visitor: Visitor, path: string, { kind }: Outcome): void {
  const { search, hash } = window.location;
  if (kind === 'allowed' || kind === 'forwarded') {
    expect([path, search + hash]).toEqual([path, QUERY]);
    expect(window.history.state, path).toMatchObject(STATE);
  }
  if (kind === 'redirected' && visitor === 'not logged in')
    expect(localStorage.getItem('redirect_after_login')).toBe(`${path}${QUERY}`);
}

describe('§2.1 places and their screens', () => {
  it.each(VISITORS)('%s: the screens that are open, and one place of each other kind', async (visitor) => {
    await open(visitor);
    for (const [path, expected] of listVisits(visitor)) {
      sessionStorage.clear();
      localStorage.removeItem('redirect_after_login');
      await act(async () => window.history.pushState(STATE, '', `${path}${QUERY}`));
      await waitFor(() => {
        expect(window.location.pathname).toBe('to' in expected ? expected.to : path);
        expect([path, document.querySelector('h1')?.textContent ?? '']).toEqual([
          path,
          expect.stringMatching(expected.heading),
        ]);
      });
      checkRest(visitor, path, expected);
    }
  });

  it('The not-found page leads home', async () => {
    await open('vdi_admin');
    await act(async () => window.history.pushState({}, '', '/gibt-es-nicht'));
    const home = await screen.findByRole('link', { name: 'Return to Home' });
    await act(() => userEvent.click(home));
    await screen.findByRole('heading', { level: 1, name: 'Hallo mara' });
    expect(window.location.pathname).toBe('/');
  });
});
