import { useState, type ReactNode } from 'react';
import { hasReviewDrafts } from '#web/backend/browser-storage.ts';
import { requestReviewLink, ReviewError, type ReviewProblem } from '#web/backend/review.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Drawing } from '#web/ui/empty-state.tsx';
import { ErrorScreen } from '#web/ui/state-screens.tsx';
import { texts } from './texts.ts';

type Asked = Readonly<{ status: 'no' | 'busy' | 'sent' }> | Readonly<{ status: 'failed'; problem: ReviewProblem }>;

/**
 * Expired, replaced, unknown or erased: nothing tells which. The key says where a new link goes; a link that was cut
 * has
 * none, so the mail is all that is left.
 */
export function DeadLink({ reviewKey }: Readonly<{ reviewKey: string | undefined }>): ReactNode {
  const [kept] = useState(hasReviewDrafts);
  return (
    <ErrorScreen
      title={texts.dead.title}
      drawing={<Drawing name="lost" className="mb-6" />}
      {...(reviewKey === undefined ? {} : { action: <NewLink reviewKey={reviewKey} /> })}
    >
      <p>
        {texts.dead.text} {reviewKey === undefined ? texts.dead.cut : texts.dead.fresh}
      </p>
      {kept && <p className="mt-3">{texts.dead.kept}</p>}
    </ErrorScreen>
  );
}

function NewLink({ reviewKey }: Readonly<{ reviewKey: string }>): ReactNode {
  const [asked, setAsked] = useState<Asked>({ status: 'no' });
  const request = async (): Promise<void> => {
    setAsked({ status: 'busy' });
    try {
      await requestReviewLink(reviewKey);
      setAsked({ status: 'sent' });
    } catch (error) {
      setAsked({ status: 'failed', problem: error instanceof ReviewError ? error.problem : 'failed' });
    }
  };
  return (
    <div className="flex w-full max-w-96 flex-col gap-4 text-left">
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
      <Button
        wide
        busy={asked.status === 'busy'}
        busyLabel={texts.dead.requesting}
        onClick={() => void (asked.status === 'busy' || request())}
      >
        {texts.dead.request}
      </Button>
    </div>
  );
}
