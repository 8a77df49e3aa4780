import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Role } from '#contract/roles.ts';
import { type FactorState, type RoleState, type SessionState, sessionUser } from '#web/backend/session-state.ts';
import { decideRoute, usableSavedPath } from './decide-route.ts';

const ROLES: readonly Role[] = ['firma_a', 'firma_b', 'testnormec', 'admin', 'vdi_admin'];
const HOMES: Readonly<Record<Role, string>> = {
  firma_a: '/firma-a',
  firma_b: '/firma-b',
  testnormec: '/testnormec',
  admin: '/admin',
  vdi_admin: '/content-selection',
};

function signedIn(role: RoleState, recovery = false, factor: FactorState = 'none'): SessionState {
  return { status: 'signed-in', user: sessionUser({ id: 'u1', email: 'a@b.example' }), role, recovery, factor };
}

const as = (role: Role): SessionState => signedIn({ status: 'known', role, remembered: false });
const signedOut: SessionState = { status: 'signed-out', left: false };
const initialising: SessionState = { status: 'initialising' };
const withoutRole = signedIn({ status: 'none' });

/** What happens, in one word: shown, or where one is sent. */
function outcome(path: string, session: SessionState, savedPath?: string): string {
  const decision = decideRoute({ path, session, savedPath });
  if (decision.kind === 'render') return 'shown';
  if (decision.kind === 'redirect') return `to ${decision.to}`;
  return decision.kind === 'loading' ? `loading ${decision.reason}` : decision.kind;
}

// The table of §2.1 as it stands in the specification, with D2 and D5 written out; not derived from AREAS.
// prettier-ignore
const GENERIC = ['interview-category', 'interview/engineering-path', 'interview/behind-scenes', 'interview/tech-dive',
  'interview/free-topic', 'voice-message', 'transcript-edit', 'image-upload-after-voice', 'upload', 'thank-you',
  'video-upload', 'image-upload', 'document-upload', 'interview', 'content-selection'];
const TEST = [
  'interview-category',
  'interview/engineering-path',
  'interview/behind-scenes',
  'interview/tech-dive',
  'interview/free-topic',
  'voice-message',
  'transcript-edit',
  'image-upload-after-voice',
  'thank-you',
];

const ALLOWED: readonly (readonly [string, readonly Role[]])[] = [
  ['/', ROLES],
  ['/no-role', ROLES],
  ['/firma-a', ['firma_a', 'admin']],
  ['/firma-b', ['firma_b', 'admin']],
  ['/testnormec', ['testnormec', 'admin']],
  ['/admin', ['admin']],
  ['/admin/benutzer', ['admin']],
  ['/admin/eingang', ['admin']],
  ['/admin/eingang/tafel', ['admin']],
  ['/admin/eingang/datenschutz', ['admin']],
  ['/admin/eingang/17', ['admin']],
  ...GENERIC.map((part) => [`/${part}`, ['admin', 'vdi_admin']] as const),
  ...GENERIC.map((part) => [`/firma-a/${part}`, ['firma_a', 'admin']] as const),
  ...GENERIC.map((part) => [`/firma-b/${part}`, ['firma_b', 'admin']] as const),
  ...TEST.map((part) => [`/testnormec/${part}`, ['testnormec', 'admin']] as const),
];

function expected(path: string, allowed: readonly Role[], role: Role): string {
  if (allowed.includes(role)) return 'shown';
  const part = path.slice(1);
  if (role === 'firma_a' && GENERIC.includes(part)) return `to /firma-a/${part}`;
  if (role === 'firma_b' && GENERIC.includes(part)) return `to /firma-b/${part}`;
  if (role === 'testnormec' && TEST.includes(part)) return `to /testnormec/${part}`;
  return 'to /login';
}

const CASES = ALLOWED.flatMap(([path, allowed]) =>
  ROLES.map((role) => [path, role, expected(path, allowed, role)] as const),
);

describe('§2.1, D2 every route for every role', () => {
  it.each(CASES)('%s as %s: %s', (path, role, wanted) => {
    expect(outcome(path, as(role))).toBe(wanted);
  });

  it.each(ALLOWED.map(([path]) => path))('%s while nobody is logged in', (path) => {
    const open = ['/upload', '/thank-you'].includes(path);
    expect(outcome(path, signedOut)).toBe(open ? 'shown' : 'to /login');
  });

  it.each(ALLOWED.map(([path]) => path))('%s before the session is known', (path) => {
    expect(outcome(path, initialising)).toBe('loading initialising');
  });

  it.each(ALLOWED.map(([path]) => path))('%s while the role loads', (path) => {
    const wanted = path === '/no-role' ? 'shown' : 'loading role';
    expect(outcome(path, signedIn({ status: 'loading' }))).toBe(wanted);
  });

  it.each(ALLOWED.map(([path]) => path))('%s without a role', (path) => {
    const shown = ['/upload', '/thank-you', '/no-role'].includes(path);
    expect(outcome(path, withoutRole)).toBe(shown ? 'shown' : 'to /no-role');
  });
});

describe('§2.1 guard', () => {
  it('Step 2 saves the path of a visitor without a login', () => {
    expect(decideRoute({ path: '/admin', session: signedOut })).toMatchObject({ remember: true, denied: 'signed-out' });
  });
  it('Remembers nothing after a logout (§4)', () => {
    const decision = decideRoute({ path: '/admin', session: { status: 'signed-out', left: true } });
    expect(decision).toEqual({ kind: 'redirect', to: '/login' });
  });
  it('step 5 says that the role is the reason', () => {
    expect(decideRoute({ path: '/admin', session: as('firma_a') })).toMatchObject({ to: '/login', denied: 'role' });
  });
  it('Keeps query, fragment and state on the way to the twin (D2)', () => {
    expect(decideRoute({ path: '/upload', session: as('firma_a') })).toMatchObject({
      to: '/firma-a/upload',
      keep: true,
    });
  });
  it('says that the role cannot be asked for', () => {
    expect(outcome('/', signedIn({ status: 'unreachable' }))).toBe('role-unreachable');
  });
  it('treats a trailing slash as none', () => {
    expect(outcome('/firma-a/', as('firma_a'))).toBe('shown');
  });
});

describe('§2.2 login', () => {
  it.each(ROLES)('%s goes home', (role) => {
    expect(outcome('/login', as(role))).toBe(`to ${HOMES[role]}`);
  });
  it('without a role: /no-role', () => {
    expect(outcome('/login', withoutRole)).toBe('to /no-role');
  });
  it('waits for session and role', () => {
    expect(outcome('/login', initialising)).toBe('loading initialising');
    expect(outcome('/login', signedIn({ status: 'loading' }))).toBe('loading role');
  });
  it('Shows the login without a session', () => {
    expect(outcome('/login', signedOut)).toBe('shown');
  });
  it('goes to the saved path first', () => {
    expect(outcome('/login', as('firma_a'), '/firma-a/voice-message')).toBe('to /firma-a/voice-message');
  });
  it('drops a saved path that the role may not enter', () => {
    expect(outcome('/login', as('firma_a'), '/admin')).toBe('to /firma-a');
  });
});

describe('D3, D15 and what is unknown', () => {
  it.each(ROLES)('/modern-interview forwards %s', (role) => {
    expect(outcome('/modern-interview', as(role))).toBe('to /interview-category');
  });
  it('/testnormec/content-selection forwards', () => {
    expect(outcome('/testnormec/content-selection', as('testnormec'))).toBe('to /testnormec');
  });
  it.each([
    '/gibt-es-nicht',
    '/interview/xyz',
    '/firma-a/xyz',
    '/testnormec/upload',
    '/testnormec/interview',
    '/admin/x',
    '/Login',
  ])('%s is not found for anybody', (path) => {
    for (const session of [initialising, signedOut, withoutRole, ...ROLES.map(as)]) {
      expect(outcome(path, session)).toBe('not-found');
    }
  });
  it('a link for a new password leads to its screen from everywhere', () => {
    const session = signedIn({ status: 'loading' }, true);
    expect(outcome('/', session)).toBe('to /passwort-neu');
    expect(outcome('/passwort-neu', session)).toBe('shown');
  });
  it.each(['/impressum', '/datenschutz', '/passwort-vergessen', '/passwort-neu'])('%s is public', (path) => {
    for (const session of [initialising, signedOut, withoutRole, as('admin')])
      expect(outcome(path, session)).toBe('shown');
  });
});

describe('a second factor (decision 0063)', () => {
  const admin = (factor: FactorState, recovery = false): SessionState =>
    signedIn({ status: 'known', role: 'admin', remembered: false }, recovery, factor);

  it.each([
    ['/admin', admin('due'), 'to /anmeldung-bestaetigen'],
    ['/login', admin('due'), 'to /anmeldung-bestaetigen'],
    ['/konto', admin('due'), 'to /anmeldung-bestaetigen'],
    ['/upload', admin('due'), 'to /anmeldung-bestaetigen'],
    ['/passwort-neu', admin('due', true), 'to /anmeldung-bestaetigen'],
    ['/anmeldung-bestaetigen', admin('due'), 'shown'],
    ['/datenschutz', admin('due'), 'shown'],
    ['/freigabe', admin('due'), 'shown'],
    ['/freigabe', admin('none', true), 'shown'],
    ['/anmeldung-bestaetigen', admin('shown'), 'to /admin'],
    ['/anmeldung-bestaetigen', admin('shown', true), 'to /passwort-neu'],
    ['/anmeldung-code', admin('shown'), 'to /admin'],
    ['/anmeldung-firma', signedOut, 'shown'],
    ['/konto', admin('shown'), 'shown'],
    ['/konto', withoutRole, 'shown'],
    ['/konto', signedOut, 'to /login'],
    ['/admin', admin('none'), 'shown'],
  ] as const)('%s, case %#', (path, session, wanted) => {
    expect(outcome(path, session)).toBe(wanted);
  });

  it.each([
    ['/admin/eingang/7', true],
    ['/firma-a/upload', true],
    ['/login', undefined],
    ['/passwort-neu', undefined],
  ])('D7: whoever opens %s while it is due comes back there, or not: %s', (path, remember) => {
    expect(decideRoute({ path, session: admin('due') })).toEqual({
      kind: 'redirect',
      to: '/anmeldung-bestaetigen',
      ...(remember && { remember }),
    });
  });

  it.each([
    ['/admin', admin('none'), 'redirect'],
    ['/konto', admin('none'), 'render'],
    ['/impressum', admin('none'), 'render'],
    ['/freigabe', admin('none'), 'render'],
    ['/admin', admin('shown'), 'render'],
    ['/firma-a', as('firma_a'), 'render'],
  ] as const)('a role that requires one is led to its set-up: %s, case %#', (path, session, kind) => {
    expect(decideRoute({ path, session, factorRoles: ['admin'] }).kind).toBe(kind);
  });
});

describe('D7 the saved path', () => {
  it.each([
    ['/firma-a/voice-message', '/firma-a/voice-message'],
    ['/voice-message?a=1#b', '/voice-message?a=1#b'],
    ['/firma-a/../firma-a/upload', '/firma-a/upload'],
    ['/', '/'],
  ])('%s is used', (saved, used) => {
    expect(usableSavedPath(saved, 'firma_a')).toBe(used);
  });

  it.each([
    undefined,
    '',
    'firma-a',
    '//evil.example/firma-a',
    '/%2F%2Fevil.example',
    'data:text/html,evil',
    '/\\evil.example',
    '/\t/evil.example/firma-a',
    'javascript:alert(1)',
    'https://evil.example/firma-a',
    '/%2F/evil.example',
    '/admin',
    '/firma-b',
    '/gibt-es-nicht',
    '/login',
    '/no-role',
    '/passwort-neu',
  ])('%s is dropped', (saved) => {
    expect(usableSavedPath(saved, 'firma_a')).toBeUndefined();
  });

  it('never leaves the origin, whatever was saved', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '/', '//', '/\\', '/firma-a', '/?', '/#'),
        (text, start) => {
          const used = usableSavedPath(start + text, 'firma_a');
          if (used !== undefined) expect(new URL(used, 'https://app.example').origin).toBe('https://app.example');
        },
      ),
    );
  });
});
