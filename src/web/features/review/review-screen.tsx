import { lazy, Suspense, useMemo, type ReactNode } from 'react';
import type { Review } from '#contract/posts.ts';
import { useSessionStore } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { CloudOff, RotateCw } from '#web/ui/icons.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { Consent } from './consent.tsx';
import { DeadLink } from './dead-link.tsx';
import { PostCard } from './post-card.tsx';
import { countAnswered } from './post-status.ts';
import { SpeechContext, type LoadRecorder } from './speech.ts';
import { texts } from './texts.ts';
import { useReview } from './use-review.ts';

/** Without a network the answers are shown all the same. */
const Done = lazy(() =>
  import('./done.tsx').then(
    (module) => ({ default: module.Done }),
    () => ({ default: () => null }),
  ),
);

/** What was made of a contribution, for the bearer of its link: to read, to answer, to take along. */
export function ReviewScreen({ loadRecorder }: Readonly<{ loadRecorder: LoadRecorder }>): ReactNode {
  const { key, state, answer, retry, pictures } = useReview();
  const { brand, transcription, transcriptionStream: streams = false } = useSessionStore().config;
  const { association } = brand;
  const speech = useMemo(
    () => (transcription && key !== undefined ? { load: loadRecorder, reviewKey: key, streams } : undefined),
    [transcription, key, loadRecorder, streams],
  );
  if (state.status === 'loading') return <LoadingScreen text={texts.loading} />;
  if (state.status === 'dead') return <DeadLink reviewKey={state.key} />;
  if (state.status === 'unreachable')
    return (
      <ErrorScreen
        title={texts.unreachable.title}
        icon={<CloudOff aria-hidden className="size-7" />}
        action={
          <Button icon={<RotateCw aria-hidden className="size-5" />} onClick={retry}>
            {texts.unreachable.retry}
          </Button>
        }
      >
        {texts.unreachable.text}
      </ErrorScreen>
    );
  const { review } = state;
  const { answered, all } = countAnswered(review.posts);
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
      {review.posts.length > 0 && answered === all && (
        <Suspense>
          <Done review={review} loadPictures={pictures.load} />
        </Suspense>
      )}
      {review.posts.length > 0 && <Consent association={association} />}
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
