import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import * as z from 'zod/mini';
import type { Arrival } from '#web/backend/arrival.ts';
import { useBackend, useBackendConfig } from '#web/backend/client.ts';
import { changeEmail, changePassword, isManaged } from '#web/backend/own-account.ts';
import { connected, ConnectedScreen } from '#web/backend/server-state.tsx';
import { useConnectedBackend, useSession, useUser } from '#web/backend/session.ts';
import { Breakable } from '#web/ui/breakable.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { EMAIL_PATTERN, EmailField, PasswordField, SubmitRow } from '#web/ui/form-fields.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { addressField, useForm } from '#web/ui/use-form.ts';
import { DoneNotice, ErrorNotice, useAccountAction, useReloadSessions } from './account-action.tsx';
import { FactorsSection } from './factors-section.tsx';
import { SecondFactorScreen } from './second-factor-screen.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { accountTexts as texts } from './texts.ts';

export function AccountRoute({ arrival }: Readonly<{ arrival: Arrival | undefined }>): ReactNode {
  const backend = useConnectedBackend();
  const session = useSession();
  const role = session.status === 'signed-in' && session.role.status === 'known' ? session.role.role : undefined;
  const required = role !== undefined && backend.config.secondFactorRoles.includes(role);
  return (
    <ConnectedScreen>
      <AccountScreen factorRequired={required} arrival={arrival} />
    </ConnectedScreen>
  );
}

export const SecondFactorRoute = connected(SecondFactorScreen);

/** /konto, for every signed-in account, with or without a role. */
export function AccountScreen({
  factorRequired,
  arrival,
}: Readonly<{ factorRequired: boolean; arrival: Arrival | undefined }>): ReactNode {
  const backend = useBackend();
  const { data: managed = false, isPending } = useQuery({
    queryKey: ['account', 'managed'],
    queryFn: () => isManaged(backend),
  });
  const editable = !isPending && !managed;
  return (
    <div className="mx-auto w-full max-w-column px-4 pt-6 pb-10 sm:px-6 sm:pt-12">
      <ScreenTitle>{texts.title}</ScreenTitle>
      <p className="mt-3 mb-8 text-lg text-muted">{texts.lead}</p>
      <div className="flex flex-col gap-6">
        {arrival !== undefined && <ArrivalNotice arrival={arrival} />}
        <FactorsSection required={factorRequired} />
        {isPending ? <Skeleton className="h-96 w-full rounded-card!" /> : !managed && <PasswordSection />}
        <SessionsSection />
        {editable && <EmailSection />}
        {managed && <Notice title={texts.managed.title}>{texts.managed.text}</Notice>}
      </div>
    </div>
  );
}

/** Explains what a mail about a new address led to. */
function ArrivalNotice({ arrival }: Readonly<{ arrival: Arrival }>): ReactNode {
  const notice = arrival === 'other-mailbox' ? texts.email.half : texts.email.expired;
  return (
    <Notice tone={arrival === 'other-mailbox' ? 'info' : 'caution'} title={notice.title} live>
      {notice.text}
    </Notice>
  );
}

const emailTexts = texts.email;
const EmailForm = z.object({ email: addressField(EMAIL_PATTERN, emailTexts.invalid) });

function EmailSection(): ReactNode {
  const user = useUser();
  const { accountMails } = useBackendConfig();
  const { busy, error, run } = useAccountAction();
  const [sent, setSent] = useState(false);
  const { submit, field } = useForm(EmailForm, { email: '' }, async ({ email }, form) => {
    if (email.toLowerCase() === user?.email) form.setError('email', { message: emailTexts.same });
    else setSent(await run((backend) => changeEmail(backend, email)));
  });
  return (
    <SectionCard title={emailTexts.title}>
      <p className="mb-5 text-muted">
        {emailTexts.now}{' '}
        <strong className="font-medium wrap-anywhere text-ink">
          <Breakable text={user?.email ?? ''} />
        </strong>
      </p>
      {accountMails === false && (
        <Notice tone="caution" className="mb-5">
          {emailTexts.noMails}
        </Notice>
      )}
      {sent ? (
        <Notice tone="good" title={emailTexts.sent.title} live>
          {emailTexts.sent.text}
        </Notice>
      ) : (
        <form noValidate onSubmit={submit} className="flex flex-col gap-5">
          <EmailField label={emailTexts.label} hint={emailTexts.hint} autoComplete="email" {...field('email')} />
          <ErrorNotice error={error} />
          <SubmitRow variant="secondary" busy={busy} busyLabel={emailTexts.busy} label={emailTexts.submit} />
        </form>
      )}
    </SectionCard>
  );
}

const passwordTexts = texts.password;

const passwordForm = (length: number) =>
  z
    .object({
      current: z.string(),
      password: z.string().check(z.minLength(length, passwordTexts.short(length))),
      repeat: z.string(),
    })
    .check(
      z.refine(({ password, repeat }) => password.length < length || password === repeat, {
        error: passwordTexts.different,
        path: ['repeat'],
      }),
    );

export function PasswordSection(): ReactNode {
  const [done, setDone] = useState(false);
  const { currentPassword: isConfigured = false, passwordLength = 10 } = useBackend().config;
  const { busy, error, run } = useAccountAction();
  // A hosted project may require the present password in spite of the configuration; the field then stays.
  const [wanted, setWanted] = useState(false);
  if (!wanted && error === 'current-needed') setWanted(true);
  const reloadSessions = useReloadSessions();
  const defaults = { current: '', password: '', repeat: '' };
  const { submit, field } = useForm(passwordForm(passwordLength), defaults, async (values, form) => {
    setDone(false);
    if (!(await run((backend) => changePassword(backend, values)))) return;
    form.reset();
    setDone(true);
    reloadSessions();
  });
  return (
    <SectionCard title={passwordTexts.title}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        {(wanted || isConfigured) && (
          <PasswordField
            label={passwordTexts.current}
            hint={wanted ? undefined : passwordTexts.currentHint}
            required={wanted}
            autoComplete="current-password"
            {...field('current')}
          />
        )}
        <PasswordField
          label={passwordTexts.label}
          hint={passwordTexts.hint(passwordLength)}
          autoComplete="new-password"
          {...field('password')}
        />
        <PasswordField label={passwordTexts.repeat} autoComplete="new-password" {...field('repeat')} />
        <ErrorNotice error={error} />
        <DoneNotice message={done ? passwordTexts.done : undefined} />
        <SubmitRow variant="secondary" busy={busy} busyLabel={passwordTexts.busy} label={passwordTexts.submit} />
      </form>
    </SectionCard>
  );
}
