import { createContext, use, useEffect, useState } from 'react';
import type { Citation, DraftEvent, DraftRequest } from '#contract/drafts.ts';
import { useBackend } from '#web/backend/client.ts';
import { type DraftFailure, streamDraft } from '#web/backend/drafts.ts';
import { useRefusalHandler } from '../use-desk.tsx';

export type Drafting = Readonly<{
  phase: 'running' | 'done' | 'cancelled' | 'failed';
  text: string;
  citations: readonly Citation[];
  /** '' until the server names it. */
  model: string;
  /** Parts of long material that were read. */
  progress?: Readonly<{ done: number; total: number }>;
  ignored: number;
  failure?: DraftFailure;
}>;

const BEGUN: Drafting = { phase: 'running', text: '', citations: [], model: '', ignored: 0 };

/** What ends each running draft; all end with the screen. */
function useRunning(): Map<number, AbortController> {
  const [running] = useState(() => new Map<number, AbortController>());
  useEffect(() => () => void [...running.values()].map((one) => one.abort()), [running]);
  return running;
}

type Draftings = ReadonlyMap<number, Drafting | undefined>;

/**
 * The drafts of a contribution's posts, by post: each goes on while something else of the contribution is shown.
 * Whatever has arrived stays after a cancel and after an error.
 */
export function useDraftings(contribution: number) {
  const backend = useBackend();
  const onRefusal = useRefusalHandler();
  const [draftings, setDraftings] = useState<Draftings>(new Map());
  const running = useRunning();
  const set = (post: number, next: (before: Drafting | undefined) => Drafting | undefined): void =>
    setDraftings((before) => new Map(before).set(post, next(before.get(post))));
  const change = (post: number, part: Partial<Drafting>) => set(post, (before) => before && { ...before, ...part });
  const start = async (post: number, request: DraftRequest): Promise<void> => {
    running.get(post)?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    running.set(post, controller);
    set(post, () => BEGUN);
    const onEvent = (event: DraftEvent): void => {
      if (!signal.aborted) set(post, (before) => before && applyEvent(before, event));
    };
    try {
      const failure = await streamDraft(backend, { contribution, request, signal }, onEvent);
      if (signal.aborted) return;
      change(post, failure === undefined ? { phase: 'done' } : { phase: 'failed', failure });
      if (failure === 'not_authenticated' || failure === 'not_admin') onRefusal(failure);
    } catch {
      // Cancelled: the text stays as it is.
    }
  };
  const cancel = (post: number): void => {
    running.get(post)?.abort();
    change(post, { phase: 'cancelled' });
  };
  return { draftings, start, cancel, discard: (post: number) => set(post, () => undefined) };
}

export const DraftingContext = createContext<ReturnType<typeof useDraftings> | undefined>(undefined);

export function useDrafting(post: number) {
  const all = use(DraftingContext);
  if (all === undefined) throw new Error('no contribution around the draft');
  return {
    drafting: all.draftings.get(post),
    start: (request: DraftRequest) => void all.start(post, request),
    cancel: () => all.cancel(post),
    discard: () => all.discard(post),
  };
}

export function applyEvent(before: Drafting, event: DraftEvent): Drafting {
  switch (event.type) {
    case 'draft.begun':
      return { ...before, model: event.model };
    case 'draft.progress':
      return { ...before, progress: { done: event.done, total: event.total } };
    case 'draft.text.delta':
      return { ...before, text: before.text + event.delta };
    case 'draft.citation':
      return { ...before, citations: [...before.citations, event] };
    case 'draft.done':
      return { ...before, ignored: event.ignored };
    default:
      return before;
  }
}

export type CitedPart = Readonly<{ text: string; quotes: readonly string[] }>;

/** The text in parts, each with the sentences that the model cited behind it. */
export function splitByCitations(
  { text, citations }: Pick<Drafting, 'text' | 'citations'>,
  findSource: (id: string) => string,
): CitedPart[] {
  // A part goes on to the end of its sentence: the marker stands before the full stop.
  const findEnd = (at: number): number => at + (/^[.!?…"“”»)]+/.exec(text.slice(at))?.[0].length ?? 0);
  const ends = [...new Set([...citations.map(({ at }) => findEnd(at)), text.length])].toSorted((a, b) => a - b);
  return ends.flatMap((end, place) => {
    const part = text.slice(ends[place - 1] ?? 0, end).trim();
    const quotes = citations
      .filter(({ at }) => findEnd(at) === end)
      .map(({ source, start, end: until }) => findSource(source).slice(start, until));
    return part === '' && quotes.length === 0 ? [] : [{ text: part, quotes: [...new Set(quotes)] }];
  });
}
