import { expect, it } from 'vitest';
import { AREAS } from '#contract/areas.ts';
import { flowPath, getFlowState } from './flow-route.tsx';
import { isIos } from './use-logout.ts';

it('hands a flow its state and nothing else of the history entry', () => {
  const entry = { transcript: 'Du: Hallo', interviewId: '7', hasImages: true, __TSR_key: 'x' };
  expect(getFlowState(entry, null)).toEqual({ transcript: 'Du: Hallo', interviewId: '7', hasImages: true });
});

it.each([
  ['ada', 'ada', { interviewId: '7' }],
  ['ada', 'bea', {}],
  ['ada', null, {}],
  [null, 'bea', { interviewId: '7' }],
  [undefined, 'bea', { interviewId: '7' }],
])('What %s has begun, as %s finds it by the way back (§4)', (of, owner, found) => {
  expect(getFlowState({ interviewId: '7', of }, owner)).toEqual(found);
});

it.each([undefined, null, 'text', { interviewId: 7 }, { files: [{ path: 1 }] }, { transcript: { a: 1 } }])(
  'a hand-made state is empty: %j',
  (state) => {
    expect(getFlowState(state, null)).toEqual({});
  },
);

const [generic, firmaA, , test] = AREAS;

it.each([
  [generic, { to: 'voice-message' }, '/voice-message'],
  [firmaA, { to: 'thank-you' }, '/firma-a/thank-you'],
  [firmaA, { to: 'interview', topic: 'tech-dive' }, '/firma-a/interview/tech-dive'],
  [firmaA, { to: 'home' }, '/firma-a'],
  [generic, { to: 'home' }, '/'],
  [firmaA, { to: 'modern-interview' }, '/modern-interview'],
  [test, { to: 'content-selection' }, '/testnormec/content-selection'],
] as const)('Leads on within the area, case %# (D1)', (area, target, path) => {
  expect(area && flowPath(area, target)).toBe(path);
});

it.each([
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)', 5, true],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 5, true],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 0, false],
  ['Mozilla/5.0 (Linux; Android 16)', 5, false],
])('iOS: %s with %s touch points: %s (§4)', (userAgent, maxTouchPoints, ios) => {
  expect(isIos({ userAgent, maxTouchPoints })).toBe(ios);
});
