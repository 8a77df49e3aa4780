import { useState, type ReactNode, type SubmitEvent } from 'react';
import type { DeskItem } from '#contract/desk.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { formatNumber } from '#web/ui/format.ts';
import { Notice } from '#web/ui/notice.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { deskTexts } from '../texts.ts';
import { ChangeErrorNotice } from './change-error-notice.tsx';
import { stateChangeTexts as texts } from './texts.ts';
import type { StateChange } from './use-state-change.ts';

/** Shows the dialog that a change of state needs. */
export function StateDialogs({ changes }: Readonly<{ changes: StateChange }>): ReactNode {
  const { dialog } = changes;
  switch (dialog.kind) {
    case 'mail':
      return <MailDialog item={dialog.item} changes={changes} />;
    case 'link':
      return <LinkDialog item={dialog.item} changes={changes} />;
    default:
      return null;
  }
}

const MAX_MAIL_LENGTH = 10_000;

type MailDialogProps = Readonly<{ item: DeskItem; changes: StateChange }>;

/** 'Zur Freigabe': edits the mail to the contributor. */
function MailDialog({ item, changes }: MailDialogProps): ReactNode {
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
  const [text, setText] = useState(() => texts.template(texts.greeting(getPersonName(item))));
  const [submitted, setSubmitted] = useState(false);
  const reachable = item.contributorEmail !== null;
  const problem = reachable ? validateMessage(text) : undefined;
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setSubmitted(true);
    if (problem === undefined) void changes.run(item, { state: 'for_review', ...(reachable && { text: text.trim() }) });
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {changes.error !== undefined && <ChangeErrorNotice error={changes.error} draft="kept" />}
      {reachable ? (
        <Field label={texts.message} error={submitted ? problem : undefined} required>
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

function validateMessage(text: string): string | undefined {
  if (text.trim() === '') return texts.messageMissing;
  if (text.includes(texts.gap)) return texts.gapLeft;
  return text.length > MAX_MAIL_LENGTH ? texts.messageLong(formatNumber(MAX_MAIL_LENGTH)) : undefined;
}

/** An address does not serve as a name. */
function getPersonName({ contributor }: DeskItem): string {
  return contributor.includes('@') ? '' : contributor;
}

type LinkDialogProps = Readonly<{ item: DeskItem; changes: StateChange }>;

/** 'Veröffentlicht': asks for the link. */
function LinkDialog({ item, changes }: LinkDialogProps): ReactNode {
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
  const [submitted, setSubmitted] = useState(false);
  const url = parsePublishedLink(typed);
  const wrong = typed.trim() === '' ? texts.linkMissing : texts.linkWrong;
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setSubmitted(true);
    if (url !== undefined) void changes.run(item, { state: 'published', url });
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {changes.error !== undefined && <ChangeErrorNotice error={changes.error} draft="kept" />}
      <Field
        label={texts.link}
        hint={texts.linkHint}
        error={submitted && url === undefined ? wrong : undefined}
        required
      >
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

const MAX_LINK_LENGTH = 2_000;

/** Parses a typed link; undefined unless it is http or https with a public host name. */
export function parsePublishedLink(typed: string): string | undefined {
  const text = typed.trim();
  if (!URL.canParse(text) || text.length > MAX_LINK_LENGTH) return undefined;
  const { protocol, hostname, href } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && hostname.includes('.') ? href : undefined;
}
