import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { createEvidence, indexSources, type FactKind } from '#contract/evidence/index.ts';

/** Labels of tests/fixtures/evidence: what was done to the sentence of the source. */
const CHANGED = {
  number: ['number'],
  unit: ['unit', 'number'],
  date: ['date'],
  name: ['name'],
  negation: ['negation'],
  quotation_false: ['quotation'],
} as const satisfies Readonly<Record<string, readonly FactKind[]>>;
/** Said like that, in the same words or in others: a warning is a false one. Boilerplate may rest on nothing. */
const HONEST = ['quotation', 'paraphrase', 'boilerplate'] as const;

const PAIRS = z.partialRecord(z.enum([...Object.keys(CHANGED), ...HONEST]), z.array(z.tuple([z.string(), z.string()])));

export type Judged = Readonly<{ label: string; source: string; post: string; right: boolean }>;

export type PairSet = 'pairs' | 'held-out' | 'held-out-again';

/** How the pairs of a set come out. */
export async function judgePairs(set: PairSet): Promise<Judged[]> {
  const file = new URL(`../fixtures/evidence/${set}.json`, import.meta.url);
  const pairs = PAIRS.parse(JSON.parse(await readFile(file, 'utf8')));
  return Object.entries(pairs).flatMap(([label, list]) =>
    (list ?? []).map(([source, post]) => ({ label, source, post, right: isRight(label, source, post) })),
  );
}

function isRight(label: string, source: string, post: string): boolean {
  const sentences = createEvidence(indexSources([{ id: 'transcript', text: source }]))(post);
  const missing = sentences.flatMap(({ facts }) => facts.filter(({ place }) => place === undefined));
  const unsupported = sentences.some(({ verdict }) => verdict === 'unsupported');
  const changed: Readonly<Record<string, readonly FactKind[]>> = CHANGED;
  const kinds = changed[label];
  // A negation may be all that a sentence says.
  if (label === 'negation') return unsupported;
  if (kinds !== undefined) return missing.some(({ kind }) => kinds.includes(kind));
  return missing.length === 0 && (label === 'boilerplate' || !unsupported);
}

export type Figures = Readonly<{
  /** By label, the share that came out right, from 0 to 1, and how many there are. */
  byLabel: ReadonlyMap<string, Readonly<{ right: number; count: number }>>;
  /** Alarms on honest paraphrases, from 0 to 1. */
  falseWarnings: number;
  /** Of all changed sentences those with a warning; of all warnings those on changed sentences. */
  recall: number;
  precision: number;
}>;

export function summarizePairs(judged: readonly Judged[]): Figures {
  const byLabel = new Map<string, { right: number; count: number }>();
  for (const { label, right } of judged) {
    const sum = byLabel.get(label) ?? { right: 0, count: 0 };
    byLabel.set(label, { right: sum.right + Number(right), count: sum.count + 1 });
  }
  const changed = judged.filter(({ label }) => label in CHANGED);
  const found = changed.filter(({ right }) => right).length;
  const wrong = judged.filter(({ label, right }) => !(label in CHANGED) && !right).length;
  const { right = 0, count = 1 } = byLabel.get('paraphrase') ?? {};
  return {
    byLabel,
    falseWarnings: 1 - right / count,
    recall: found / changed.length,
    precision: found / (found + wrong),
  };
}

/** Much material, and a long post of it; the same each time. */
export async function makeLongMaterial(): Promise<Readonly<{ transcript: string; body: string }>> {
  const judged = await judgePairs('pairs');
  const said = judged.map(({ source }) => source);
  const parts: string[] = [];
  for (let length = 0, at = 0; length < 200_000; at += 1) {
    const part = (said[at % said.length] ?? '').replaceAll(/\d+/g, (digits) => String(Number(digits) + (at % 97)));
    parts.push(part);
    length += part.length + 1;
  }
  const honest = judged.filter(({ label }) => label === 'paraphrase' || label === 'quotation');
  const body = honest.map(({ post }) => post).join(' ');
  return { transcript: parts.join(' ').slice(0, 200_000), body: `${body} ${body}`.slice(0, 3_000) };
}
