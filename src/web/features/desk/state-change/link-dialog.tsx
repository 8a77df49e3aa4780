import { useState, type ReactNode, type SubmitEvent } from 'react';
import type { DeskItem } from '#contract/desk.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { deskTexts } from '../texts.ts';
import { publishedLink } from './published-link.ts';
import { stateChangeTexts as texts } from './texts.ts';
import { TroubleNotice } from './trouble-notice.tsx';
import type { StateChange } from './use-state-change.ts';

type LinkDialogProps = Readonly<{ item: DeskItem; changes: StateChange }>;

/** 'Veröffentlicht': where. */
export function LinkDialog({ item, changes }: LinkDialogProps): ReactNode {
  const { contributorEmail: email } = item;
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && changes.close()}
      title={texts.linkTitle}
      description={email === null ? texts.linkNobody : texts.linkText(email)}
    >
      <LinkForm item={item} changes={changes} />
    </Dialog>
  );
}

function LinkForm({ item, changes }: LinkDialogProps): ReactNode {
  const [typed, setTyped] = useState('');
  const [checked, setChecked] = useState(false);
  const url = publishedLink(typed);
  const wrong = typed.trim() === '' ? texts.linkMissing : texts.linkWrong;
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setChecked(true);
    if (url !== undefined) void changes.run(item, { state: 'published', url });
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {changes.trouble !== undefined && <TroubleNotice trouble={changes.trouble} own="words" />}
      <Field label={texts.link} hint={texts.linkHint} error={checked && url === undefined ? wrong : undefined} required>
        <TextInput
          type="url"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </Field>
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <Button variant="secondary" onClick={changes.close}>
          {deskTexts.cancel}
        </Button>
        <Button type="submit" busy={changes.busy} busyLabel={deskTexts.working}>
          {texts.publish}
        </Button>
      </div>
    </form>
  );
}
