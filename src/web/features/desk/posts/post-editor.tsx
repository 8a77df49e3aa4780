import { lazy, type ReactNode, Suspense, useEffect, useId, useRef, useState } from 'react';
import { findChannel } from '#contract/channels.ts';
import type { DeskContribution } from '#contract/desk.ts';
import type { SentenceEvidence } from '#contract/evidence/index.ts';
import { type Post, POST_LIMITS } from '#contract/posts.ts';
import { useBackend } from '#web/backend/client.ts';
import type { DeskPost } from '#web/backend/posts.ts';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { Field } from '#web/ui/field.tsx';
import { Link } from '#web/ui/link.tsx';
import { Notice, useInlineMessage } from '#web/ui/notice.tsx';
import { PostPreview } from '#web/ui/post-preview.tsx';
import { ProblemNotice } from '../notices.tsx';
import { beginFromMaterial, hasWords } from './begin-from-material.ts';
import { draftTexts } from './draft-texts.ts';
import { ChannelCounters, MarkedTextArea, type MarkedTextAreaHandle, PlainCounter } from './marked-text-area.tsx';
import { PictureList, type Upload } from './picture-list.tsx';
import { PostActions } from './post-actions.tsx';
import { Answers, Conflict, FieldButton, FieldNotice, getChannelName, PostBadge } from './post-notices.tsx';
import { publishTexts } from './publish-texts.ts';
import { postTexts as texts } from './texts.ts';
import { type CheckEvidence, nameFact, useBodyEvidence } from './use-evidence.ts';
import { type PostDraftState, showSaved, usePostDraft } from './use-post-draft.ts';
import { Versions } from './versions.tsx';

const DraftWithModel = lazy(() =>
  import('./draft-with-model.tsx').then((module) => ({ default: module.DraftWithModel })),
);

type PostEditorProps = Readonly<{
  contribution: DeskContribution;
  post: DeskPost;
  uploads: readonly Upload[];
  /** Stands below the text on a phone. */
  material: ReactNode;
  check: CheckEvidence;
  onChanged: (post: Post) => void;
  onRemoved: () => void;
  /** Loads the posts again, because somebody else changed one. */
  onConflict: () => void;
  onUnsaved: (unsaved: boolean) => void;
  /** The sentence at the cursor. */
  onActive: (sentence: SentenceEvidence | undefined) => void;
}>;

/** One post: its text with marks and counters, its pictures, its preview, its answers and versions. */
export function PostEditor(props: PostEditorProps): ReactNode {
  const { contribution, post, uploads, material, check, onChanged, onRemoved, onConflict, onUnsaved, onActive } = props;
  const [message, show] = useInlineMessage();
  const typed = usePostDraft(post, { onSaved: (saved) => (show(), onChanged(saved)), onConflict });
  const { unsaved } = typed;
  const readOnly = post.state === 'published';
  const draft = readOnly ? showSaved(typed, post) : typed;
  const { content } = draft;
  useEffect(() => onUnsaved(unsaved), [onUnsaved, unsaved]);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <SectionCard title={getChannelName(post.channel)} action={<PostBadge post={post} />}>
        <div className="flex flex-col gap-5">
          <PostNotices post={post} draft={draft} readOnly={readOnly} unsaved={unsaved} />
          <TextPart
            contribution={contribution}
            post={post}
            draft={draft}
            check={check}
            readOnly={readOnly}
            onActive={onActive}
          />
          {!readOnly && <SaveRow draft={draft} state={post.state} />}
          <PostActions
            files={contribution.fileList}
            post={post}
            body={content.body}
            unsaved={unsaved}
            onChanged={onChanged}
            onRemoved={onRemoved}
            onConflict={onConflict}
          />
        </div>
      </SectionCard>
      {material}
      {post.answers.length > 0 && (
        <SectionCard title={texts.answers.title}>
          <Answers answers={post.answers} />
        </SectionCard>
      )}
      <SectionCard title={texts.pictures.title}>
        <PictureList
          uploads={uploads}
          pictures={content.pictures}
          readOnly={readOnly}
          onChange={(pictures) => draft.change({ pictures })}
        />
      </SectionCard>
      <SectionCard title={texts.preview(getChannelName(post.channel))}>
        <DraftPreview contribution={contribution} post={post} draft={draft} uploads={uploads} />
      </SectionCard>
      <SectionCard title={texts.versions.title}>
        <Versions
          post={post}
          readOnly={readOnly}
          onRestore={({ body, pictures }) => {
            draft.replace({ body, pictures });
            show({ ...texts.versions.restored, variant: 'good' });
          }}
        />
        {message !== undefined && <div className="mt-3">{message}</div>}
      </SectionCard>
    </div>
  );
}

type DraftPreviewProps = Pick<PostEditorProps, 'contribution' | 'post' | 'uploads'> &
  Readonly<{ draft: PostDraftState }>;

/** The same drawing that the contributor sees on the review page. */
function DraftPreview({ contribution, post, draft, uploads }: DraftPreviewProps): ReactNode {
  const { association } = useBackend().config.brand;
  const { body, pictures } = draft.content;
  const shown = pictures
    .filter(({ used }) => used)
    .map(({ upload, alt }) => ({
      url: uploads.find(({ id }) => id === upload)?.url,
      type: contribution.fileList.find(({ id }) => id === upload)?.type ?? '',
      alt,
    }));
  return (
    <div className="mx-auto w-full max-w-[34rem] overflow-hidden rounded-card border border-line pb-4">
      <PostPreview key={post.channel} channel={post.channel} body={body} pictures={shown} author={association} />
    </div>
  );
}

type PartProps = Readonly<{ post: DeskPost; draft: PostDraftState; readOnly: boolean }>;

type PostNoticesProps = PartProps & Readonly<{ unsaved: boolean }>;

function PostNotices({ post, draft, readOnly, unsaved }: PostNoticesProps): ReactNode {
  return (
    <>
      {post.withdrawnAt !== null && post.state === 'published' && (
        <Notice tone="error" title={texts.withdrawn.title}>
          {texts.withdrawn.text}
        </Notice>
      )}
      {post.publishedUrl !== null && post.state === 'published' && (
        <p className="[overflow-wrap:anywhere]">
          {publishTexts.at}{' '}
          <Link href={post.publishedUrl} target="_blank" rel="noreferrer">
            {post.publishedUrl}
          </Link>
        </p>
      )}
      {readOnly && (
        <p className="text-muted">
          {texts.publishedText} {unsaved && texts.publishedUnsaved}
        </p>
      )}
      {draft.conflict && <Conflict post={post} draft={draft} />}
      {draft.restored && !draft.conflict && <FieldNotice {...texts.restored} onAction={draft.takeSaved} />}
      {draft.takeBack !== undefined && !draft.conflict && (
        <FieldNotice live {...draftTexts.replaced} onAction={draft.takeBack} />
      )}
      {draft.problem !== undefined && <ProblemNotice problem={draft.problem} onRetry={draft.save} />}
    </>
  );
}

type TextPartProps = PartProps & Pick<PostEditorProps, 'contribution' | 'check' | 'onActive'>;

function TextPart({ contribution, post, draft, check, readOnly, onActive }: TextPartProps): ReactNode {
  const { body } = draft.content;
  const field = useRef<MarkedTextAreaHandle>(null);
  const [place, setPlace] = useState<number>();
  const sentences = useBodyEvidence(check, body);
  const active = place === undefined ? undefined : sentences.find(({ start, end }) => start <= place && place <= end);
  const channel = findChannel(post.channel);
  const { drafts = false } = useBackend().config;
  useEffect(() => onActive(active), [onActive, active]);
  return (
    <div className="flex flex-col gap-3">
      {body === '' && !readOnly && channel !== undefined && hasWords(contribution) && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-control bg-accent-wash p-4">
          <FieldButton onPress={() => draft.change({ body: beginFromMaterial(contribution, channel.id) })}>
            {texts.begin}
          </FieldButton>
          <p className="min-w-56 flex-1 text-sm">{texts.beginHint}</p>
        </div>
      )}
      {drafts && !readOnly && channel !== undefined && (
        <Suspense>
          <DraftWithModel
            contribution={contribution}
            post={post.id}
            channel={channel.id}
            text={body}
            onDraft={draft.takeModelDraft}
          />
        </Suspense>
      )}
      <Field label={texts.body} hint={texts.bodyHint}>
        <MarkedTextArea
          handle={field}
          value={body}
          readOnly={readOnly}
          maxLength={POST_LIMITS.body}
          sentences={sentences}
          active={active}
          onChange={(text) => draft.change({ body: text })}
          onPlace={setPlace}
        />
      </Field>
      {channel === undefined ? (
        <PlainCounter body={body} />
      ) : (
        <ChannelCounters channel={channel} content={draft.content} />
      )}
      <FactSummary body={body} sentences={sentences} onShow={(start, end) => field.current?.select(start, end)} />
    </div>
  );
}

type FactSummaryProps = Readonly<{
  body: string;
  sentences: readonly SentenceEvidence[];
  onShow: (start: number, end: number) => void;
}>;

/** What the underlining says, as a list for the keyboard and for screen readers. */
function FactSummary({ body, sentences, onShow }: FactSummaryProps): ReactNode {
  const missing = sentences.flatMap(({ facts }) => facts.filter(({ place }) => place === undefined));
  if (body.trim() === '') return null;
  return (
    // Its line is there while the sentences are looked up: else 'Speichern' moves away under a finger.
    <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2 text-sm pointer-coarse:min-h-11">
      <output className={missing.length === 0 ? 'text-good-ink' : 'text-caution-ink'}>
        {sentences.length > 0 && texts.evidence.summary(missing.length)}
      </output>
      {missing.map((fact) => (
        <button
          key={fact.start}
          type="button"
          aria-label={texts.evidence.show(nameFact(body, fact))}
          onClick={() => onShow(fact.start, fact.end)}
          className="inline-flex min-h-8 items-center rounded-sm bg-caution-wash px-2 font-medium text-caution-ink hover:underline pointer-coarse:min-h-11"
        >
          {nameFact(body, fact)}
        </button>
      ))}
    </div>
  );
}

type SaveRowProps = Readonly<{ draft: PostDraftState; state: Post['state'] }>;

/** Over a post that was sent or approved it says what saving ends. */
function SaveRow({ draft, state }: SaveRowProps): ReactNode {
  const { unsaved, saving, conflict, kept } = draft;
  const consequence = useId();
  const ends = state !== 'draft';
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Button
        busy={saving}
        busyLabel={texts.saving}
        idle={!unsaved || conflict}
        aria-describedby={ends ? consequence : undefined}
        onClick={draft.save}
      >
        {texts.save}
      </Button>
      <output className="text-sm text-muted">{unsaved ? (kept ? texts.unsaved : texts.notKept) : texts.saved}</output>
      {ends && (
        <p id={consequence} className="w-full text-sm text-muted">
          {texts.draftAgain}
        </p>
      )}
    </div>
  );
}
