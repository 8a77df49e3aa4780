import { useRef, type ReactNode, type RefObject, useEffect, useState } from 'react';
import type { ChannelId } from '#contract/channels.ts';
import type { DeskContribution } from '#contract/desk.ts';
import { DRAFT_ACTIONS, type Citation, type DraftEvent, type DraftRequest } from '#contract/drafts.ts';
import { useBackend } from '#web/backend/client.ts';
import { streamDraft, type DraftFailure } from '#web/backend/drafts.ts';
import { Button } from '#web/ui/button.tsx';
import { ChevronDown } from '#web/ui/icons.tsx';
import { Menu, MenuChoice } from '#web/ui/menu.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { useRefusalHandler } from '../use-desk.ts';
import { draftTexts as texts } from './draft-texts.ts';

export type ModelDraft = Readonly<{ body: string; model: string }>;

type DraftWithModelProps = Readonly<{
  contribution: DeskContribution;
  channel: ChannelId;
  /** The present text. */
  text: string;
  onDraft: (draft: ModelDraft) => void;
}>;

/** Lets a language model write or change the text of a post; the text in the field changes when it is taken over. */
export function DraftWithModel({ contribution, channel, text, onDraft }: DraftWithModelProps): ReactNode {
  const { drafting, start, cancel, discard } = useDrafting(contribution.id);
  // The keyboard's place when the button under it goes.
  const first = useRef<HTMLButtonElement>(null);
  const region = useRef<HTMLElement>(null);
  const running = drafting?.phase === 'running';
  return (
    <div className="flex flex-col gap-3 rounded-control bg-accent-wash p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button ref={first} variant="secondary" busy={running} onClick={() => start({ channel })}>
          {text.trim() === '' ? texts.write : texts.writeAgain}
        </Button>
        {text.trim() !== '' && (
          <Menu
            label={texts.change}
            trigger={
              <Button variant="secondary" icon={<ChevronDown aria-hidden className="size-5" />}>
                {texts.change}
              </Button>
            }
          >
            {DRAFT_ACTIONS.map((action) => (
              <MenuChoice key={action} onChoose={() => start({ channel, action, text })}>
                {texts.actions[action]}
              </MenuChoice>
            ))}
          </Menu>
        )}
        <p className="min-w-56 flex-1 text-sm">{texts.hint}</p>
      </div>
      {drafting?.phase === 'running' && (
        <Running
          drafting={drafting}
          onCancel={() => {
            cancel();
            region.current?.focus();
          }}
        />
      )}
      {drafting !== undefined && (
        <Result
          drafting={drafting}
          contribution={contribution}
          region={region}
          onDiscard={() => {
            discard();
            first.current?.focus();
          }}
          onTake={() => {
            onDraft({ body: drafting.text.trimEnd(), model: drafting.model });
            discard();
            first.current?.focus();
          }}
        />
      )}
    </div>
  );
}

function Running({ drafting, onCancel }: Readonly<{ drafting: Drafting; onCancel: () => void }>): ReactNode {
  const { progress, text } = drafting;
  const reads = progress !== undefined && progress.done < progress.total && text === '';
  return (
    <div className="flex flex-wrap items-center gap-4">
      <div className="min-w-56 flex-1">
        <ProgressBar
          label={reads ? texts.reading : texts.writing}
          {...(reads ? { percent: (100 * progress.done) / progress.total } : {})}
        />
      </div>
      <Button variant="secondary" onClick={onCancel}>
        {texts.cancel}
      </Button>
    </div>
  );
}

type ResultProps = Readonly<{
  drafting: Drafting;
  contribution: DeskContribution;
  region: RefObject<HTMLElement | null>;
  onTake: () => void;
  onDiscard: () => void;
}>;

function Result({ drafting, contribution, region, onTake, onDiscard }: ResultProps): ReactNode {
  const { phase, text, ignored, failure } = drafting;
  return (
    <section ref={region} tabIndex={-1} aria-label={texts.region} className="flex flex-col gap-3">
      {failure !== undefined && (
        <Notice tone="error" title={texts.failed} live>
          {texts.describeFailure(failure)}
        </Notice>
      )}
      <output className="text-sm text-muted empty:hidden">
        {phase === 'done' && texts.done}
        {phase === 'cancelled' && texts.cancelled}
        {ignored > 0 && ` ${texts.ignored}`}
      </output>
      {text !== '' && <CitedText drafting={drafting} contribution={contribution} />}
      {phase !== 'running' && (
        <div className="flex flex-wrap gap-2">
          {text.trim() !== '' && <Button onClick={onTake}>{texts.take}</Button>}
          <Button variant="secondary" onClick={onDiscard}>
            {texts.discard}
          </Button>
        </div>
      )}
    </section>
  );
}

/** The text, and beside each part what the model cited for it. */
function CitedText({ drafting, contribution }: Pick<ResultProps, 'drafting' | 'contribution'>): ReactNode {
  const findSource = (id: string): string =>
    id === 'transcript' ? (contribution.transcript ?? '') : (contribution.answers?.[id.replace(/^answer:/, '')] ?? '');
  return (
    <ul className="flex flex-col gap-2 rounded-control bg-surface p-3">
      {splitByCitations(drafting, findSource).map(({ text, quotes }, at) => (
        <li key={at} className="grid gap-x-4 gap-y-1 sm:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <p className="[overflow-wrap:anywhere] whitespace-pre-wrap">{text}</p>
          <p className="text-sm [overflow-wrap:anywhere] text-muted">
            {quotes.length === 0
              ? texts.citesNothing
              : `${texts.cites} ${quotes.map((quote) => `„${quote}“`).join(' ')}`}
          </p>
        </li>
      ))}
    </ul>
  );
}

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
function useDrafting(contribution: number) {
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

type CitedPart = Readonly<{ text: string; quotes: readonly string[] }>;

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
