import type { PartState, SetupPartName, SetupParts } from '#contract/setup-parts.ts';

/** The most important first: what contributors and the team would miss first. */
export const PART_ORDER: readonly SetupPartName[] = [
  'address',
  'mail',
  'backup',
  'second-factors',
  'transcription',
  'storage',
  'language-model',
  'voice',
  'retention',
  'versions',
];

export type NextStep = Readonly<{ part: SetupPartName; state: Exclude<PartState, 'ready'> }>;

/** What is broken goes before what is missing. undefined where everything is in order. */
export function findNextStep(parts: SetupParts): NextStep | undefined {
  for (const state of ['broken', 'missing'] as const) {
    const part = PART_ORDER.find((name) => parts[name].state === state);
    if (part !== undefined) return { part, state };
  }
  return undefined;
}

export function countReady(parts: SetupParts): number {
  return PART_ORDER.filter((name) => parts[name].state === 'ready').length;
}
