import { useState, type ReactNode, type SubmitEvent } from 'react';
import { changeEmail } from '#web/backend/own-account.ts';
import { useUser } from '#web/backend/session.ts';
import { Breakable } from '#web/ui/breakable.tsx';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { Field } from '#web/ui/field.tsx';
import { textOf } from '#web/ui/form-text.ts';
import { Notice } from '#web/ui/notice.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { ErrorNotice } from './notices.tsx';
import { accountTexts } from './texts.ts';
import { useAction } from './use-action.ts';

const ADDRESS = /^[^\s@]+@[^\s@]+$/;
const texts = accountTexts.email;

export function EmailSection(): ReactNode {
  const user = useUser();
  const { busy, error, run } = useAction();
  const [state, setState] = useState<'idle' | 'invalid' | 'sent'>('idle');
  const change = async (email: string): Promise<void> => {
    const done = await run((backend) => changeEmail(backend, email));
    if (done !== undefined) setState('sent');
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const email = textOf(event.currentTarget, 'email').trim();
    setState(ADDRESS.test(email) ? 'idle' : 'invalid');
    if (ADDRESS.test(email)) void change(email);
  };
  return (
    <SectionCard title={texts.title}>
      <p className="mb-5 text-muted">
        {texts.now}{' '}
        <strong className="font-medium wrap-anywhere text-ink">
          <Breakable text={user?.email ?? ''} />
        </strong>
      </p>
      {state === 'sent' ? (
        <Notice tone="good" title={texts.sent.title} live>
          {texts.sent.text}
        </Notice>
      ) : (
        <form noValidate onSubmit={submit} className="flex flex-col gap-5">
          <Field label={texts.label} hint={texts.hint} error={state === 'invalid' ? texts.invalid : undefined} required>
            <TextInput
              name="email"
              type="email"
              inputMode="email"
              autoComplete="email"
              autoCapitalize="none"
              spellCheck={false}
            />
          </Field>
          <ErrorNotice error={error} />
          <div>
            <Button type="submit" variant="secondary" busy={busy} busyLabel={texts.busy}>
              {texts.submit}
            </Button>
          </div>
        </form>
      )}
    </SectionCard>
  );
}
