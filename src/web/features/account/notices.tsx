import type { ReactNode } from 'react';
import type { OwnAccountErrorCode } from '#web/backend/own-account.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { StepMessage } from '#web/ui/step-message.tsx';
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

/** Beside what was done, in sight, until something else is done there (decision 0279). */
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
      action={
        <Button variant="secondary" onClick={onRetry}>
          {texts.retry}
        </Button>
      }
    />
  );
}

const DATE = new Intl.DateTimeFormat('de-DE', { dateStyle: 'long', timeZone: 'Europe/Berlin' });
const MOMENT = new Intl.DateTimeFormat('de-DE', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/Berlin' });

/** `iso`: ISO 8601. */
export function formatLongDate(iso: string): string {
  return DATE.format(new Date(iso));
}

export function formatMoment(iso: string): string {
  return MOMENT.format(new Date(iso));
}
