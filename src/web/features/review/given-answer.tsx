import type { ReactNode } from 'react';
import type { ReviewedPost } from '#contract/posts.ts';
import { formatDate } from '#web/ui/format.ts';
import { readDraft } from './drafts.ts';
import { texts } from './texts.ts';
import type { PostStatus } from './use-review.ts';

/** Shows the answer, or what the team does with the post. */
export function Given({ post, status }: Readonly<{ post: ReviewedPost; status: PostStatus }>): ReactNode {
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

/** Words to an answer that nobody can take now: they stay in sight, and on the device. */
export function KeptWords({ post }: Readonly<{ post: number }>): ReactNode {
  const words = readDraft(post)?.text.trim() ?? '';
  if (words === '') return null;
  return (
    <figure className="border-l-2 border-line-strong pl-4">
      <figcaption className="text-sm text-muted">{texts.keptWords}</figcaption>
      <blockquote className="whitespace-pre-wrap wrap-anywhere">{words}</blockquote>
    </figure>
  );
}
