import { expect, it } from 'vitest';
import { AREAS, type Area } from '#contract/areas.ts';
import { matchRoute, ROUTES, listRoutes } from './routes.ts';

it('One more entry in the table of areas is one more area (D1)', () => {
  const company = AREAS.find((area) => area.id === 'firma-a');
  if (company === undefined) throw new Error('no firma-a');
  const fifth: Area = { ...company, base: '/firma-c', home: '/firma-c' };
  const routes = listRoutes([...AREAS, fifth]);
  const added = routes
    .map((route) => route.pattern)
    .filter((pattern) => !ROUTES.some((route) => route.pattern === pattern));
  const twins = ROUTES.filter((route) => route.area?.id === 'firma-a').map((route) => route.pattern);
  expect(added.toSorted()).toEqual(twins.map((pattern) => pattern.replace('/firma-a', '/firma-c')).toSorted());
  expect(matchRoute('/firma-c/voice-message', routes)?.entry.area).toBe(fifth);
});

it('has no path twice', () => {
  const patterns = ROUTES.map((route) => route.pattern);
  expect(new Set(patterns).size).toBe(patterns.length);
});

it('/interview is the free topic (D5)', () => {
  expect(matchRoute('/interview')?.topic).toBe('free-topic');
  expect(matchRoute('/testnormec/interview/tech-dive')?.topic).toBe('tech-dive');
});

it.each([
  ['/admin/eingang/17', 'desk-contribution', 17],
  ['/admin/eingang/17/', 'desk-contribution', 17],
  ['/admin/eingang/tafel', 'desk-board', undefined],
  ['/admin/eingang', 'desk-inbox', undefined],
] as const)('desk: %s is %s', (path, screen, contribution) => {
  expect(matchRoute(path)).toMatchObject({ entry: { screen } });
  expect(matchRoute(path)?.contribution).toBe(contribution);
});

it.each(['0', '017', '-1', '1.5', '1e3', '17/x', '1234567890123456', '$id', ''])('desk: no contribution %j', (id) => {
  expect(matchRoute(`/admin/eingang/${id}`)?.contribution).toBeUndefined();
});
