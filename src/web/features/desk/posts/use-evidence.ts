import { useEffect, useMemo, useState } from 'react';
import type { Fact, SentenceEvidence } from '#contract/evidence/index.ts';
import type { Source } from '#contract/evidence/sources.ts';
// oxlint-disable-next-line import/default -- the build makes it
import workerUrl from './evidence-worker.ts?worker&url';
import type { EvidenceResult, EvidenceTask } from './evidence-worker.ts';

export type CheckEvidence = (body: string) => Promise<readonly SentenceEvidence[]>;

/** Looks texts up in the material, in a worker, so that typing never waits for it. Without workers nothing is found. */
export function useEvidence(sources: readonly Source[]): CheckEvidence {
  const worker = useMemo(() => startWorker(), []);
  useEffect(() => worker.read(sources), [worker, sources]);
  useEffect(() => () => worker.stop(), [worker]);
  return worker.check;
}

function startWorker() {
  const waiting = new Map<number, (sentences: readonly SentenceEvidence[]) => void>();
  let worker: Worker | undefined;
  let material: EvidenceTask = { sources: [] };
  let count = 0;
  const stop = (): void => {
    for (const answer of waiting.values()) answer([]);
    waiting.clear();
    worker?.terminate();
    worker = undefined;
  };
  const open = (): Worker | undefined => {
    if (worker !== undefined || typeof Worker === 'undefined') return worker;
    worker = new Worker(trustWorkerUrl(), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<EvidenceResult>) => {
      waiting.get(data.id)?.(data.sentences);
      waiting.delete(data.id);
    });
    // Its file did not come, or it failed at this text: nothing is found, and the next text begins with a new one.
    worker.addEventListener('error', stop);
    post(worker, material);
    return worker;
  };
  return {
    read: (sources: readonly Source[]): void => {
      material = { sources };
      if (worker === undefined) open();
      else post(worker, material);
    },
    check: (body: string): ReturnType<CheckEvidence> => {
      if (typeof Worker === 'undefined') return Promise.resolve([]);
      const id = (count += 1);
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        post(open(), { id, body });
      });
    },
    stop,
  };
}

function post(worker: Worker | undefined, task: EvidenceTask): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origins
  worker?.postMessage(task);
}

let trusted: string | undefined;

/** The content security policy trusts this address alone (threat 9); a policy can be made once a page. */
function trustWorkerUrl(): string {
  trusted ??=
    globalThis.trustedTypes
      ?.createPolicy('evidence-worker', {
        createScriptURL: (url) => {
          if (url !== workerUrl) throw new TypeError('not the evidence worker');
          return url;
        },
      })
      .createScriptURL(workerUrl) ?? workerUrl;
  return trusted;
}

const PAUSE_MS = 120;
const NONE: readonly SentenceEvidence[] = [];

/** What the shown text rests on; nothing while it is looked up. */
export function useBodyEvidence(check: CheckEvidence, body: string): readonly SentenceEvidence[] {
  const [found, setFound] = useState<Readonly<{ body: string; sentences: readonly SentenceEvidence[] }>>();
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      void check(body).then((sentences) => current && setFound({ body, sentences }));
    }, PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [check, body]);
  return found?.body === body ? found.sentences : NONE;
}

const SHORT = 4;

/** A fact as a list shows it: a short one says nothing without the word before it ('Halle 7', not '7'). */
export function nameFact(body: string, { start, end, text }: Pick<Fact, 'start' | 'end' | 'text'>): string {
  if (text.length >= SHORT) return text;
  const [before = ''] = /\p{L}[\p{L}\p{M}-]*[ \u00A0]$/u.exec(body.slice(0, start)) ?? [];
  return before + body.slice(start, end);
}
