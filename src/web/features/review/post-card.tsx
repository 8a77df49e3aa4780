import { clsx } from 'clsx';
import { type ReactNode, useId, useState } from 'react';
import { findChannel } from '#contract/channels.ts';
import type { Review, ReviewedPost } from '#contract/posts.ts';
import { laterPart } from '#web/backend/later-part.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Check, ChevronDown, Clock, X } from '#web/ui/icons.tsx';
import { PostPreview } from '#web/ui/post-preview.tsx';
import { AnswerPanel } from './answer-panel.tsx';
import type { SupportedSentence } from './list-evidence.ts';
import { nameSource, texts } from './texts.ts';
import { type AnswerOutcome, getPostStatus, type GivenAnswer } from './use-review.ts';

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
    <Badge tone={TONES[name]} icon={Icon}>
      {texts.status[name]}
    </Badge>
  );
}

type Loaded =
  | Readonly<{ status: 'closed' | 'loading' | 'failed' }>
  | Readonly<{ status: 'open'; sentences: readonly SupportedSentence[] }>;

/** On which words of the contributor each sentence rests. Its code is loaded when it is opened. */
function Evidence({ body, sources }: Readonly<{ body: string; sources: Review['sources'] }>): ReactNode {
  const [loaded, setLoaded] = useState<Loaded>({ status: 'closed' });
  const id = useId();
  const open = loaded.status !== 'closed';
  const toggle = (): void => {
    if (open) return setLoaded({ status: 'closed' });
    setLoaded({ status: 'loading' });
    loadEvidence().then(
      ({ listEvidence }) => setLoaded({ status: 'open', sentences: listEvidence(body, sources) }),
      () => setLoaded({ status: 'failed' }),
    );
  };
  return (
    <div className="border-t border-line">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={toggle}
        className="touch flex w-full items-center justify-between gap-3 px-5 py-2.5 text-left font-medium hover:bg-sunken sm:px-6"
      >
        {texts.evidence.open}
        <ChevronDown className={clsx('size-5 shrink-0 text-muted transition-transform', open && 'rotate-180')} />
      </button>
      <div id={id} hidden={!open} className="px-5 pt-1 pb-5 sm:px-6">
        {loaded.status === 'loading' && <output>{texts.evidence.loading}</output>}
        {loaded.status === 'failed' && <p role="alert">{texts.evidence.failed}</p>}
        {loaded.status === 'open' && <Sentences sentences={loaded.sentences} />}
      </div>
    </div>
  );
}

const loadEvidence = laterPart('evidence', () => import('./list-evidence.ts'));
const EVIDENCE_TONES = { quoted: 'good', paraphrased: 'accent', unsupported: 'caution' } as const;

function Sentences({ sentences }: Readonly<{ sentences: readonly SupportedSentence[] }>): ReactNode {
  if (sentences.length === 0) return <p className="text-muted">{texts.evidence.nothing}</p>;
  return (
    <>
      <p className="mb-4 text-sm text-muted">{texts.evidence.lead}</p>
      <ol className="flex flex-col gap-5">
        {sentences.map(({ text, verdict, quote }, index) => (
          <li key={index} className="flex flex-col items-start gap-2">
            <p className="wrap-anywhere">{text}</p>
            <Badge tone={EVIDENCE_TONES[verdict]}>{texts.evidence[verdict]}</Badge>
            {quote === undefined ? (
              <p className="text-sm text-muted">{texts.evidence.check}</p>
            ) : (
              <figure className="border-l-2 border-line-strong pl-4">
                <blockquote className="text-muted wrap-anywhere">„{quote.text}“</blockquote>
                <figcaption className="text-sm text-muted">{nameSource(quote.source)}</figcaption>
              </figure>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
