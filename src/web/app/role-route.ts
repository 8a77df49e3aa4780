import { ownArea } from '#contract/areas.ts';
import type { Role } from '#contract/roles.ts';
import { matchRoute, withoutTrailingSlash, type RouteMatch } from './routes.ts';

/** `keep`: query, fragment and state go along. */
export type RoleDecision =
  | Readonly<{ kind: 'render'; match: RouteMatch }>
  | Readonly<{ kind: 'redirect'; to: string; keep?: true; denied?: 'role' }>;

/** Steps 5 and 6, and D2: a company or test user's generic route is the twin in the own area, where there is one. */
export function forRole(path: string, match: RouteMatch, role: Role): RoleDecision {
  const { access, area } = match.entry;
  if (access.kind !== 'roles' || access.roles.includes(role)) return { kind: 'render', match };
  const own = ownArea(role);
  const twin = `${own?.base ?? ''}${withoutTrailingSlash(path)}`;
  if (area?.id === 'generic' && own !== undefined && own.base !== '' && matchRoute(twin) !== undefined) {
    return { kind: 'redirect', to: twin, keep: true };
  }
  return { kind: 'redirect', to: '/login', denied: 'role' };
}
