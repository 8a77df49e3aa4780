import { useState, type ReactNode } from 'react';
import * as z from 'zod/mini';
import { useBackend } from '#web/backend/client.ts';
import { changePassword } from '#web/backend/own-account.ts';
import { SectionCard } from '#web/ui/card.tsx';
import { PasswordField, SubmitRow } from '#web/ui/form-fields.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { DoneNotice, ErrorNotice } from './notices.tsx';
import { accountTexts } from './texts.ts';
import { useAccountAction } from './use-account-action.ts';

const MIN_LENGTH = 10;
const texts = accountTexts.password;

const PasswordForm = z
  .object({
    current: z.string(),
    password: z.string().check(z.minLength(MIN_LENGTH, texts.short(MIN_LENGTH))),
    repeat: z.string(),
  })
  .check(
    z.refine(({ password, repeat }) => password.length < MIN_LENGTH || password === repeat, {
      error: texts.different,
      path: ['repeat'],
    }),
  );

export function PasswordSection(): ReactNode {
  const [done, setDone] = useState(false);
  const isConfigured = useBackend().config.currentPassword === true;
  const { busy, error, run } = useAccountAction();
  // A hosted project may require the present password in spite of the configuration; the field then stays.
  const [wanted, setWanted] = useState(false);
  if (!wanted && error === 'current-needed') setWanted(true);
  const defaults = { current: '', password: '', repeat: '' };
  const { submit, field } = useForm(PasswordForm, defaults, async (values, form) => {
    setDone(false);
    if (!(await run((backend) => changePassword(backend, values)))) return;
    form.reset();
    setDone(true);
  });
  return (
    <SectionCard title={texts.title}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        {(wanted || isConfigured) && (
          <PasswordField
            label={texts.current}
            hint={wanted ? undefined : texts.currentHint}
            required={wanted}
            autoComplete="current-password"
            {...field('current')}
          />
        )}
        <PasswordField
          label={texts.label}
          hint={texts.hint(MIN_LENGTH)}
          autoComplete="new-password"
          {...field('password')}
        />
        <PasswordField label={texts.repeat} autoComplete="new-password" {...field('repeat')} />
        <ErrorNotice error={error} />
        <DoneNotice message={done ? texts.done : undefined} />
        <SubmitRow variant="secondary" busy={busy} busyLabel={texts.busy} label={texts.submit} />
      </form>
    </SectionCard>
  );
}
