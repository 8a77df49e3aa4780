import type { Role } from '#contract/roles.ts';

/**
 * The route table of the specification (§2.1 with D1–D6), written out by hand: NOT derived from `src`, so that a slip
 * in the table of areas is seen here.
 */
export type Visitor = Role | 'without a role' | 'not logged in';

export const VISITORS: readonly Visitor[] = [
  'firma_a',
  'firma_b',
  'testnormec',
  'admin',
  'vdi_admin',
  'without a role',
  'not logged in',
];

/** What becomes of a visit: the screen, another place, or neither. */
export type Outcome =
  | Readonly<{ kind: 'allowed'; heading: RegExp }>
  /** D2, D3: replaced, with query, fragment and state. */
  | Readonly<{ kind: 'forwarded'; to: string; heading: RegExp }>
  /** §2.1 rules 2, 4 and 5; rule 5 ends at home by way of /login. */
  | Readonly<{ kind: 'redirected'; to: string; heading: RegExp }>
  | Readonly<{ kind: 'not found'; heading: RegExp }>;

export type Row = Readonly<{ path: string; outcome: (visitor: Visitor) => Outcome }>;

const LOGIN = /^Anmelden$/;
const NO_ROLE = /^Keine Berechtigung$/;
const NOT_FOUND = /^Oops! Page not found$/;
const COMPANY = /^Willkommen, /;

/** §2.2 */
const HOME: Readonly<Record<Role, Readonly<{ path: string; heading: RegExp }>>> = {
  firma_a: { path: '/firma-a', heading: COMPANY },
  firma_b: { path: '/firma-b', heading: COMPANY },
  testnormec: { path: '/testnormec', heading: COMPANY },
  admin: { path: '/admin', heading: /^Administration$/ },
  vdi_admin: { path: '/content-selection', heading: /^Hallo / },
};

const NOTES = /^Bevor es losgeht$/;

/** The fifteen routes of the generic area, and what their screens are headed. */
const GENERIC: Readonly<Record<string, RegExp>> = {
  'content-selection': /^Was möchtest du einreichen\?$/,
  'interview-category': /^Worüber möchtest du sprechen\?$/,
  'interview/engineering-path': NOTES,
  'interview/behind-scenes': NOTES,
  'interview/tech-dive': NOTES,
  'interview/free-topic': NOTES,
  'voice-message': /^Sprachnachricht$/,
  'transcript-edit': /^Transkript bearbeiten$/,
  'image-upload-after-voice': /^Bilder hinzufügen$/,
  upload: /^Upload von Medien$/,
  'thank-you': /^Vielen Dank für deinen Beitrag!$/,
  'video-upload': /^Video hochladen$/,
  'image-upload': /^Bild hochladen$/,
  'document-upload': /^Dokument hochladen$/,
  interview: NOTES,
};

/** The nine flow routes of the test area. */
const TEST_AREA: readonly string[] = [
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

/** D4 */
const PUBLIC_FLOWS: readonly string[] = ['upload', 'thank-you'];
const EVERY_ROLE: readonly Role[] = ['firma_a', 'firma_b', 'testnormec', 'admin', 'vdi_admin'];

const UNKNOWN: readonly string[] = [
  '/gibt-es-nicht',
  '/interview/gibt-es-nicht',
  '/firma-c',
  '/firma-a/gibt-es-nicht',
  '/testnormec/upload',
  '/testnormec/video-upload',
  '/testnormec/admin',
  '/admin/gibt-es-nicht',
  '/admin/eingang/gibt-es-nicht',
  '/admin/eingang/0',
  '/admin/eingang/$id',
  '/FIRMA-A',
  // The catalogue of the design system is not part of the application.
  '/catalogue',
];

export const TABLE: readonly Row[] = [
  row('/login', { public: LOGIN }),
  row('/passwort-vergessen', { public: /^Passwort vergessen\?$/, always: true }),
  row('/anmeldung-code', { public: /^Mit Code anmelden$/ }),
  row('/anmeldung-firma', { public: /^Mit dem Firmenkonto anmelden$/ }),
  {
    path: '/anmeldung-bestaetigen',
    outcome: (visitor) => (visitor === 'not logged in' ? toLogin() : toHome(visitor)),
  },
  { path: '/konto', outcome: (visitor) => (visitor === 'not logged in' ? toLogin() : allowed(/^Konto$/)) },
  row('/impressum', { public: /^Impressum$/, always: true }),
  row('/ausgangskorb', { public: /^Ausgangskorb$/, always: true }),
  row('/freigabe', { public: /^Dieser Link gilt nicht mehr$/, always: true }),
  row('/datenschutz', { public: /^Datenschutz$/, always: true }),
  { path: '/no-role', outcome: (visitor) => (visitor === 'not logged in' ? toLogin() : allowed(NO_ROLE)) },
  guarded('/', /^Hallo /, EVERY_ROLE),
  guarded('/meine-beitraege', /^Meine Beiträge$/, EVERY_ROLE),
  guarded('/admin', HOME.admin.heading, ['admin']),
  guarded('/admin/benutzer', /^Benutzer$/, ['admin']),
  guarded('/admin/einrichtung', /^Einrichtung$/, ['admin']),
  guarded('/admin/eingang', /^Eingang$/, ['admin']),
  guarded('/admin/eingang/tafel', /^Eingang$/, ['admin']),
  guarded('/admin/eingang/datenschutz', /^Datenschutz$/, ['admin']),
  guarded('/admin/eingang/999999999', /^Diesen Beitrag gibt es nicht$/, ['admin']),
  guarded('/firma-a', COMPANY, ['firma_a', 'admin']),
  guarded('/firma-b', COMPANY, ['firma_b', 'admin']),
  guarded('/testnormec', COMPANY, ['testnormec', 'admin']),
  ...Object.entries(GENERIC).map(([part, heading]) =>
    generic(part, part === 'content-selection' ? /^Hallo / : heading),
  ),
  ...Object.entries(GENERIC).map(([part, heading]) => guarded(`/firma-a/${part}`, heading, ['firma_a', 'admin'])),
  ...Object.entries(GENERIC).map(([part, heading]) => guarded(`/firma-b/${part}`, heading, ['firma_b', 'admin'])),
  ...TEST_AREA.map((part) => guarded(`/testnormec/${part}`, GENERIC[part] ?? /^$/, ['testnormec', 'admin'])),
  d3('/modern-interview', generic('interview-category', GENERIC['interview-category'] ?? /^$/)),
  d3('/testnormec/content-selection', guarded('/testnormec', COMPANY, ['testnormec', 'admin'])),
  ...UNKNOWN.map((path): Row => ({ path, outcome: () => ({ kind: 'not found', heading: NOT_FOUND }) })),
];

function row(path: string, screen: Readonly<{ public: RegExp; always?: boolean }>): Row {
  const shown: Outcome = { kind: 'allowed', heading: screen.public };
  return {
    path,
    outcome: (visitor) => (screen.always === true || visitor === 'not logged in' ? shown : toHome(visitor)),
  };
}

/** §2.1 rules 2 to 6 */
function guarded(path: string, heading: RegExp, roles: readonly Role[]): Row {
  return {
    path,
    outcome: (visitor) => {
      if (visitor === 'not logged in') return toLogin();
      if (visitor === 'without a role') return { kind: 'redirected', to: '/no-role', heading: NO_ROLE };
      return roles.includes(visitor) ? allowed(heading) : toHome(visitor);
    },
  };
}

function generic(part: string, heading: RegExp): Row {
  const path = `/${part}`;
  const rest = guarded(path, heading, ['admin', 'vdi_admin']);
  return {
    path,
    outcome: (visitor) => {
      const open = visitor === 'not logged in' || visitor === 'without a role';
      if (open && PUBLIC_FLOWS.includes(part)) return allowed(heading);
      const twin = getTwin(visitor, part);
      const shown = GENERIC[part] ?? heading;
      return twin === undefined ? rest.outcome(visitor) : { kind: 'forwarded', to: twin, heading: shown };
    },
  };
}

/** D2 */
function getTwin(visitor: Visitor, part: string): string | undefined {
  if (visitor === 'firma_a') return `/firma-a/${part}`;
  if (visitor === 'firma_b') return `/firma-b/${part}`;
  return visitor === 'testnormec' && TEST_AREA.includes(part) ? `/testnormec/${part}` : undefined;
}

/** D3: what the target's own row says; a visitor who may enter it has been forwarded. */
function d3(path: string, target: Row): Row {
  return {
    path,
    outcome: (visitor) => {
      const there = target.outcome(visitor);
      return there.kind === 'allowed' ? { kind: 'forwarded', to: target.path, heading: there.heading } : there;
    },
  };
}

function allowed(heading: RegExp): Outcome {
  return { kind: 'allowed', heading };
}

function toLogin(): Outcome {
  return { kind: 'redirected', to: '/login', heading: LOGIN };
}

function toHome(visitor: Visitor): Outcome {
  if (visitor === 'not logged in') return toLogin();
  if (visitor === 'without a role') return { kind: 'redirected', to: '/no-role', heading: NO_ROLE };
  return { kind: 'redirected', to: HOME[visitor].path, heading: HOME[visitor].heading };
}
