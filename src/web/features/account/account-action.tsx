import { useQueryClient } from '@tanstack/react-query';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import * as z from 'zod/mini';
import { type BackendClient, useBackend } from '#web/backend/client.ts';
import { OwnAccountError, type OwnAccountErrorCode } from '#web/backend/own-account.ts';
import { useAction } from '#web/backend/server-state.tsx';
import { Field, type FieldProps } from '#web/ui/field.tsx';
import { TextInput } from '#web/ui/form-fields.tsx';
import { Notice, NoticeButton, StepMessage } from '#web/ui/notice.tsx';
import { accountTexts, accountTexts as texts } from './texts.ts';

export function ErrorNotice({ error }: Readonly<{ error: OwnAccountErrorCode | undefined }>): ReactNode {
  if (error === undefined) return null;
  return (
    <Notice tone={error === 'cancelled' ? 'info' : 'error'} live>
      {accountTexts.errors[error]}
    </Notice>
  );
}

export type DoneMessage = Readonly<{ title: string; description?: string }>;

/** Shows the message next to the control that caused it until the next action there (decision 0279). */
export function DoneNotice({ message }: Readonly<{ message: DoneMessage | undefined }>): ReactNode {
  return message === undefined ? null : (
    <StepMessage key={message.title} message={{ ...message, id: 0, variant: 'good' }} />
  );
}

/** Replaces a list that failed to load. */
export function LoadFailedNotice({ onRetry }: Readonly<{ onRetry: () => void }>): ReactNode {
  return (
    <Notice
      tone="error"
      live
      title={texts.loadFailed}
      action={<NoticeButton onClick={onRetry}>{texts.retry}</NoticeButton>}
    />
  );
}

const DATE = new Intl.DateTimeFormat('de-DE', { dateStyle: 'long', timeZone: 'Europe/Berlin' });

/** `iso`: ISO 8601. */
export function formatLongDate(iso: string): string {
  return DATE.format(new Date(iso));
}

/** Maps any thrown value; an unknown one is 'failed'. */
export function getAccountError(error: Error | null): OwnAccountErrorCode | undefined {
  if (error === null) return undefined;
  return error instanceof OwnAccountError ? error.problem : 'failed';
}

type AccountAction = (backend: BackendClient) => Promise<void>;

/** Runs one action at a time; `run` returns whether it succeeded. */
export function useAccountAction() {
  const backend = useBackend();
  const { run, busy, error } = useAction({ mutationFn: (action: AccountAction) => action(backend) });
  return { run, busy, error: getAccountError(error) };
}

export const SESSIONS_KEY = ['account', 'sessions'];

/** A new password, and a second factor, end other sessions of the account: their list is loaded again. */
export function useReloadSessions(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: SESSIONS_KEY });
}

type CodeFieldProps = ComponentPropsWithRef<'input'> & Pick<FieldProps, 'label' | 'error'>;

/** A one-time code, which phones fill in from a message. */
export function CodeField({ label, error, ...input }: CodeFieldProps): ReactNode {
  return (
    <Field label={label} error={error} required>
      <TextInput
        inputMode="numeric"
        autoComplete="one-time-code"
        spellCheck={false}
        className="text-xl tracking-[0.3em] tabular-nums"
        {...input}
      />
    </Field>
  );
}

/** Six digits, typed in groups or pasted with the words around them. */
export const CodeForm = z.object({
  code: z.string().check(
    z.overwrite((typed) => typed.replaceAll(/\D/g, '')),
    z.regex(/^\d{6}$/, accountTexts.confirm.codeMissing),
  ),
});
