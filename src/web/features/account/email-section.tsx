import { useState, type ReactNode } from 'react';
import * as z from 'zod/mini';
import { changeEmail } from '#web/backend/own-account.ts';
import { useUser } from '#web/backend/session.ts';
import { Breakable } from '#web/ui/breakable.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { EMAIL_PATTERN, EmailField, SubmitRow } from '#web/ui/form-fields.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { ErrorNotice } from './notices.tsx';
import { accountTexts } from './texts.ts';
import { useAccountAction } from './use-account-action.ts';

const texts = accountTexts.email;
const EmailForm = z.object({ email: z.string().check(z.trim(), z.regex(EMAIL_PATTERN, texts.invalid)) });

export function EmailSection(): ReactNode {
  const user = useUser();
  const { busy, error, run } = useAccountAction();
  const [sent, setSent] = useState(false);
  const { submit, field } = useForm(EmailForm, { email: '' }, async ({ email }) => {
    setSent(await run((backend) => changeEmail(backend, email)));
  });
  return (
    <SectionCard title={texts.title}>
      <p className="mb-5 text-muted">
        {texts.now}{' '}
        <strong className="font-medium wrap-anywhere text-ink">
          <Breakable text={user?.email ?? ''} />
        </strong>
      </p>
      {sent ? (
        <Notice tone="good" title={texts.sent.title} live>
          {texts.sent.text}
        </Notice>
      ) : (
        <form noValidate onSubmit={submit} className="flex flex-col gap-5">
          <EmailField label={texts.label} hint={texts.hint} autoComplete="email" {...field('email')} />
          <ErrorNotice error={error} />
          <SubmitRow variant="secondary" busy={busy} busyLabel={texts.busy} label={texts.submit} />
        </form>
      )}
    </SectionCard>
  );
}
