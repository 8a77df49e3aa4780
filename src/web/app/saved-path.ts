import type { Role } from '#contract/roles.ts';
import { forRole } from './role-route.ts';
import { matchRoute } from './routes.ts';

const ANYWHERE = 'https://same-origin.invalid';

/**
 * D7: a saved path is used only when it is a path of this origin, of a known route, which the role may enter (its own
 * twin counts). Gives the path with query and fragment, as the URL parser understands it; else nothing.
 */
export function usableSavedPath(saved: string | undefined, role: Role): string | undefined {
  if (saved === undefined || !saved.startsWith('/') || !URL.canParse(saved, ANYWHERE)) return undefined;
  const url = new URL(saved, ANYWHERE);
  if (url.origin !== ANYWHERE) return undefined;
  const match = matchRoute(url.pathname);
  if (match === undefined || match.entry.access.kind === 'public' || match.entry.screen === 'no-role') return undefined;
  const decision = forRole(url.pathname, match, role);
  const enters = decision.kind === 'render' || (decision.kind === 'redirect' && decision.keep === true);
  return enters ? `${url.pathname}${url.search}${url.hash}` : undefined;
}
