import type { ReactNode } from 'react';
import type { Post } from '#contract/posts.ts';
import type { DeskPost } from '#web/backend/posts.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { Notice } from '#web/ui/notice.tsx';
import { postTexts } from './texts.ts';
import type { PostDraftState } from './use-post-draft.ts';
import { DiffText } from './versions.tsx';

const texts = postTexts.answers;

const TONES = {
  approve: 'good',
  change: 'caution',
  decline: 'record',
  withdraw: 'record',
} as const satisfies Readonly<Record<DeskPost['answers'][number]['answer'], BadgeTone>>;

/** What the contributor answered, the newest first. */
export function Answers({ answers }: Pick<DeskPost, 'answers'>): ReactNode {
  return (
    <ol aria-label={texts.title} className="flex flex-col gap-4">
      {answers.toReversed().map(({ answer, comment, at, version }) => (
        <li key={at} className="flex flex-col items-start gap-1">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={TONES[answer]}>{texts[answer]}</Badge>
            <span className="tabular text-sm text-muted">
              {formatMoment(at)} · {texts.of(version)}
            </span>
          </p>
          {comment !== '' && (
            <p className="border-l-2 border-line-strong pl-3 leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
              {comment}
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

const conflictTexts = postTexts.conflict;

/** Two people wrote: shows both texts beside each other until one is chosen. */
export function Conflict({ post, draft }: Readonly<{ post: Post; draft: PostDraftState }>): ReactNode {
  return (
    <Notice
      tone="caution"
      live
      title={conflictTexts.title}
      action={
        <>
          <Button onClick={draft.keepMine}>{conflictTexts.keepMine}</Button>
          <Button variant="secondary" onClick={draft.takeSaved}>
            {conflictTexts.takeTheirs}
          </Button>
        </>
      }
    >
      <p>{conflictTexts.text}</p>
      <div className="mt-3 grid gap-3 sm:grid-cols-2">
        <Side title={conflictTexts.mine}>
          <p className="leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">{draft.content.body}</p>
        </Side>
        <Side title={conflictTexts.theirs(post.version)}>
          <DiffText before={draft.content.body} after={post.current.body} />
        </Side>
      </div>
    </Notice>
  );
}

function Side({ title, children }: Readonly<{ title: string; children: ReactNode }>): ReactNode {
  return (
    <section className="min-w-0 rounded-control border border-line bg-surface p-3">
      <h3 className="mb-1 text-sm font-medium">{title}</h3>
      {children}
    </section>
  );
}
