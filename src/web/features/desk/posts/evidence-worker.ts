import { createEvidence, indexSources, type SentenceEvidence } from '#contract/evidence/index.ts';
import type { Source } from '#contract/evidence/sources.ts';

/** To the worker: the material, or a text to look up in it. Texts wait for the material. */
export type EvidenceTask = Readonly<{ sources: readonly Source[] } | { id: number; body: string }>;
export type EvidenceResult = Readonly<{ id: number; sentences: readonly SentenceEvidence[] }>;

let judge: (body: string) => readonly SentenceEvidence[] = () => [];

self.addEventListener('message', ({ data }: MessageEvent<EvidenceTask>) => {
  if ('sources' in data) judge = createEvidence(indexSources(data.sources));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origins
  else self.postMessage({ id: data.id, sentences: judge(data.body) } satisfies EvidenceResult);
});
