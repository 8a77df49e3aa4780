import type { MouseEvent, ReactNode } from 'react';
import { findChannel } from '#contract/channels.ts';
import type { DeskContribution } from '#contract/desk.ts';
import type { Post, PostState } from '#contract/posts.ts';
import type { DeskPost } from '#web/backend/posts.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { Check } from '#web/ui/icons.tsx';
import { Notice, NoticeButton } from '#web/ui/notice.tsx';
import { CircleCheckBig, CircleOff, MailQuestionMark, MessageCircleMore, PencilLine } from '#web/ui/screen-icons.ts';
import { postTexts } from './texts.ts';
import type { LostText, PostDraftState } from './use-post-draft.ts';
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

type FieldNoticeProps = Readonly<{ title: string; text: string; action: string; onAction: () => void; live?: boolean }>;

/** About the text in the field. */
export function FieldNotice({ title, text, action, onAction, live = false }: FieldNoticeProps): ReactNode {
  return (
    <Notice live={live} title={title} action={<FieldButton onPress={onAction}>{action}</FieldButton>}>
      {text}
    </Notice>
  );
}

type FieldButtonProps = Readonly<{ variant?: 'primary'; onPress: () => void; children: string }>;

/** Changes the text in the field and moves the focus there, because the notice with this button disappears. */
export function FieldButton({ onPress, ...button }: FieldButtonProps): ReactNode {
  const press = ({ currentTarget }: MouseEvent): void => {
    currentTarget.closest('section')?.querySelector('textarea')?.focus();
    onPress();
  };
  return <Button variant="secondary" {...button} onClick={press} />;
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
          <FieldButton variant="primary" onPress={draft.keepMine}>
            {conflictTexts.keepMine}
          </FieldButton>
          <FieldButton onPress={draft.takeSaved}>{conflictTexts.takeTheirs}</FieldButton>
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

type LostTextNoticeProps = Readonly<{ lost: LostText; onDrop: () => void }>;

/** The unsaved text of a post that somebody else removed, to take along. */
export function LostTextNotice({ lost: { post, body }, onDrop }: LostTextNoticeProps): ReactNode {
  const { title, text, discard } = postTexts.lost;
  return (
    <Notice
      tone="caution"
      live
      title={title(getChannelName(post.channel))}
      action={
        <>
          <CopyButton text={body} label={postTexts.actions.copy} failed={postTexts.actions.copyFailed} />
          <NoticeButton onClick={onDrop}>{discard}</NoticeButton>
        </>
      }
    >
      <p>{text}</p>
      <p className="mt-3 leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">{body}</p>
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

type UncertainPicturesProps = Readonly<{ posts: readonly Post[]; files: DeskContribution['fileList'] }>;

/** Before a post leaves the team: for how many of its pictures it is unknown who can be recognised. */
export function UncertainPictures({ posts, files }: UncertainPicturesProps): ReactNode {
  const used = new Set(
    posts.flatMap(({ current }) => current.pictures.filter((one) => one.used).map((one) => one.upload)),
  );
  const pictures = files.filter(({ id }) => used.has(id));
  const unknown = pictures.filter(({ imageRights }) => imageRights === 'unknown').length;
  const notAsked = pictures.filter(({ imageRights }) => imageRights === null).length;
  if (unknown + notAsked === 0) return null;
  return (
    <Notice tone="caution" title={postTexts.uncertain.title(unknown, notAsked)}>
      {postTexts.uncertain.text}
    </Notice>
  );
}

const LOOK = {
  draft: { icon: PencilLine, tone: 'neutral' },
  in_review: { icon: MailQuestionMark, tone: 'accent' },
  approved: { icon: Check, tone: 'good' },
  changes_requested: { icon: MessageCircleMore, tone: 'caution' },
  declined: { icon: CircleOff, tone: 'record' },
  published: { icon: CircleCheckBig, tone: 'good' },
} as const satisfies Readonly<Record<PostState, Readonly<{ icon: typeof PencilLine; tone: BadgeTone }>>>;

export function PostBadge({ post: { state, withdrawnAt } }: Readonly<{ post: DeskPost }>): ReactNode {
  const isWithdrawn = state === 'published' && withdrawnAt !== null;
  const { icon: Icon, tone } = LOOK[isWithdrawn ? 'declined' : state];
  return (
    <Badge tone={tone} icon={Icon}>
      {isWithdrawn ? postTexts.answers.withdraw : postTexts.states[state]}
    </Badge>
  );
}

/** A channel that this version does not know is shown as it is. */
export function getChannelName(channel: string): string {
  return findChannel(channel)?.name ?? channel;
}
