import { type ReactNode, useState } from 'react';
import { postPackagePath } from '#contract/desk-files.ts';
import type { DeskContribution } from '#contract/desk.ts';
import type { Post, PostState } from '#contract/posts.ts';
import type { DeskProblem } from '#web/backend/desk.ts';
import { Button, IconButton } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { Menu, MenuChoice } from '#web/ui/menu.tsx';
import { useInlineMessage } from '#web/ui/notice.tsx';
import { Archive, CircleCheckBig, CircleOff, EllipsisVertical, RotateCcw, Trash2 } from '#web/ui/screen-icons.ts';
import { ProblemNotice } from '../notices.tsx';
import { DownloadFailure, useDownloads } from '../use-desk.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import { postTexts } from './texts.ts';
import { isOutdated, usePostAction } from './use-posts.ts';

const texts = postTexts.actions;

type PostActionsProps = Readonly<{
  post: Post;
  files: DeskContribution['fileList'];
  /** What stands in the field, and whether that is not saved. */
  body: string;
  unsaved: boolean;
  onChanged: (post: Post) => void;
  onRemoved: () => void;
  /** Another administrator changed the post meanwhile. */
  onConflict: () => void;
}>;

/** Everything about a post besides its text: publish, package, copy, and the states that the team decides. */
export function PostActions(props: PostActionsProps): ReactNode {
  const { post, files, body, unsaved, onChanged, onRemoved, onConflict } = props;
  const [dialog, setDialog] = useState<'publish' | 'remove'>();
  const [message, show] = useInlineMessage();
  const [moved, setMoved] = useState<PostState>();
  const downloads = useDownloads((server, path) => server.ticket(path));
  const tell = (problem: DeskProblem): void => {
    if (isOutdated(problem)) onConflict();
  };
  const move = usePostAction(
    (posts, state: 'draft' | 'declined') => posts.move(post, { state }),
    (after) => {
      onChanged(after);
      setMoved(after.state);
      show({ title: texts.moved(postTexts.states[after.state]), variant: 'good' });
    },
    tell,
  );
  const remove = usePostAction((posts, _none: undefined) => posts.remove(post), onRemoved, tell);
  const problem = move.problem ?? remove.problem;
  const publishable = post.state === 'approved' || post.state === 'published';
  return (
    <div className="flex flex-col gap-3">
      {problem !== undefined && <ProblemNotice problem={problem} />}
      {moved === post.state && message}
      <DownloadFailure of={downloads} />
      <div className="flex flex-wrap items-center gap-2">
        {publishable && (
          <Button
            variant={post.state === 'approved' ? 'primary' : 'secondary'}
            icon={CircleCheckBig}
            onClick={() => setDialog('publish')}
          >
            {post.state === 'approved' ? texts.publish : texts.address}
          </Button>
        )}
        <CopyButton
          // What was approved goes into the channel, not what was typed after it (decision 0367).
          text={publishable ? post.current.body : body}
          label={unsaved && post.state === 'approved' ? texts.copyApproved : texts.copy}
          failed={texts.copyFailed}
        />
        {/* On a phone the menu goes to the next line with the button before it, not alone. */}
        <div className="flex flex-wrap items-center gap-2">
          <Button
            variant="secondary"
            title={texts.packageHint}
            icon={Archive}
            busy={downloads.preparing.length > 0}
            onClick={() => downloads.download(postPackagePath(post.contribution, post.id))}
          >
            {texts.package}
          </Button>
          <StateMenu post={post} onMove={(state) => void move.run(state)} onRemove={() => setDialog('remove')} />
        </div>
      </div>
      {dialog === 'publish' && (
        <PublishDialog
          post={post}
          files={files}
          unsaved={unsaved}
          onPublished={onChanged}
          onConflict={onConflict}
          onClose={() => setDialog(undefined)}
        />
      )}
      <ConfirmDialog
        open={dialog === 'remove'}
        title={texts.removeTitle}
        description={texts.removeText}
        confirmLabel={texts.remove}
        tone="danger"
        onCancel={() => setDialog(undefined)}
        onConfirm={() => {
          setDialog(undefined);
          void remove.run(undefined);
        }}
      />
    </div>
  );
}

const BACK: Readonly<Record<PostState, string | undefined>> = {
  draft: undefined,
  in_review: texts.takeBack,
  approved: texts.takeBack,
  changes_requested: texts.takeBack,
  declined: texts.reopen,
  published: undefined,
};

type StateMenuProps = Readonly<{ post: Post; onMove: (state: 'draft' | 'declined') => void; onRemove: () => void }>;

function StateMenu({ post, onMove, onRemove }: StateMenuProps): ReactNode {
  const back = BACK[post.state];
  return (
    <Menu label={texts.more} trigger={<IconButton label={texts.more} icon={EllipsisVertical} />}>
      {back !== undefined && (
        <MenuChoice icon={RotateCcw} onChoose={() => onMove('draft')}>
          {back}
        </MenuChoice>
      )}
      {post.state !== 'declined' && (
        <MenuChoice icon={CircleOff} onChoose={() => onMove('declined')}>
          {post.state === 'published' ? texts.takeDown : texts.stop}
        </MenuChoice>
      )}
      {post.sentVersion === null && (
        <MenuChoice icon={Trash2} onChoose={onRemove}>
          {texts.remove}
        </MenuChoice>
      )}
    </Menu>
  );
}
