import { useState, type ReactNode, type SubmitEvent } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { changePassword } from '#web/backend/own-account.ts';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { Field } from '#web/ui/field.tsx';
import { textOf } from '#web/ui/form-text.ts';
import { PasswordInput } from '#web/ui/password-input.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { ErrorNotice } from './notices.tsx';
import { accountTexts } from './texts.ts';
import { useAction } from './use-action.ts';

const MIN_LENGTH = 10;
const texts = accountTexts.password;

export function PasswordSection(): ReactNode {
  const toast = useToast();
  const isConfigured = useBackend().config.currentPassword === true;
  const { busy, error, run } = useAction();
  const [problem, setProblem] = useState<'short' | 'different'>();
  // A hosted project may require the present password in spite of the configuration; the field then stays.
  const [wanted, setWanted] = useState(false);
  if (!wanted && error === 'current-needed') setWanted(true);
  const change = async (form: HTMLFormElement, password: string): Promise<void> => {
    const done = await run((backend) => changePassword(backend, { password, current: textOf(form, 'current') }));
    if (done === undefined) return;
    form.reset();
    toast({ ...texts.done, variant: 'good' });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const password = textOf(form, 'password');
    const found =
      password.length < MIN_LENGTH ? 'short' : password === textOf(form, 'repeat') ? undefined : 'different';
    setProblem(found);
    if (found === undefined) void change(form, password);
  };
  const eye = { showLabel: texts.show, hideLabel: texts.hide };
  return (
    <SectionCard title={texts.title}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        {(wanted || isConfigured) && (
          <Field label={texts.current} hint={wanted ? undefined : texts.currentHint} required={wanted}>
            <PasswordInput name="current" autoComplete="current-password" {...eye} />
          </Field>
        )}
        <Field
          label={texts.label}
          hint={texts.hint(MIN_LENGTH)}
          error={problem === 'short' ? texts.short(MIN_LENGTH) : undefined}
          required
        >
          <PasswordInput name="password" autoComplete="new-password" {...eye} />
        </Field>
        <Field label={texts.repeat} error={problem === 'different' ? texts.different : undefined} required>
          <PasswordInput name="repeat" autoComplete="new-password" {...eye} />
        </Field>
        <ErrorNotice error={error} />
        <div>
          <Button type="submit" variant="secondary" busy={busy} busyLabel={texts.busy}>
            {texts.submit}
          </Button>
        </div>
      </form>
    </SectionCard>
  );
}
