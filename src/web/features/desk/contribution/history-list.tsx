import type { ReactNode } from 'react';
import { DeskStateSchema, type DeskEvent } from '#contract/desk.ts';
import { formatMoment } from '#web/ui/format.ts';
import { deskTexts } from '../texts.ts';
import { contributionTexts } from './texts.ts';

const texts = contributionTexts.events;

/** Who did what and when, newest first. */
export function HistoryList({ events }: Readonly<{ events: readonly DeskEvent[] }>): ReactNode {
  if (events.length === 0) return <p className="text-muted">{contributionTexts.noHistory}</p>;
  return (
    <ol aria-label={contributionTexts.history} className="flex flex-col gap-4 border-l border-line pl-4">
      {events.map((event) => (
        <li key={event.id} className="relative">
          <span aria-hidden className="absolute top-2 -left-[1.3rem] size-2 rounded-full bg-line-strong" />
          <p className="font-medium [overflow-wrap:anywhere]">{whatOf(event)}</p>
          <EventText event={event} />
          <p className="tabular mt-0.5 text-sm text-muted [overflow-wrap:anywhere]">
            {byOf(event)}
            {formatMoment(event.at)}
          </p>
        </li>
      ))}
    </ol>
  );
}

/** More of a text than this is shown on demand. */
const SHORT = { characters: 400, lines: 6 };

function EventText({ event: { what, text } }: Readonly<{ event: DeskEvent }>): ReactNode {
  if (text === null || text === '') return null;
  const shown = (
    <p className="mt-0.5 whitespace-pre-wrap [overflow-wrap:anywhere]">
      {what === 'mail' ? texts.mailAnswer(text) : text}
    </p>
  );
  if (text.length <= SHORT.characters && text.split('\n').length <= SHORT.lines) return shown;
  return (
    <details>
      <summary className="inline-flex min-h-11 cursor-pointer items-center font-medium text-accent-ink underline decoration-current/40 underline-offset-4 hover:decoration-current">
        {texts.wholeText}
      </summary>
      {shown}
    </details>
  );
}

/** Mails are the server's own doing. */
function byOf({ what, by }: DeskEvent): string {
  if (what === 'mail') return '';
  return `${by === '' ? contributionTexts.someone : by}, `;
}

function whatOf({ what, from, to }: DeskEvent): string {
  switch (what) {
    case 'state':
      return texts.state(stateName(from), stateName(to));
    case 'assignment':
      return to === null ? texts.unassigned : texts.assigned(to === '' ? contributionTexts.colleague : to);
    case 'mail':
      return texts.mail(from ?? '', to ?? '');
    default:
      return texts.note;
  }
}

/** A state that this version does not know is shown as it is. */
function stateName(state: string | null): string {
  const known = DeskStateSchema.safeParse(state);
  return known.success ? deskTexts.states[known.data] : (state ?? '');
}
