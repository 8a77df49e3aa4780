import type { ReactNode } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import { formatMoment } from '#web/ui/format.ts';
import { minutesAndSeconds } from '#web/ui/timer.tsx';
import { JumpButton, type Players } from './players.tsx';
import { contributionTexts as texts } from './texts.ts';
import { getPlaceKey, groupConversations, locateTurns, type Conversation, type Place } from './turn-log.ts';

/** Shows every turn as received (D16). */
export function TurnList({
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
            <p className="mb-0.5 flex flex-wrap items-center gap-x-2.5 text-sm">
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
