import type { ReactNode } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { Tabs } from '#web/ui/tabs.tsx';
import { minutesAndSeconds } from '#web/ui/timer.tsx';
import { useMedia } from '#web/ui/use-media.ts';
import { type Players, JumpButton } from './players.tsx';
import { contributionTexts as texts } from './texts.ts';
import { TranscriptText } from './transcript-text.tsx';
import { getPlaceKey, groupConversations, locateTurns, type Conversation, type Place } from './turn-log.ts';

type WordsProps = Readonly<{ contribution: DeskContribution; players: Players }>;

/** Shows the transcript beside the turn log; on a phone each has a tab. */
export function WordsSection({ contribution, players }: WordsProps): ReactNode {
  const wide = useMedia('(min-width: 48rem)');
  const { transcript, turns } = contribution;
  const copy = <CopyText text={transcript} />;
  const text = <TranscriptText contribution={contribution} players={players} />;
  const log = <TurnList contribution={contribution} players={players} />;
  const part = (
    <Part title={texts.transcript} action={copy}>
      {text}
    </Part>
  );
  if (turns.length === 0) return speaks(contribution) ? part : null;
  if (wide) {
    return (
      <div className="grid grid-cols-2 items-start gap-4 print:block">
        {part}
        <div className="print:hidden">
          <Part title={texts.log}>{log}</Part>
        </div>
      </div>
    );
  }
  return (
    <section aria-label={texts.words} className="rounded-card border border-line bg-surface p-5">
      <Tabs
        label={texts.words}
        tabs={[
          {
            id: 'transcript',
            name: texts.transcript,
            content: (
              <>
                <div className="flex justify-end">{copy}</div>
                {text}
              </>
            ),
          },
          { id: 'log', name: texts.logShort, content: log },
        ]}
      />
    </section>
  );
}

/** Kinds without speech show no 'Kein Transkript'. */
function speaks({ kind, transcript }: DeskContribution): boolean {
  return kind === 'interview' || kind === 'voice_message' || (transcript ?? '').trim() !== '';
}

function Part({
  title,
  action,
  children,
}: Readonly<{ title: string; action?: ReactNode; children: ReactNode }>): ReactNode {
  return (
    <section className="flex min-w-0 flex-col rounded-card border border-line bg-surface p-5 sm:p-6">
      <div className="mb-3 flex min-h-11 flex-wrap items-center justify-between gap-2">
        <h2 className="text-lg font-semibold">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}

function CopyText({ text }: Readonly<{ text: string | null }>): ReactNode {
  if (text === null || text === '') return null;
  return <CopyButton variant="quiet" text={text} label={texts.copy} failed={texts.copyFailed} />;
}

/** Shows every turn as received (D16). */
function TurnList({
  contribution,
  players,
}: Readonly<{ contribution: DeskContribution; players: Players }>): ReactNode {
  const conversations = groupConversations(contribution.turns);
  const places = locateTurns(contribution.turns, players.recordings);
  return (
    <div className="flex flex-col gap-6">
      {conversations.map((conversation, index) => (
        <section key={conversation.id} aria-label={texts.conversation(index + 1, formatMoment(conversation.startedAt))}>
          {conversations.length > 1 && (
            <h3 className="mb-3 text-sm font-medium text-muted">
              {texts.conversation(index + 1, formatMoment(conversation.startedAt))}
            </h3>
          )}
          <Turns
            conversation={conversation}
            person={contribution.contributor || texts.somebody}
            places={places}
            onJump={players.jump}
          />
        </section>
      ))}
    </div>
  );
}

type TurnsProps = Readonly<{
  conversation: Conversation;
  /** Name of the person who was interviewed. */
  person: string;
  places: ReadonlyMap<string, Place>;
  onJump: (place: Place) => void;
}>;

function Turns({ conversation, person, places, onJump }: TurnsProps): ReactNode {
  return (
    <ol className="flex flex-col gap-4">
      {conversation.turns.map(({ turn, seconds }) => {
        const place = places.get(getPlaceKey(turn));
        const time = minutesAndSeconds(seconds);
        return (
          <li key={turn.position}>
            <p className="flex min-h-7 flex-wrap items-center gap-x-2.5 text-sm">
              <span
                className={
                  turn.speaker === 'user' ? 'font-semibold [overflow-wrap:anywhere]' : 'font-semibold text-muted'
                }
              >
                {turn.speaker === 'agent' ? texts.interviewer : person}
              </span>
              {place === undefined ? (
                <time dateTime={turn.at} title={formatMoment(turn.at)} className="tabular text-muted">
                  {time}
                </time>
              ) : (
                <JumpButton place={place} label={time} onJump={onJump} />
              )}
            </p>
            <p className="leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">{turn.content}</p>
          </li>
        );
      })}
    </ol>
  );
}
