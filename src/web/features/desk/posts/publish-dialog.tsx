import { type ReactNode, useState } from 'react';
import * as z from 'zod/mini';
import type { DeskContribution } from '#contract/desk.ts';
import { type Post, POST_LIMITS } from '#contract/posts.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { SubmitRow, UrlField } from '#web/ui/form-fields.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { ProblemNotice } from '../notices.tsx';
import { parsePublishedLink } from '../state-change/state-dialogs.tsx';
import { deskTexts } from '../texts.ts';
import { UncertainPictures } from './post-notices.tsx';
import { publishTexts as texts } from './publish-texts.ts';
import { isOutdated, usePostAction } from './use-posts.ts';

type PublishProps = Readonly<{
  post: Post;
  files: DeskContribution['fileList'];
  /** Whether a text was typed after the approval. */
  unsaved: boolean;
  onPublished: (post: Post) => void;
  /** Loads the posts again, because somebody else moved this one. */
  onConflict: () => void;
  onClose: () => void;
}>;

/** 'Veröffentlicht': asks for the address of the post in its channel. */
export function PublishDialog(props: PublishProps): ReactNode {
  return (
    <Dialog open onOpenChange={(next) => !next && props.onClose()} title={texts.title} description={texts.text}>
      <PublishForm {...props} />
    </Dialog>
  );
}

const Address = z.object({
  url: z.string().check(
    z.trim(),
    z.minLength(1, texts.missing),
    z.maxLength(POST_LIMITS.url, texts.wrong),
    z.refine((typed) => parsePublishedLink(typed) !== undefined, texts.wrong),
  ),
});

function PublishForm({ post, files, unsaved, onPublished, onConflict, onClose }: PublishProps): ReactNode {
  const [addressBefore] = useState(post.publishedUrl);
  const addressMeanwhile = post.publishedUrl === addressBefore ? null : post.publishedUrl;
  const { run, busy, problem } = usePostAction(
    (functions, url: string) => functions.move(post, { state: 'published', url }),
    (published) => {
      onPublished(published);
      onClose();
    },
    (code) => isOutdated(code) && onConflict(),
  );
  // A post that was taken down keeps its address, which leads nowhere.
  const known = post.state === 'published' ? post.publishedUrl : null;
  const { submit, field } = useForm(Address, { url: known ?? '' }, async ({ url }) => {
    await run(parsePublishedLink(url) ?? url);
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {addressMeanwhile !== null && (
        <Notice tone="caution" title={texts.meanwhile.title} live>
          {texts.meanwhile.text(addressMeanwhile)}
        </Notice>
      )}
      {problem !== undefined && (problem !== 'conflict' || addressMeanwhile === null) && (
        <ProblemNotice problem={problem} />
      )}
      {unsaved && post.state === 'approved' && (
        <Notice tone="caution" title={texts.unsaved.title} live>
          {texts.unsaved.text}
        </Notice>
      )}
      <UncertainPictures posts={[post]} files={files} />
      <UrlField label={texts.url} hint={texts.hint} {...field('url')} />
      <SubmitRow label={texts.confirm} busy={busy} busyLabel={deskTexts.working} onCancel={onClose} />
    </form>
  );
}
