import { useId, type ReactNode } from 'react';
import { findChannel } from '#contract/channels.ts';
import type { Review, ReviewedPost } from '#contract/posts.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Check, Clock, X } from '#web/ui/icons.tsx';
import { PostPreview } from '#web/ui/post-preview.tsx';
import { AnswerPanel } from './answer-panel.tsx';
import { Evidence } from './evidence.tsx';
import { getPostStatus } from './post-status.ts';
import { texts } from './texts.ts';
import type { AnswerOutcome, GivenAnswer } from './use-review.ts';

export type PostCardProps = Readonly<{
  post: ReviewedPost;
  sources: Review['sources'];
  author: string;
  pictures: ReadonlyMap<string, string> | undefined;
  onAnswer: (given: GivenAnswer) => Promise<AnswerOutcome>;
}>;

/** One post: as the channel shows it, on what it rests, and the answer. */
export function PostCard({ post, sources, author, pictures, onAnswer }: PostCardProps): ReactNode {
  const heading = useId();
  const channel = findChannel(post.channel)?.name ?? post.channel;
  return (
    <section aria-labelledby={heading} className="overflow-hidden rounded-card border border-line bg-surface">
      <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 border-b border-line px-5 py-4 sm:px-6">
        <h2 id={heading} className="text-lg font-semibold">
          {channel}
        </h2>
        <StatusBadge post={post} />
      </header>
      <section aria-label={texts.preview(channel)} className="pb-4">
        <PostPreview
          // A new text is folded again.
          key={post.version}
          channel={post.channel}
          body={post.body}
          author={author}
          pictures={post.pictures.map(({ path, type, alt }) => ({ url: pictures?.get(path), type, alt }))}
        />
        <Alternatives post={post} />
      </section>
      <Evidence key={post.version} body={post.body} sources={sources} />
      <AnswerPanel post={post} channel={channel} onAnswer={onAnswer} />
    </section>
  );
}

/** What is read out where a picture cannot be seen is published too, so it is shown. */
function Alternatives({ post }: Readonly<{ post: ReviewedPost }>): ReactNode {
  if (post.pictures.length === 0) return null;
  return (
    <ul className="mt-3 flex flex-col gap-1 px-5 text-sm text-muted sm:px-6">
      {post.pictures.map(({ alt }, index) => (
        <li key={index}>{texts.picture(index + 1, alt)}</li>
      ))}
    </ul>
  );
}

const TONES = {
  waiting: 'accent',
  approve: 'good',
  change: 'caution',
  decline: 'neutral',
  working: 'neutral',
  stopped: 'neutral',
  published: 'good',
  withdrawn: 'neutral',
} as const satisfies Record<keyof typeof texts.status, BadgeTone>;

function StatusBadge({ post }: Readonly<{ post: ReviewedPost }>): ReactNode {
  const status = getPostStatus(post);
  const answer = post.answer?.answer;
  const name = status === 'answered' ? (answer === undefined || answer === 'withdraw' ? 'approve' : answer) : status;
  const Icon = TONES[name] === 'good' ? Check : name === 'decline' || name === 'stopped' ? X : Clock;
  return (
    <Badge tone={TONES[name]} icon={<Icon aria-hidden className="size-4" />}>
      {texts.status[name]}
    </Badge>
  );
}
