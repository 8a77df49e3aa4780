import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import type { ReviewedPost } from '#contract/posts.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { ArrowRight, Check } from '#web/ui/icons.tsx';
import { formatDate } from '#web/ui/format.ts';
import { Notice } from '#web/ui/notice.tsx';
import { texts } from './texts.ts';
import { type AnswerOutcome, getPostStatus, type GivenAnswer, mayAnswer, type PostStatus } from './use-review.ts';
import { readDraft, type WordedAnswer } from './drafts.ts';
import { useAnswer } from './use-answer.ts';
import { WordsForm } from './words-form.tsx';

type AnswerPanelProps = Readonly<{
  post: ReviewedPost;
  channel: string;
  onAnswer: (given: GivenAnswer) => Promise<AnswerOutcome>;
}>;

/** Offers the possible answers, or shows the one given. Sends only at a press. */
export function AnswerPanel({ post, channel, onAnswer }: AnswerPanelProps): ReactNode {
  const { form, begun, choosing, busy, outcome, result, send, open, close, chooseAgain } = useAnswer(post, onAnswer);
  const status = getPostStatus(post);
  const choice = (choosing || status === 'waiting') && mayAnswer(post);
  const allowed = form !== undefined && (form === 'withdraw' ? status === 'published' : mayAnswer(post));
  useFocusWhenClosed(allowed || choice, result);
  const message = outcome === undefined ? undefined : texts.outcome[outcome];
  return (
    <div className="flex flex-col gap-4 border-t border-line px-5 py-5 sm:px-6">
      {message !== undefined && (
        <Notice tone="caution" title={message.title} live>
          {message.text}
        </Notice>
      )}
      <div ref={result} tabIndex={-1} className="flex flex-col gap-4 outline-none empty:hidden">
        {status !== 'waiting' && <Given post={post} status={status} />}
        {form !== undefined && !allowed && <KeptWords post={post.id} />}
      </div>
      {(allowed || choice) && begun !== post.version && message === undefined && (
        <Notice tone="caution" title={texts.newText.title} live>
          {allowed ? texts.newText.words : texts.newText.choice}
        </Notice>
      )}
      {allowed ? (
        <WordsForm key={form} about={form} post={post.id} version={begun} busy={busy} onSend={send} onCancel={close} />
      ) : choice ? (
        <Choice
          meaning={texts.meaning(channel, post.pictures.length)}
          busy={busy}
          onApprove={() => void send('approve', () => '')}
          onOpen={open}
        />
      ) : (
        <WaysOn post={post} status={status} onAgain={chooseAgain} onWithdraw={() => open('withdraw')} />
      )}
    </div>
  );
}

/** Where the team took the post back meanwhile, the pressed button disappears and the message gets the focus. */
function useFocusWhenClosed(answerable: boolean, result: RefObject<HTMLElement | null>): void {
  const before = useRef(answerable);
  useEffect(() => {
    if (before.current && !answerable && document.activeElement === document.body)
      result.current?.focus({ preventScroll: true });
    before.current = answerable;
  }, [answerable, result]);
}

type ChoiceProps = Readonly<{
  meaning: string;
  busy: boolean;
  onApprove: () => void;
  onOpen: (about: WordedAnswer) => void;
}>;

function Choice({ meaning, busy, onApprove, onOpen }: ChoiceProps): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-col gap-2 sm:flex-row sm:flex-wrap">
        <Button icon={Check} busy={busy} busyLabel={texts.sending} onClick={onApprove}>
          {texts.approve}
        </Button>
        <Button variant="secondary" disabled={busy} onClick={() => onOpen('change')}>
          {texts.change}
        </Button>
        <Button variant="quiet" disabled={busy} onClick={() => onOpen('decline')}>
          {texts.decline}
        </Button>
      </div>
      <p className="text-sm text-muted">{meaning}</p>
    </div>
  );
}

type WaysOnProps = Readonly<{
  post: ReviewedPost;
  status: PostStatus;
  onAgain: () => void;
  onWithdraw: () => void;
}>;

function WaysOn({ post, status, onAgain, onWithdraw }: WaysOnProps): ReactNode {
  const published = status === 'published';
  if (status !== 'answered' && !published && post.publishedUrl === null) return null;
  return (
    <div className="flex flex-col gap-2 sm:flex-row sm:flex-wrap">
      {post.publishedUrl !== null && (published || status === 'withdrawn') && (
        <ButtonLink href={post.publishedUrl} target="_blank" rel="noopener noreferrer" icon={ArrowRight}>
          {texts.see}
        </ButtonLink>
      )}
      {published && (
        <Button variant="quiet" onClick={onWithdraw}>
          {texts.withdraw}
        </Button>
      )}
      {status === 'answered' && (
        <Button variant="secondary" onClick={onAgain}>
          {texts.again}
        </Button>
      )}
    </div>
  );
}

/** Shows the answer, or what the team does with the post. */
function Given({ post, status }: Readonly<{ post: ReviewedPost; status: PostStatus }>): ReactNode {
  const { answer } = post;
  return (
    <>
      <p className="font-medium">{describeStatus(post, status)}</p>
      {status === 'answered' && answer !== null && answer.comment.trim() !== '' && (
        <figure className="border-l-2 border-line-strong pl-4">
          <figcaption className="text-sm text-muted">{texts.yourWords}</figcaption>
          <blockquote className="whitespace-pre-wrap wrap-anywhere">{answer.comment}</blockquote>
        </figure>
      )}
    </>
  );
}

function describeStatus({ answer, publishedAt, withdrawnAt }: ReviewedPost, status: PostStatus): string {
  if (status === 'published') return texts.given.published(formatDate(publishedAt ?? ''));
  if (status === 'withdrawn') return texts.given.withdrawn(formatDate(withdrawnAt ?? ''));
  if (status === 'stopped' && publishedAt !== null) return texts.given.takenDown;
  if (status === 'working' || status === 'stopped') return texts.given[status];
  return texts.given[answer === null || answer.answer === 'withdraw' ? 'approve' : answer.answer];
}

/** Words that were not sent before the post was closed; they also stay on the device. */
function KeptWords({ post }: Readonly<{ post: number }>): ReactNode {
  const words = readDraft(post)?.text.trim() ?? '';
  if (words === '') return null;
  return (
    <figure className="border-l-2 border-line-strong pl-4">
      <figcaption className="text-sm text-muted">{texts.keptWords}</figcaption>
      <blockquote className="whitespace-pre-wrap wrap-anywhere">{words}</blockquote>
    </figure>
  );
}
