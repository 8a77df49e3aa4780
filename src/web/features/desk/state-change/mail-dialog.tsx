import { useState, type ReactNode, type SubmitEvent } from 'react';
import type { DeskItem } from '#contract/desk.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { formatNumber } from '#web/ui/format.ts';
import { Notice } from '#web/ui/notice.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { deskTexts } from '../texts.ts';
import { stateChangeTexts as texts } from './texts.ts';
import { TroubleNotice } from './trouble-notice.tsx';
import type { StateChange } from './use-state-change.ts';

const MOST = 10_000;

type MailDialogProps = Readonly<{ item: DeskItem; changes: StateChange }>;

/** 'Zur Freigabe': the words to whoever handed it in, as the team wants them. */
export function MailDialog({ item, changes }: MailDialogProps): ReactNode {
  const { contributorEmail: email } = item;
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && changes.close()}
      title={texts.mailTitle}
      {...(email === null ? {} : { description: texts.mailText(email) })}
    >
      <MailForm item={item} changes={changes} />
    </Dialog>
  );
}

function MailForm({ item, changes }: MailDialogProps): ReactNode {
  const [text, setText] = useState(() => texts.template(texts.greeting(nameIn(item))));
  const [checked, setChecked] = useState(false);
  const reachable = item.contributorEmail !== null;
  const problem = reachable ? problemOf(text) : undefined;
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setChecked(true);
    if (problem === undefined) void changes.run(item, { state: 'for_review', ...(reachable && { text: text.trim() }) });
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {changes.trouble !== undefined && <TroubleNotice trouble={changes.trouble} own="words" />}
      {reachable ? (
        <Field label={texts.message} error={checked ? problem : undefined} required>
          <TextArea rows={12} value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
      ) : (
        <Notice tone="caution">{texts.mailNobody}</Notice>
      )}
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <Button variant="secondary" onClick={changes.close}>
          {deskTexts.cancel}
        </Button>
        <Button type="submit" busy={changes.busy} busyLabel={deskTexts.working}>
          {reachable ? texts.send : texts.changeOnly}
        </Button>
      </div>
    </form>
  );
}

function problemOf(text: string): string | undefined {
  if (text.trim() === '') return texts.messageMissing;
  if (text.includes(texts.gap)) return texts.gapLeft;
  return text.length > MOST ? texts.messageLong(formatNumber(MOST)) : undefined;
}

/** An address is no name. */
function nameIn({ contributor }: DeskItem): string {
  return contributor.includes('@') ? '' : contributor;
}
