import '#tests/support/indexed-db.ts';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { storeSession, STUB_USER, type Answers } from '#tests/support/web/stub-server.ts';
import { applicationForEach, open } from '#tests/support/web/render-application.tsx';
import { TABLE, VISITORS, type Outcome, type Visitor } from '#tests/support/route-table.ts';

vi.mock('#web/features/interview/voice/client.ts', () => import('#tests/support/web/fake-line.ts'));

/** What every step of a flow would hand on, so that no screen sends its visitor away for want of it. */
const STATE = { transcript: 'Du: Hallo', interviewId: 'local_1_a', uploadSuccess: true };
const QUERY = '?q=1#teil';

applicationForEach();

async function openAs(visitor: Visitor): Promise<void> {
  const answers: Answers = {
    'GET /rest/v1/user_roles': () =>
      visitor === 'without a role'
        ? Response.json({ code: 'PGRST116', message: '' }, { status: 406 })
        : Response.json({ role: visitor }),
    'POST /rest/v1/rpc/desk_contribution': () => Response.json({ code: 'PT404', message: '' }, { status: 404 }),
  };
  if (visitor !== 'not logged in') storeSession();
  open('/impressum', answers);
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
    await openAs(visitor);
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
    await openAs('vdi_admin');
    await act(async () => window.history.pushState({}, '', '/gibt-es-nicht'));
    const home = await screen.findByRole('link', { name: 'Return to Home' });
    await act(() => userEvent.click(home));
    await screen.findByRole('heading', { level: 1, name: 'Hallo mara' });
    expect(window.location.pathname).toBe('/');
  });
});
