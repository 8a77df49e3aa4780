import { expect, it } from 'vitest';
import { minutesAndSeconds } from './timer.tsx';

it.each([
  [0, '00:00'],
  [7.9, '00:07'],
  [65, '01:05'],
  [300, '05:00'],
  [-1, '00:00'],
])('Shows %s s as %s (§2.6)', (seconds, text) => {
  expect(minutesAndSeconds(seconds)).toBe(text);
});
