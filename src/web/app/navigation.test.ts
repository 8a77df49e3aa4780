import { describe, expect, it } from 'vitest';
import { ROLES, type Role } from '#contract/roles.ts';
import { findHome, listNavigation } from './navigation.ts';
import { matchRoute } from './routes.ts';

const at = (role: Role, path: string) =>
  listNavigation(role, matchRoute(path)).map(({ id, current }) => `${id}${current ? ` (${current})` : ''}`);

describe('The navigation of the application (§2.3, decision 0274)', () => {
  it.each<[Role, string, string[]]>([
    ['admin', '/admin', ['admin (page)', 'inbox', 'new', 'own']],
    ['admin', '/admin/benutzer', ['admin (true)', 'inbox', 'new', 'own']],
    ['admin', '/firma-b', ['admin (true)', 'inbox', 'new', 'own']],
    ['admin', '/admin/eingang/7', ['admin', 'inbox (true)', 'new', 'own']],
    ['admin', '/', ['admin', 'inbox', 'new (page)', 'own']],
    ['admin', '/content-selection', ['admin', 'inbox', 'new (page)', 'own']],
    ['vdi_admin', '/', ['home (page)', 'own']],
    ['vdi_admin', '/content-selection', ['home (page)', 'own']],
    ['vdi_admin', '/voice-message', ['home (true)', 'own']],
    ['firma_a', '/firma-a', ['home (page)', 'new', 'own']],
    ['firma_a', '/firma-a/content-selection', ['home', 'new (page)', 'own']],
    ['firma_b', '/firma-b/interview/tech-dive', ['home', 'new (true)', 'own']],
    ['firma_b', '/', ['home', 'new (true)', 'own']],
    ['testnormec', '/testnormec/', ['home (page)', 'own']],
    ['testnormec', '/testnormec/voice-message', ['home (true)', 'own']],
    ['testnormec', '/meine-beitraege', ['home', 'own (page)']],
    ['firma_a', '/konto', ['home', 'new', 'own']],
    ['firma_a', '/gibt-es-nicht', ['home', 'new', 'own']],
  ])('%s at %s', (role, path, expected) => {
    expect(at(role, path)).toEqual(expected);
  });

  it.each(ROLES)('offers %s at most four ways, each to a route that this role may enter', (role) => {
    const items = listNavigation(role, undefined);
    expect(items.length).toBeLessThanOrEqual(4);
    for (const href of [findHome(role), ...items.map((item) => item.href)]) {
      const access = matchRoute(href)?.entry.access;
      expect(access?.kind === 'any-role' || (access?.kind === 'roles' && access.roles.includes(role)), href).toBe(true);
    }
  });
});
