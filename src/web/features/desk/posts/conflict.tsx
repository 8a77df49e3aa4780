import type { ReactNode } from 'react';
import type { Post } from '#contract/posts.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { postTexts } from './texts.ts';
import type { PostDraftState } from './use-post-draft.ts';
import { DiffText } from './versions.tsx';

const texts = postTexts.conflict;

/** Two people wrote: shows both texts beside each other until one is chosen. */
export function Conflict({ post, draft }: Readonly<{ post: Post; draft: PostDraftState }>): ReactNode {
  return (
    <Notice
      tone="caution"
      live
      title={texts.title}
      action={
        <>
          <Button onClick={draft.keepMine}>{texts.keepMine}</Button>
          <Button variant="secondary" onClick={draft.takeSaved}>
            {texts.takeTheirs}
          </Button>
        </>
      }
    >
      <p>{texts.text}</p>
      <div className="mt-3 grid gap-3 sm:grid-cols-2">
        <Side title={texts.mine}>
          <p className="leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">{draft.content.body}</p>
        </Side>
        <Side title={texts.theirs(post.version)}>
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
