import { expect, test } from 'vitest';
import { findWay, getStep, type FlowState } from './flow.ts';

test('Steps count once through a way, from its first screen to the contact details', () => {
  const interview = (['topic', 'notes', 'conversation', 'transcript', 'images', 'contact'] as const).map((step) =>
    getStep('interview', step),
  );
  expect(interview.map((step) => step?.current)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(new Set(interview.map((step) => step?.total))).toEqual(new Set([6]));
  const voice = (['recording', 'transcript', 'images', 'contact'] as const).map((step) => getStep('voice', step));
  expect(voice.map((step) => `${step?.current}/${step?.total}`)).toEqual(['1/4', '2/4', '3/4', '4/4']);
  expect(getStep('video', 'contact')).toEqual({ current: 4, total: 4, name: 'Kontaktdaten' });
});

test('A shared screen counts on the way that led to it, and counts nothing where none is known', () => {
  const handedOn: FlowState = { way: findWay('interview', {}) ?? '' };
  expect(findWay('transcript-edit', handedOn)).toBe('interview');
  expect(findWay('voice-message', handedOn)).toBe('voice');
  expect(findWay('thank-you', {})).toBeUndefined();
  expect(findWay('thank-you', { way: 'made-up' })).toBeUndefined();
  expect(getStep(undefined, 'contact')).toBeUndefined();
});
