import { clsx } from 'clsx';
import { type ChangeEvent, type ReactNode, useEffect } from 'react';
import * as z from 'zod/mini';
import { type DeskContribution, type DeskEvent, DeskStateSchema } from '#contract/desk.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { useInlineMessage } from '#web/ui/notice.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { useKeptText } from '../device-drafts.ts';
import { toDeskItem } from '../listing.ts';
import { ProblemNotice } from '../notices.tsx';
import { useStateChange } from '../state-change/use-state-change.ts';
import { deskTexts } from '../texts.ts';
import { inTurn } from '../use-desk.tsx';
import { contributionTexts as texts } from './texts.ts';

const eventTexts = texts.events;

/** Shows each event with its account and time, newest first. */
export function HistoryList({ events }: Readonly<{ events: readonly DeskEvent[] }>): ReactNode {
  if (events.length === 0) return <p className="text-muted">{texts.noHistory}</p>;
  return (
    <ol aria-label={texts.history} className="flex flex-col gap-4 border-l border-line pl-4">
      {events.map((event) => (
        <li key={event.id} className="relative">
          <span aria-hidden className="absolute top-2 -left-[1.3rem] size-2 rounded-full bg-line-strong" />
          <p className="font-medium [overflow-wrap:anywhere]">{formatEvent(event)}</p>
          <EventText event={event} />
          <p className="tabular mt-0.5 text-sm text-muted [overflow-wrap:anywhere]">
            {formatActor(event)}
            {formatMoment(event.at)}
          </p>
        </li>
      ))}
    </ol>
  );
}

/** Longer texts are folded. */
const SHORT = { characters: 400, lines: 6 };

function EventText({ event: { what, text } }: Readonly<{ event: DeskEvent }>): ReactNode {
  if (text === null || text === '') return null;
  const shown = (
    <p className="mt-0.5 whitespace-pre-wrap [overflow-wrap:anywhere]">
      {what === 'mail' ? eventTexts.mailAnswer(text) : text}
    </p>
  );
  if (text.length <= SHORT.characters && text.split('\n').length <= SHORT.lines) return shown;
  return (
    <details>
      <summary
        className={clsx(
          'inline-flex min-h-11 cursor-pointer items-center font-medium text-accent-ink underline',
          'decoration-current/40 underline-offset-4 hover:decoration-current',
        )}
      >
        {eventTexts.wholeText}
      </summary>
      {shown}
    </details>
  );
}

/** The server sends mails by itself, so they have no account. */
function formatActor({ what, by, ofPosts }: DeskEvent): string {
  if (what === 'mail') return '';
  if (ofPosts === true && by === '') return `${eventTexts.ofPosts}, `;
  return `${by === '' ? texts.someone : by}, `;
}

function formatEvent({ what, from, to, text }: DeskEvent): string {
  switch (what) {
    case 'state':
      return eventTexts.state(formatState(from), formatState(to));
    case 'assignment':
      return to === null ? eventTexts.unassigned : eventTexts.assigned(to === '' ? texts.colleague : to);
    case 'mail':
      return eventTexts.mail(from ?? '', to ?? '', text);
    case 'address':
      return eventTexts.address;
    default:
      return eventTexts.note;
  }
}

/** Shows an unknown state by its raw name: a newer server may have more. */
function formatState(state: string | null): string {
  const known = DeskStateSchema.safeParse(state);
  return known.success ? deskTexts.states[known.data] : (state ?? '');
}

const MAX_LENGTH = 10_000;

const Note = z.object({ note: z.string().check(z.trim(), z.minLength(1, texts.noteMissing)) });

type NoteFormProps = Readonly<{
  contribution: DeskContribution;
  onChanged: (contribution: DeskContribution) => void;
  onMissing: () => void;
}>;

/** Adds a note for the team. The text stays in the field, and on the device, until it is saved (decision 0369). */
export function NoteForm({ contribution, onChanged, onMissing }: NoteFormProps): ReactNode {
  const changes = useStateChange({ ...inTurn(contribution.id), onChanged, onMissing });
  const [message, show] = useInlineMessage();
  const { found, kept, keep, forget } = useKeptText('note_draft', contribution.id);
  const form = useForm(Note, { note: found }, async ({ note }) => {
    show();
    if (!(await changes.run(toDeskItem(contribution), { note }))) return;
    empty(note);
    show({ ...texts.noteSaved, variant: 'good' });
  });
  const { submit, register, getError } = form;
  // What was typed meanwhile stays.
  const empty = (saved: string): void => {
    if (form.getValues('note').trim() !== saved) return;
    form.reset({ note: '' });
    forget();
  };
  const newest = contribution.events.find(({ what }) => what === 'note')?.text ?? '';
  // The form may have been away, or without an answer, when its note was saved.
  // oxlint-disable-next-line react/exhaustive-deps -- once for each note
  useEffect(() => empty(newest), [newest]);
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      <Field label={texts.notes} hint={kept ? texts.noteKept : texts.notesHint} error={getError('note')}>
        <TextArea
          rows={3}
          maxLength={MAX_LENGTH}
          className="min-h-20"
          {...register('note', { onChange: (event: ChangeEvent<HTMLTextAreaElement>) => keep(event.target.value) })}
        />
      </Field>
      {changes.error !== undefined && <ProblemNotice problem={changes.error.code} />}
      {message}
      <Button type="submit" variant="secondary" wide busy={changes.busy} busyLabel={deskTexts.working}>
        {texts.addNote}
      </Button>
    </form>
  );
}
