import { AREAS, TOPICS, type Area, type Flow, type Topic } from '#contract/areas.ts';
import type { Role } from '#contract/roles.ts';

/** Which screen a route shows; `admin`, `start` and the like exist once, flows once per area. */
export type Screen =
  | 'login'
  | 'forgotten-password'
  | 'new-password'
  | 'second-factor'
  | 'mail-code'
  | 'company-login'
  | 'account'
  | 'imprint'
  | 'privacy'
  | 'no-role'
  | 'start'
  | 'content-selection'
  | 'dashboard'
  | 'admin'
  | 'accounts'
  | 'setup'
  | 'desk-inbox'
  | 'desk-board'
  | 'desk-people'
  | 'desk-contribution'
  | 'outbox'
  | 'review'
  | 'own-contributions'
  | Flow;

/**
 * `public`: no login needed. `user`: with a login. `any-role`: with a login and a role. `roles`: with one of these
 * roles; with `open`, also without a login (D4).
 */
export type Access =
  | Readonly<{ kind: 'public' | 'user' | 'any-role' }>
  | Readonly<{ kind: 'roles'; roles: readonly Role[]; open: boolean }>;

export type RouteEntry = Readonly<{ pattern: string; screen: Screen; access: Access; area: Area | undefined }>;

export type RouteMatch = Readonly<{
  entry: RouteEntry;
  topic: Topic | undefined;
  /** The contribution that the path names, where it names one. */
  contribution?: number;
}>;

/** D3. */
export const FORWARDS: ReadonlyMap<string, string> = new Map([
  ['/modern-interview', '/interview-category'],
  ['/testnormec/content-selection', '/testnormec'],
]);

/** D5: `/interview` is the interview with this topic, where the area offers it. */
const TOPIC_WITHOUT_NAME: Topic = 'free-topic';
const OPEN_FLOWS: readonly Flow[] = ['upload', 'thank-you'];
/** The values of `$id`: numbers of the database that JavaScript can hold. */
const CONTRIBUTION_ID = /^[1-9]\d{0,14}$/;

const COMMON: readonly RouteEntry[] = [
  common('/login', 'login', 'public'),
  common('/passwort-vergessen', 'forgotten-password', 'public'),
  common('/passwort-neu', 'new-password', 'public'),
  common('/anmeldung-code', 'mail-code', 'public'),
  common('/anmeldung-firma', 'company-login', 'public'),
  common('/anmeldung-bestaetigen', 'second-factor', 'user'),
  common('/konto', 'account', 'user'),
  common('/impressum', 'imprint', 'public'),
  common('/datenschutz', 'privacy', 'public'),
  // Uploads without a login have an outbox too (D4).
  common('/ausgangskorb', 'outbox', 'public'),
  // The key behind '#' opens it, without a login.
  common('/freigabe', 'review', 'public'),
  common('/no-role', 'no-role', 'user'),
  common('/', 'start', 'any-role'),
  common('/meine-beitraege', 'own-contributions', 'any-role'),
  forAdmin('/admin', 'admin'),
  forAdmin('/admin/benutzer', 'accounts'),
  forAdmin('/admin/einrichtung', 'setup'),
  forAdmin('/admin/eingang', 'desk-inbox'),
  forAdmin('/admin/eingang/tafel', 'desk-board'),
  forAdmin('/admin/eingang/datenschutz', 'desk-people'),
  forAdmin('/admin/eingang/$id', 'desk-contribution'),
];

export const ROUTES = listRoutes(AREAS);

const FLOW_SCREENS: ReadonlySet<string | undefined> = new Set(AREAS.flatMap((area) => area.flows));

/** A flow has its own actions at the lower edge of a phone. */
export function isFlow(screen: Screen | undefined): boolean {
  return FLOW_SCREENS.has(screen);
}

/** §2.1 and D1–D5: every route there is, from the table of areas. */
export function listRoutes(areas: readonly Area[]): readonly RouteEntry[] {
  return [...COMMON, ...areas.flatMap(areaRoutes)];
}

/** The route of a path (no query, no fragment), if there is one. */
export function matchRoute(path: string, routes: readonly RouteEntry[] = ROUTES): RouteMatch | undefined {
  const plain = withoutTrailingSlash(path);
  for (const entry of routes) {
    if (entry.pattern === plain && !plain.includes('$')) {
      return { entry, topic: entry.screen === 'interview' ? TOPIC_WITHOUT_NAME : undefined };
    }
    const topic = TOPICS.find((candidate) => entry.pattern.replace('$topic', candidate) === plain);
    if (topic !== undefined && entry.pattern.endsWith('$topic')) return { entry, topic };
    const contribution = getContribution(entry.pattern, plain);
    if (contribution !== undefined) return { entry, topic: undefined, contribution };
  }
  return undefined;
}

function getContribution(pattern: string, path: string): number | undefined {
  if (!pattern.endsWith('/$id')) return undefined;
  const folder = pattern.slice(0, -'$id'.length);
  const id = path.slice(folder.length);
  return path.startsWith(folder) && CONTRIBUTION_ID.test(id) ? Number(id) : undefined;
}

export function withoutTrailingSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') || '/' : path;
}

function areaRoutes(area: Area): RouteEntry[] {
  const route = (part: string, screen: Screen, open = false): RouteEntry => ({
    pattern: `${area.base}${part}`,
    screen,
    access: { kind: 'roles', roles: area.roles, open },
    area,
  });
  const routes = area.flows.flatMap((flow) =>
    flow === 'interview'
      ? interviewParts(area).map((part) => route(part, flow))
      : [route(`/${flow}`, flow, area.base === '' && OPEN_FLOWS.includes(flow))],
  );
  if (area.selection) routes.push(route('/content-selection', 'content-selection'));
  if (area.dashboard !== undefined) routes.push(route('', 'dashboard'));
  return routes;
}

function interviewParts(area: Area): string[] {
  const named = '/interview/$topic';
  return area.offeredTopics.includes(TOPIC_WITHOUT_NAME) ? [named, '/interview'] : [named];
}

function forAdmin(pattern: string, screen: Screen): RouteEntry {
  return { pattern, screen, access: { kind: 'roles', roles: ['admin'], open: false }, area: undefined };
}

function common(pattern: string, screen: Screen, kind: 'public' | 'user' | 'any-role'): RouteEntry {
  return { pattern, screen, access: { kind }, area: undefined };
}
