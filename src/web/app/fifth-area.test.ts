import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Area } from '#contract/areas.ts';
import type { Role } from '#contract/roles.ts';
import type { SessionState } from '#web/backend/session-state.ts';

/** D1: the application with a fifth company: one entry in the table of areas, and a role. Nothing else knows of it. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a role that does not exist yet is the point
const NEW_ROLE = 'firma_c' as Role;
let decideRoute: typeof import('./decide-route.ts').decideRoute;
let areas: typeof import('#contract/areas.ts');

beforeEach(async () => {
  vi.resetModules();
  areas = await import('#contract/areas.ts');
  const [like] = areas.AREAS.filter(({ id }) => id === 'firma-a');
  if (like === undefined) throw new Error('no company to take after');
  const fifth: Area = { ...like, base: '/firma-c', home: '/firma-c', roles: [NEW_ROLE, 'admin'] };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- read-only for everybody but this test
  (areas.AREAS as Area[]).push(fifth);
  ({ decideRoute } = await import('./decide-route.ts'));
});
afterEach(() => vi.resetModules());

function visitor(role: Role): SessionState {
  return {
    status: 'signed-in',
    user: { id: 'u', email: 'u@beispiel.test', username: 'u' },
    recovery: false,
    factor: 'none',
    role: { status: 'known', role, remembered: false },
  };
}

const visit = (path: string, role: Role) => decideRoute({ path, session: visitor(role) });

test('A user of the new role starts at the new area (D1)', () => {
  expect(visit('/login', NEW_ROLE)).toEqual({ kind: 'redirect', to: '/firma-c', complete: true });
});

test.each([
  '/firma-c',
  '/firma-c/voice-message',
  '/firma-c/thank-you',
  '/firma-c/interview/tech-dive',
  '/firma-c/content-selection',
])('%s opens for the new role and for admin, for nobody else (D1)', (path) => {
  expect(visit(path, NEW_ROLE).kind).toBe('render');
  expect(visit(path, 'admin').kind).toBe('render');
  expect(visit(path, 'firma_a')).toMatchObject({ kind: 'redirect', denied: 'role' });
  expect(visit(path, 'testnormec')).toMatchObject({ kind: 'redirect', denied: 'role' });
});

test('A generic flow route leads the new role to its twin (D2)', () => {
  expect(visit('/voice-message', NEW_ROLE)).toMatchObject({
    kind: 'redirect',
    to: '/firma-c/voice-message',
    keep: true,
  });
  expect(visit('/content-selection', NEW_ROLE)).toMatchObject({ kind: 'redirect', to: '/firma-c/content-selection' });
});

test('The other areas stay closed to the new role (D1)', () => {
  expect(visit('/firma-a', NEW_ROLE)).toMatchObject({ kind: 'redirect', denied: 'role' });
  expect(visit('/admin', NEW_ROLE)).toMatchObject({ kind: 'redirect', denied: 'role' });
});
