import type { ReactNode } from 'react';
import * as z from 'zod/mini';
import type { DeskContribution } from '#contract/desk.ts';
import { POST_LIMITS, type Post } from '#contract/posts.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { SubmitRow } from '#web/ui/form-fields.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { ProblemNotice } from '../notices.tsx';
import { parsePublishedLink } from '../state-change/state-dialogs.tsx';
import { deskTexts } from '../texts.ts';
import { postTexts } from './texts.ts';
import { UncertainPictures } from './uncertain-pictures.tsx';
import { usePostAction } from './use-posts.ts';

const texts = postTexts.publish;

type PublishProps = Readonly<{
  post: Post;
  files: DeskContribution['fileList'];
  onPublished: (post: Post) => void;
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

function PublishForm({ post, files, onPublished, onClose }: PublishProps): ReactNode {
  const { run, busy, problem } = usePostAction(
    (functions, url: string) => functions.move(post, { state: 'published', url }),
    (published) => {
      onPublished(published);
      onClose();
    },
  );
  const { submit, field } = useForm(Address, { url: post.publishedUrl ?? '' }, async ({ url }) => {
    await run(parsePublishedLink(url) ?? url);
  });
  const { error, ...input } = field('url');
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {problem !== undefined && <ProblemNotice problem={problem} />}
      <UncertainPictures posts={[post]} files={files} />
      <Field label={texts.url} hint={texts.hint} error={error} required>
        <TextInput type="url" inputMode="url" autoComplete="off" autoCapitalize="none" spellCheck={false} {...input} />
      </Field>
      <SubmitRow label={texts.confirm} busy={busy} busyLabel={deskTexts.working} onCancel={onClose} />
    </form>
  );
}
