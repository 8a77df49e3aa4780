import { useState, type ReactNode } from 'react';
import { hasReviewDrafts } from '#web/backend/browser-storage.ts';
import { requestReviewLink, ReviewError, type ReviewProblem } from '#web/backend/review.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Clock } from '#web/ui/icons.tsx';
import { ErrorScreen } from '#web/ui/state-screens.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { texts } from './texts.ts';

type Asked =
  | Readonly<{ status: 'no' | 'busy' | 'sent' | 'missing' }>
  | Readonly<{ status: 'failed'; problem: ReviewProblem }>;

/**
 * Expired, replaced, unknown or erased: nothing tells which. The key says where a new link goes; without one, the number
 * that stands in each mail.
 */
export function DeadLink({ reviewKey }: Readonly<{ reviewKey: string | undefined }>): ReactNode {
  const [asked, setAsked] = useState<Asked>({ status: 'no' });
  const [kept] = useState(hasReviewDrafts);
  const request = async (by: Parameters<typeof requestReviewLink>[0]): Promise<void> => {
    setAsked({ status: 'busy' });
    try {
      await requestReviewLink(by);
      setAsked({ status: 'sent' });
    } catch (error) {
      setAsked({ status: 'failed', problem: error instanceof ReviewError ? error.problem : 'failed' });
    }
  };
  const submit = (number: string): void => {
    if (asked.status === 'busy') return;
    if (reviewKey !== undefined) void request({ key: reviewKey });
    else if (/^[1-9]\d{0,14}$/.test(number)) void request({ contribution: Number(number) });
    else setAsked({ status: 'missing' });
  };
  return (
    <ErrorScreen
      title={texts.dead.title}
      icon={<Clock aria-hidden className="size-7" />}
      action={
        <form
          noValidate
          className="flex w-full max-w-96 flex-col gap-4 text-left"
          onSubmit={(event) => {
            event.preventDefault();
            const number = new FormData(event.currentTarget).get('number');
            submit(typeof number === 'string' ? number.trim() : '');
          }}
        >
          {asked.status === 'sent' && (
            <Notice tone="good" title={texts.dead.sentTitle} live>
              {texts.dead.sent}
            </Notice>
          )}
          {asked.status === 'failed' && (
            <Notice tone="error" live>
              {texts.dead.problem[asked.problem]}
            </Notice>
          )}
          {reviewKey === undefined && (
            <Field
              label={texts.dead.number}
              hint={texts.dead.numberHint}
              required
              {...(asked.status === 'missing' ? { error: texts.dead.numberMissing } : {})}
            >
              <TextInput name="number" inputMode="numeric" autoComplete="off" />
            </Field>
          )}
          <Button type="submit" wide busy={asked.status === 'busy'} busyLabel={texts.dead.requesting}>
            {texts.dead.request}
          </Button>
        </form>
      }
    >
      <p>{texts.dead.text}</p>
      {kept && <p className="mt-3">{texts.dead.kept}</p>}
    </ErrorScreen>
  );
}
