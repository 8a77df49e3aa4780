import { type ChangeEvent, type ReactNode, useState } from 'react';
import * as z from 'zod/mini';
import type { DeskItem } from '#contract/desk.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { SubmitRow, UrlField } from '#web/ui/form-fields.tsx';
import { formatNumber } from '#web/ui/format.ts';
import { Notice, NoticeButton } from '#web/ui/notice.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { useKeptText } from '../device-drafts.ts';
import { NoMailServerNotice, ProblemNotice } from '../notices.tsx';
import { deskTexts, stateChangeTexts as texts } from '../texts.ts';
import type { ChangeError, StateChange } from './use-state-change.ts';

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

/** Where a mail would go; or why none goes out, as beside a hosted project without its service key. */
function useRecipient({ contributorEmail: email }: DeskItem): Readonly<{ email: string } | { nobody: string }> {
  const { deskMails } = useBackendConfig();
  if (email === null) return { nobody: texts.nobody.address };
  return deskMails === false ? { nobody: texts.nobody.mails } : { email };
}

type StateDialogProps = Readonly<{ item: DeskItem; changes: StateChange }>;

/** 'Zur Freigabe': edits the mail to the contributor. What is typed waits for the next opening (decision 0369). */
function MailDialog({ item, changes }: StateDialogProps): ReactNode {
  const recipient = useRecipient(item);
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && changes.close()}
      title={texts.mailTitle}
      {...('nobody' in recipient ? {} : { description: describeMail(item, recipient.email) })}
    >
      <MailForm item={item} changes={changes} />
    </Dialog>
  );
}

/** Posts have a link of their own, which this message does not bring. */
function describeMail({ posts }: DeskItem, email: string): string {
  return posts === null ? texts.mailText(email) : `${texts.mailText(email)} ${texts.mailPosts}`;
}

/** Without a recipient there is no text. */
const Mail = z.object({
  text: z.optional(
    z.string().check(
      z.trim(),
      z.minLength(1, texts.messageMissing),
      z.refine((text) => !text.includes(texts.gap), texts.gapLeft),
      z.maxLength(MAX_MAIL_LENGTH, texts.messageLong(formatNumber(MAX_MAIL_LENGTH))),
    ),
  ),
});

function MailForm({ item, changes }: StateDialogProps): ReactNode {
  const recipient = useRecipient(item);
  const reachable = !('nobody' in recipient);
  const template = texts.template(texts.greeting(getPersonName(item)));
  const { found, kept, keep, forget } = useKeptText('mail_draft', item.id);
  const [restored, setRestored] = useState(found !== '');
  const begin = reachable ? { text: found === '' ? template : found } : {};
  const form = useForm(Mail, begin, async ({ text }) => {
    if (await changes.run(item, { state: 'for_review', ...(text !== undefined && { text }) })) forget();
  });
  const discard = (): void => {
    forget();
    setRestored(false);
    form.setValue('text', template);
    form.setFocus('text');
  };
  return (
    <form noValidate onSubmit={form.submit} className="flex flex-col gap-5">
      {changes.error !== undefined && <ChangeErrorNotice error={changes.error} draft="kept" />}
      {reachable && <NoMailServerNotice />}
      {reachable && restored && <RestoredNotice onDiscard={discard} />}
      {reachable ? (
        <Field label={texts.message} hint={kept ? texts.mailKept : undefined} error={form.getError('text')} required>
          <TextArea
            rows={12}
            {...form.register('text', {
              onChange: ({ target }: ChangeEvent<HTMLTextAreaElement>) => keep(target.value),
            })}
          />
        </Field>
      ) : (
        <Notice tone="caution">{texts.mailNobody(recipient.nobody)}</Notice>
      )}
      <SubmitRow
        label={reachable ? texts.send : texts.changeOnly}
        busy={changes.busy}
        busyLabel={deskTexts.working}
        onCancel={changes.close}
      />
    </form>
  );
}

function RestoredNotice({ onDiscard }: Readonly<{ onDiscard: () => void }>): ReactNode {
  return (
    <Notice
      title={texts.restored.title}
      action={<NoticeButton onClick={onDiscard}>{texts.restored.discard}</NoticeButton>}
    >
      {texts.restored.text}
    </Notice>
  );
}

/** An address does not serve as a name. */
function getPersonName({ contributor }: DeskItem): string {
  return contributor.includes('@') ? '' : contributor;
}

/** 'Veröffentlicht': asks for the link. */
function LinkDialog({ item, changes }: StateDialogProps): ReactNode {
  const recipient = useRecipient(item);
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && changes.close()}
      title={texts.linkTitle}
      description={'nobody' in recipient ? texts.linkNobody(recipient.nobody) : texts.linkText(recipient.email)}
    >
      <div className="flex flex-col gap-5">
        {'email' in recipient && <NoMailServerNotice />}
        <LinkForm item={item} changes={changes} />
      </div>
    </Dialog>
  );
}

const PublishedLink = z.object({
  url: z.string().check(
    z.trim(),
    z.minLength(1, texts.linkMissing),
    z.refine((typed) => parsePublishedLink(typed) !== undefined, texts.linkWrong),
  ),
});

function LinkForm({ item, changes }: StateDialogProps): ReactNode {
  const { submit, field } = useForm(PublishedLink, { url: '' }, async ({ url }) => {
    await changes.run(item, { state: 'published', url: parsePublishedLink(url) ?? url });
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {changes.error !== undefined && <ChangeErrorNotice error={changes.error} draft="kept" />}
      <UrlField label={texts.link} hint={texts.linkHint} {...field('url')} />
      <SubmitRow label={texts.publish} busy={changes.busy} busyLabel={deskTexts.working} onCancel={changes.close} />
    </form>
  );
}

const MAX_LINK_LENGTH = 2_000;

/** Parses a typed link; undefined unless it is http or https with a public host name. */
export function parsePublishedLink(typed: string): string | undefined {
  try {
    const { protocol, hostname, href } = new URL(typed.trim());
    const usable = /^https?:$/.test(protocol) && hostname.includes('.') && href.length <= MAX_LINK_LENGTH;
    return usable ? href : undefined;
  } catch {
    return undefined;
  }
}

type ChangeErrorProps = Readonly<{ error: ChangeError; draft: 'kept' | 'none' }>;

/** Says why a change failed. `draft`: whether the dialog still holds typed text. */
export function ChangeErrorNotice({ error, draft }: ChangeErrorProps): ReactNode {
  const { code, current } = error;
  if (code !== 'conflict' || current === undefined) return <ProblemNotice problem={code} />;
  // Notes and mails cause no conflict.
  const change = current.events.find(({ what }) => what !== 'note' && what !== 'mail');
  const text = texts.conflict(deskTexts.states[current.state], change?.by ?? '');
  return (
    <Notice tone="error" live title={texts.conflictTitle}>
      {draft === 'kept' ? `${text} ${texts.kept}` : text}
    </Notice>
  );
}
