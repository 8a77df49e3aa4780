import { useEffect, useRef, useState } from 'react';
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

/** One draft at a time; whatever has arrived stays after a cancel and after an error. */
export function useDrafting(contribution: number) {
  const backend = useBackend();
  const onRefusal = useRefusalHandler();
  const [drafting, setDrafting] = useState<Drafting>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const change = (part: Partial<Drafting>): void => setDrafting((before) => before && { ...before, ...part });
  const start = async (request: DraftRequest): Promise<void> => {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    setDrafting(BEGUN);
    const onEvent = (event: DraftEvent): void => {
      if (!signal.aborted) setDrafting((before) => before && applyEvent(before, event));
    };
    try {
      const failure = await streamDraft(backend, { contribution, request, signal }, onEvent);
      if (signal.aborted) return;
      change(failure === undefined ? { phase: 'done' } : { phase: 'failed', failure });
      if (failure === 'not_authenticated' || failure === 'not_admin') onRefusal(failure);
    } catch {
      // Cancelled: the text stays as it is.
    }
  };
  return {
    drafting,
    start: (request: DraftRequest) => void start(request),
    cancel: () => {
      running.current?.abort();
      change({ phase: 'cancelled' });
    },
    discard: () => setDrafting(undefined),
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
