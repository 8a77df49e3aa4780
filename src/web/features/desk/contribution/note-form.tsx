import { useState, type ReactNode, type SubmitEvent } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { rowOf } from '../listing.ts';
import { ProblemNotice } from '../problem-notice.tsx';
import { useStateChange } from '../state-change/use-state-change.ts';
import { deskTexts } from '../texts.ts';
import { contributionTexts as texts } from './texts.ts';

const MOST = 10_000;

type NoteFormProps = Readonly<{
  contribution: DeskContribution;
  onChanged: (contribution: DeskContribution) => void;
  onGone: () => void;
}>;

/** Something only the team reads. What was written stays until it is saved. */
export function NoteForm({ contribution, onChanged, onGone }: NoteFormProps): ReactNode {
  const changes = useStateChange({ onChanged, onGone });
  const toast = useToast();
  const [text, setText] = useState('');
  const [checked, setChecked] = useState(false);
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setChecked(text.trim() === '');
    if (text.trim() === '' || !(await changes.run(rowOf(contribution), { note: text.trim() }))) return;
    setText('');
    toast({ ...texts.noteSaved, variant: 'good' });
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      <Field
        label={texts.notes}
        hint={texts.notesHint}
        error={checked && text.trim() === '' ? texts.noteMissing : undefined}
      >
        <TextArea
          rows={3}
          maxLength={MOST}
          className="min-h-20"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      {changes.trouble !== undefined && <ProblemNotice problem={changes.trouble.problem} />}
      <Button type="submit" variant="secondary" wide busy={changes.busy} busyLabel={deskTexts.working}>
        {texts.addNote}
      </Button>
    </form>
  );
}
