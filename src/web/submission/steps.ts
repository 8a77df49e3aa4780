import { stepNames } from './texts.ts';

/** The four steps of a spoken contribution, as every screen of it shows them. */
const STEPS = ['recording', 'transcript', 'images', 'end'] as const;

export type Step = (typeof STEPS)[number];

export function stepOf(step: Step): Readonly<{ current: number; total: number; name: string }> {
  return { current: STEPS.indexOf(step) + 1, total: STEPS.length, name: stepNames[step] };
}
