import { useRef, type ReactNode, type RefObject } from 'react';
import type { ChannelId } from '#contract/channels.ts';
import type { DeskContribution } from '#contract/desk.ts';
import { DRAFT_ACTIONS } from '#contract/drafts.ts';
import { Button } from '#web/ui/button.tsx';
import { ChevronDown } from '#web/ui/icons.tsx';
import { Menu, MenuChoice } from '#web/ui/menu.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { draftTexts as texts } from './draft-texts.ts';
import { splitByCitations, useDrafting, type Drafting } from './use-drafting.ts';

export type ModelDraft = Readonly<{ body: string; model: string }>;

type DraftWithModelProps = Readonly<{
  contribution: DeskContribution;
  post: number;
  channel: ChannelId;
  /** The present text. */
  text: string;
  onDraft: (draft: ModelDraft) => void;
}>;

/** Lets a language model write or change the text of a post; the text in the field changes when it is taken over. */
export function DraftWithModel({ contribution, post, channel, text, onDraft }: DraftWithModelProps): ReactNode {
  const { drafting, start, cancel, discard } = useDrafting(post);
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
              <Button variant="secondary" icon={ChevronDown}>
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
      <output className="text-sm text-muted empty:sr-only">
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
