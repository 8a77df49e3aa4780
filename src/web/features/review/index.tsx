import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import type { Review, ReviewedPost } from '#contract/posts.ts';
import { asLaterPart } from '#web/backend/later-part.ts';
import { requestReviewLink, ReviewError, type ReviewProblem } from '#web/backend/review.ts';
import { useSessionStore } from '#web/backend/session.ts';
import { Button, RetryButton } from '#web/ui/button.tsx';
import { Drawing } from '#web/ui/empty-state.tsx';
import { CloudOff, RotateCw } from '#web/ui/icons.tsx';
import { Link } from '#web/ui/link.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { PostCard } from './post-card.tsx';
import { texts } from './texts.ts';
import { countAnswered, getPostStatus, useReview, useReviewKey } from './use-review.ts';
import { hasReviewDrafts } from './drafts.ts';
import { type LoadRecorder, SpeechContext } from './words-form.tsx';

/** Without a network the answers are shown all the same; it comes once there is one. */
const loadDone = asLaterPart('done', () => import('./done.tsx'));
const Done = lazy(() => loadDone().then((module) => ({ default: module.Done })));

type ReviewScreenProps = Readonly<{ loadRecorder: LoadRecorder }>;

/** What was made of a contribution, for the bearer of its link: to read, to answer, to take along. */
export function ReviewScreen({ loadRecorder }: ReviewScreenProps): ReactNode {
  const key = useReviewKey();
  // Nothing of one link's review is shown for another one, not even while that one cannot be reached.
  return <KeyedReview key={key} reviewKey={key} loadRecorder={loadRecorder} />;
}

type KeyedReviewProps = ReviewScreenProps & Readonly<{ reviewKey: string | undefined }>;

function KeyedReview({ reviewKey, loadRecorder }: KeyedReviewProps): ReactNode {
  const { state, answer, retry, pictures } = useReview(reviewKey);
  const { brand, transcription, transcriptionStream: streams = false } = useSessionStore().config;
  const { association } = brand;
  const speech = useMemo(
    () => (transcription && reviewKey !== undefined ? { load: loadRecorder, reviewKey, streams } : undefined),
    [transcription, reviewKey, loadRecorder, streams],
  );
  if (state.status === 'loading') return <LoadingScreen text={texts.loading} />;
  if (state.status === 'invalid') return <InvalidLink reviewKey={state.key} />;
  if (state.status === 'unreachable')
    return (
      <ErrorScreen
        title={texts.unreachable.title}
        icon={CloudOff}
        action={<RetryButton variant="primary" icon={RotateCw} onClick={retry} />}
      >
        {texts.unreachable.text}
      </ErrorScreen>
    );
  const { review } = state;
  const { answered, all } = countAnswered(review.posts);
  const end = getReviewEnd(review.posts);
  return (
    <div className="mx-auto flex w-full max-w-column flex-1 flex-col gap-6 px-4 pt-6 pb-12 sm:px-6 sm:pt-12">
      <header>
        <ScreenTitle tabTitle={texts.tab}>{texts.hello(review.firstName)}</ScreenTitle>
        <p className="mt-3 max-w-measure text-lg text-muted">{getLead(review, answered < all)}</p>
        {all > 1 && <Progress answered={answered} all={all} />}
      </header>
      <ol className="flex flex-col gap-6">
        {review.posts.map((post) => (
          <li key={post.id}>
            <SpeechContext value={speech}>
              <PostCard
                post={post}
                sources={review.sources}
                author={association}
                pictures={pictures.addresses}
                onAnswer={answer}
              />
            </SpeechContext>
          </li>
        ))}
      </ol>
      {end === 'done' && (
        <Suspense>
          <Done review={review} loadPictures={pictures.load} />
        </Suspense>
      )}
      {end === 'working' && <Notice title={texts.working.title}>{texts.working.text}</Notice>}
      {review.posts.length > 0 && <Consent pictures={review.posts.some((post) => post.pictures.length > 0)} />}
    </div>
  );
}

function getLead({ posts }: Review, open: boolean): string {
  if (posts.length === 0) return texts.none;
  return open ? texts.lead(posts.length) : texts.leadDone;
}

function Progress({ answered, all }: Readonly<{ answered: number; all: number }>): ReactNode {
  return (
    <div className="mt-5">
      <output className="tabular block text-sm font-medium text-muted">{texts.answered(answered, all)}</output>
      <div aria-hidden className="mt-2.5 flex gap-1.5">
        {Array.from({ length: all }, (_, index) => (
          <span key={index} className={`h-1 flex-1 rounded-full ${index < answered ? 'bg-good' : 'bg-line'}`} />
        ))}
      </div>
    </div>
  );
}

/** What a yes covers and how it is taken back (Art. 7 GDPR), in plain words. */
function Consent({ pictures }: Readonly<{ pictures: boolean }>): ReactNode {
  const { association, privacyUrl } = useSessionStore().config.brand;
  return (
    <section className="border-t border-line pt-6">
      <h2 className="text-lg font-semibold">{texts.consent.title}</h2>
      <ul className="mt-3 flex max-w-measure list-disc flex-col gap-2 pl-5 text-muted marker:text-line-strong">
        {texts.consent.points(association, pictures).map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
      <p className="mt-3">
        <Link href={privacyUrl} className="touch inline-flex items-center">
          {texts.consent.privacy}
        </Link>
      </p>
    </section>
  );
}

type Asked = Readonly<{ status: 'no' | 'busy' | 'sent' }> | Readonly<{ status: 'failed'; problem: ReviewProblem }>;

/**
 * Expired, replaced, unknown or erased: nothing tells which. The key says where a new link goes; a link that was cut
 * has none, so the mail is all that is left.
 */
function InvalidLink({ reviewKey }: Readonly<{ reviewKey: string | undefined }>): ReactNode {
  const [kept] = useState(hasReviewDrafts);
  return (
    <ErrorScreen
      title={texts.invalid.title}
      drawing={<Drawing name="lost" className="mb-6" />}
      {...(reviewKey === undefined ? {} : { action: <NewLink reviewKey={reviewKey} /> })}
    >
      <p>
        {texts.invalid.text} {reviewKey === undefined ? texts.invalid.cut : texts.invalid.newLink}
      </p>
      {kept && <p className="mt-3">{texts.invalid.kept}</p>}
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
        <Notice tone="good" title={texts.invalid.sentTitle} live>
          {texts.invalid.sent}
        </Notice>
      )}
      {asked.status === 'failed' && (
        <Notice tone="error" live>
          {texts.invalid.problem[asked.problem]}
        </Notice>
      )}
      <Button
        wide
        busy={asked.status === 'busy'}
        busyLabel={texts.invalid.requesting}
        onClick={() => void (asked.status === 'busy' || request())}
      >
        {texts.invalid.request}
      </Button>
    </div>
  );
}

/**
 * How the page ends. open: answers are missing · done: everything was answered · working: nothing to answer yet, or
 * again · nothing: the team has stopped all there was.
 */
type ReviewEnd = 'open' | 'done' | 'working' | 'nothing';

export function getReviewEnd(posts: readonly ReviewedPost[]): ReviewEnd {
  const { answered, all } = countAnswered(posts);
  if (answered < all) return 'open';
  // Thanks are for an answer: where the team took everything back, there may be none (decision 0370).
  if (posts.some(({ answer, state }) => answer !== null || state === 'published')) return 'done';
  return posts.some((post) => getPostStatus(post) === 'working') ? 'working' : 'nothing';
}
