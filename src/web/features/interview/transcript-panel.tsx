import { clsx } from 'clsx';
import { type ReactNode, useEffect, useRef } from 'react';
import { parseTurns, type Turn } from '#contract/transcript.ts';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { Copy, PencilLine, ThumbsDown, ThumbsUp } from '#web/ui/screen-icons.ts';
import { TextArea } from '#web/ui/text-area.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { useFocusAfter } from '#web/ui/use-focus.ts';
import type { Asked } from './conversation/dialogue.ts';
import { texts } from './texts.ts';
import type { InterviewHandle } from './use-interview.ts';
import type { TranscriptEditor } from './use-transcript-editor.ts';

type TranscriptPanelProps = Readonly<{
  handle: InterviewHandle;
  editor: TranscriptEditor;
  /** The input field under the conversation. */
  children?: ReactNode;
}>;

/** The live transcript; can be copied at any time and edited while no interview is active (§2.5). */
export function TranscriptPanel({ handle, editor, children }: TranscriptPanelProps): ReactNode {
  const { interview, dialogue, active } = handle;
  const { saving, save } = editor;
  const toast = useToast();
  const editing = dialogue.draft !== undefined;
  const edit = useRef<HTMLButtonElement>(null);
  useFocusAfter(editing, edit);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(dialogue.transcript);
      toast(texts.copied);
    } catch {
      toast({ ...texts.notCopied, variant: 'destructive' });
    }
  };
  const actions = (
    <span className="-my-2 -mr-3 flex">
      {!editing && (
        <Button variant="quiet" icon={Copy} disabled={dialogue.transcript === ''} onClick={() => void copy()}>
          <span className="max-sm:sr-only">{texts.panel.copy}</span>
        </Button>
      )}
      {editing && (
        <Button variant="quiet" disabled={saving} onClick={() => interview.draft(undefined)}>
          {texts.panel.discard}
        </Button>
      )}
      <Button
        ref={edit}
        variant={editing ? 'primary' : 'quiet'}
        icon={editing ? undefined : PencilLine}
        disabled={active || dialogue.transcript === ''}
        busy={saving}
        busyLabel={texts.panel.saving}
        onClick={editing ? () => void save() : () => interview.draft(dialogue.transcript)}
      >
        {editing ? texts.panel.save : <span className="max-sm:sr-only">{texts.panel.edit}</span>}
      </Button>
    </span>
  );
  return (
    <SectionCard title={texts.panel.title} action={dialogue.transcript === '' ? undefined : actions}>
      <div className="flex flex-col gap-4">
        {editing ? (
          <TextArea
            aria-label={texts.panel.title}
            className="max-h-96 min-h-[200px]"
            placeholder={texts.panel.placeholder}
            value={dialogue.draft}
            readOnly={saving}
            onChange={(event) => interview.draft(event.target.value)}
          />
        ) : (
          <ConversationLog handle={handle} />
        )}
        {children}
      </div>
    </SectionCard>
  );
}

const NEAR_END_PX = 48;

/** Shows the turns by speaker; announces new ones and scrolls to them. */
function ConversationLog({ handle }: Readonly<{ handle: InterviewHandle }>): ReactNode {
  const { dialogue, conversation, interview } = handle;
  const { transcript, tentative, asked } = dialogue;
  const box = useRef<HTMLDivElement>(null);
  // Stops following while the reader has scrolled up.
  const follows = useRef(true);
  useEffect(() => {
    if (follows.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  });
  const turns = parseTurns(transcript);
  const live = conversation.status === 'connected';
  return (
    <div
      ref={box}
      role="log"
      aria-live="polite"
      aria-label={texts.panel.log}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, also by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: log }) => {
        follows.current = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_END_PX;
      }}
      className="max-h-[min(24rem,34dvh)] overflow-y-auto sm:max-h-96 overscroll-contain rounded-control"
    >
      {turns.length === 0 && tentative === '' && (
        <div className="py-4 text-center">
          <p className="font-medium">{texts.panel.empty}</p>
          <p className="text-sm text-muted">{texts.panel.emptyHint}</p>
        </div>
      )}
      <ol className="flex flex-col gap-4">
        {turns.map((turn, at) => (
          <Line
            key={at}
            turn={turn}
            asked={live && turn.speaker === 'agent' ? asked.findLast(({ text }) => text === turn.text) : undefined}
            onRate={(eventId, liked) => interview.rate(eventId, liked)}
          />
        ))}
      </ol>
      {/* Changes with every word, so it is not announced. */}
      {live && tentative !== '' && (
        <p
          aria-hidden
          className="mt-4 ml-8 rounded-card border border-dashed border-line-strong px-4 py-2.5 text-muted sm:ml-16"
        >
          {tentative}
        </p>
      )}
    </div>
  );
}

type LineProps = Readonly<{
  turn: Turn;
  asked: Asked | undefined;
  onRate: (eventId: number, liked: boolean) => void;
}>;

function Line({ turn, asked, onRate }: LineProps): ReactNode {
  const own = turn.speaker === 'user';
  return (
    <li className={clsx(own && 'ml-8 rounded-card bg-accent-wash px-4 py-2.5 sm:ml-16')}>
      <div className="flex min-h-6 items-center justify-between gap-2">
        <p className={clsx('text-sm font-medium', own ? 'text-muted' : 'text-accent-ink')}>
          {own ? texts.panel.user : texts.panel.agent}
        </p>
        {asked !== undefined && <Rating asked={asked} onRate={onRate} />}
      </div>
      <p className="max-w-measure">{turn.text}</p>
    </li>
  );
}

/** Like or dislike (§7 'feedback message'); the choice can be changed. */
function Rating({ asked, onRate }: Readonly<{ asked: Asked }> & Pick<LineProps, 'onRate'>): ReactNode {
  const thumb = (liked: boolean, label: string, Icon: typeof ThumbsUp): ReactNode => (
    <button
      type="button"
      title={label}
      aria-label={label}
      aria-pressed={asked.liked === liked}
      className={clsx(
        'touch -my-3 inline-flex items-center justify-center rounded-control hover:text-ink',
        asked.liked === liked ? 'text-accent-ink' : 'text-muted',
      )}
      onClick={() => onRate(asked.eventId, liked)}
    >
      <Icon className={clsx('size-4', asked.liked === liked && 'fill-current')} />
    </button>
  );
  return (
    <span className="flex">
      {thumb(true, texts.panel.like, ThumbsUp)}
      {thumb(false, texts.panel.dislike, ThumbsDown)}
    </span>
  );
}
