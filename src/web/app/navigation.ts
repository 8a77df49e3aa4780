import { ownArea, type Area } from '#contract/areas.ts';
import type { Role } from '#contract/roles.ts';
import type { RouteMatch, Screen } from './routes.ts';

type NavigationId = 'admin' | 'inbox' | 'home' | 'new' | 'own';

/** `current`: 'page' at its own address, 'true' on a screen that belongs to it. */
export type NavigationItem = Readonly<{ id: NavigationId; href: string; current: 'page' | 'true' | undefined }>;

const ADMIN_HOME = '/admin';

/** Where the logo and the ways back lead: the own area's start page (§2.12), for administrators /admin. */
export function findHome(role: Role): string {
  return role === 'admin' ? ADMIN_HOME : (ownArea(role)?.home ?? '/');
}

/** The navigation of one role, at most four items (decision 0274), and which of them the screen belongs to. */
export function listNavigation(role: Role, match: RouteMatch | undefined): readonly NavigationItem[] {
  const section = findSection(role, match);
  return itemsFor(role).map(({ id, href }) => {
    const here = href === match?.entry.pattern || (id === section && match?.entry.screen === 'content-selection');
    return { id, href, current: here ? 'page' : id === section ? 'true' : undefined };
  });
}

function itemsFor(role: Role): readonly Readonly<{ id: NavigationId; href: string }>[] {
  const own = { id: 'own', href: '/meine-beitraege' } as const;
  if (role === 'admin') {
    return [{ id: 'admin', href: ADMIN_HOME }, { id: 'inbox', href: '/admin/eingang' }, { id: 'new', href: '/' }, own];
  }
  const home = { id: 'home', href: findHome(role) } as const;
  const area = ownArea(role);
  return hasOwnSelection(area) ? [home, { id: 'new', href: `${area.base}/content-selection` }, own] : [home, own];
}

/** A start page that offers every way itself needs no second one beside it. */
function hasOwnSelection(area: Area | undefined): area is Area {
  return area !== undefined && area.selection && area.dashboard !== undefined;
}

const SECTIONS: Partial<Record<Screen, NavigationId>> = {
  admin: 'admin',
  accounts: 'admin',
  setup: 'admin',
  'desk-inbox': 'inbox',
  'desk-board': 'inbox',
  'desk-people': 'inbox',
  'desk-contribution': 'inbox',
  'own-contributions': 'own',
};

function findSection(role: Role, match: RouteMatch | undefined): NavigationId | undefined {
  if (match === undefined) return undefined;
  const { screen, area } = match.entry;
  if (screen === 'dashboard') return role === 'admin' ? 'admin' : 'home';
  if (area === undefined && screen !== 'start') return SECTIONS[screen];
  return role === 'admin' || hasOwnSelection(ownArea(role)) ? 'new' : 'home';
}
