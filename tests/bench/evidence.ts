import { createEvidence, indexSources } from '#contract/evidence/index.ts';
import { judgePairs, makeLongMaterial, summarizePairs, type PairSet } from '#tests/support/evidence-pairs.ts';
import { median } from '#tests/support/percentile.ts';
import { ceiling, type Row } from './table.ts';

const RUNS = 9;

function measure(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

const percent = (what: string, ours: number, aim: string, met: boolean | undefined): Row => ({
  what: `evidence: ${what}`,
  ours: `${(100 * ours).toFixed(1)} %`,
  aim,
  met,
});

async function figureRows(set: PairSet): Promise<Row[]> {
  const { byLabel, falseWarnings, recall, precision } = summarizePairs(await judgePairs(set));
  const share = (label: string): number => {
    const { right = 0, count = 1 } = byLabel.get(label) ?? {};
    return right / count;
  };
  return [
    ...['number', 'date', 'name'].map((label) =>
      percent(`changed ${label} found, ${set}`, share(label), '100 %', share(label) === 1),
    ),
    percent(`false warnings on paraphrases, ${set}`, falseWarnings, '≤ 5 %', falseWarnings <= 0.05),
    percent(`recall of all changes, ${set}`, recall, '–', undefined),
    percent(`precision of warnings, ${set}`, precision, '–', undefined),
  ];
}

/** How long it takes to look a long post up in much material, and how right it is. */
export async function evidenceRows(): Promise<Row[]> {
  const { transcript, body } = await makeLongMaterial();
  const sources = [{ id: 'transcript', text: transcript }];
  const indexed = median(Array.from({ length: RUNS }, () => measure(() => indexSources(sources))));
  const index = indexSources(sources);
  // The first look at a text: nothing is remembered of it.
  const found = median(Array.from({ length: RUNS }, () => measure(() => createEvidence(index)(body))));
  return [
    ceiling('evidence: 3,000 characters against 200,000', found, 'ms', 50),
    ceiling('evidence: index of 200,000 characters', indexed, 'ms'),
    ...(await figureRows('pairs')),
    ...(await figureRows('held-out')),
    ...(await figureRows('held-out-again')),
  ];
}
