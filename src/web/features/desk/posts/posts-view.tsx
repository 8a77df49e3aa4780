import { clsx } from 'clsx';
import { type ReactNode, type Ref, useMemo, useRef, useState } from 'react';
import { CHANNELS } from '#contract/channels.ts';
import type { DeskContribution } from '#contract/desk.ts';
import { collectSources, type SentenceEvidence } from '#contract/evidence/index.ts';
import type { DeskPost, DeskPosts } from '#web/backend/posts.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ChevronDown } from '#web/ui/icons.tsx';
import { Menu, MenuChoice } from '#web/ui/menu.tsx';
import { useInlineMessage } from '#web/ui/notice.tsx';
import { Send } from '#web/ui/screen-icons.ts';
import { useMedia } from '#web/ui/use-media.ts';
import { MailProblemNotice } from '../contribution/contact-card.tsx';
import { MediaSection, useMediaUrls } from '../contribution/media-section.tsx';
import { usePlayers } from '../contribution/players.tsx';
import { describeFiles } from '../contribution/stored-files.ts';
import { contributionTexts } from '../contribution/texts.ts';
import { NoMailServerNotice, ProblemNotice } from '../notices.tsx';
import { deskTexts } from '../texts.ts';
import { EvidencePanel } from './material-panel.tsx';
import { PostEditor } from './post-editor.tsx';
import { getChannelName, LostTextNotice, PostBadge } from './post-notices.tsx';
import { SendDialog } from './send-dialog.tsx';
import { postTexts as texts } from './texts.ts';
import { useEvidence } from './use-evidence.ts';
import { useLostTexts, useUnsavedCheck } from './use-post-draft.ts';
import { countPosts, usePostAction, usePosts } from './use-posts.ts';

type PostsViewProps = Readonly<{
  contribution: DeskContribution;
  /** Undefined until somebody chooses a post. */
  chosen: number | undefined;
  onChoose: (id: number) => void;
}>;

/** The tab 'Posts': the posts of a contribution, one of them in the editor, the material at its right. */
export function PostsView({ contribution, chosen, onChoose }: PostsViewProps): ReactNode {
  const { data, problem, reload, ...posts } = usePosts(contribution.id);
  const [unsaved, setUnsaved] = useState(false);
  const hasUnsaved = useUnsavedCheck();
  const { lost, drop } = useLostTexts(data?.posts);
  const [active, setActive] = useState<SentenceEvidence>();
  const [sending, setSending] = useState(false);
  const [message, show] = useInlineMessage();
  // Gets the focus when a post is removed together with the button that was pressed.
  const add = useRef<HTMLButtonElement>(null);
  const { sources, check, files, media, players } = useMaterial(contribution);
  const wide = useMedia('(min-width: 64rem)');
  if (data === undefined)
    return problem === undefined ? (
      <p className="py-8 text-muted">{texts.loading}</p>
    ) : (
      <ProblemNotice problem={problem} onRetry={reload} />
    );
  const post = data.posts.find(({ id }) => id === chosen) ?? data.posts[0];
  const uploads = files
    .filter(({ use, presence }) => use === 'picture' && presence === 'stored')
    .map((stored) => ({
      id: stored.file.id,
      name: contributionTexts.fileName(stored),
      url: media.urls?.get(stored.file.path),
    }));
  const material = (
    <div className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-20">
      <EvidencePanel contribution={contribution} sources={sources} active={active} players={players} />
      <MediaSection
        files={files.filter(({ use }) => use === 'audio' || use === 'video')}
        media={media}
        players={players}
        contribution={contribution}
      />
    </div>
  );
  return (
    <div className="flex flex-col gap-4">
      <PostsHeader
        add={add}
        contribution={contribution}
        data={data}
        onAdded={(added) => {
          posts.setPost(added);
          onChoose(added.id);
        }}
        onSend={() => {
          show();
          setSending(true);
        }}
        onLinkRenewed={posts.set}
      />
      {message}
      {lost.map((one) => (
        <LostTextNotice key={one.post.id} lost={one} onDrop={() => (add.current?.focus(), drop(one.post.id))} />
      ))}
      {post === undefined ? (
        <EmptyState drawing="post" title={texts.empty}>
          {texts.emptyText}
        </EmptyState>
      ) : (
        <>
          {data.posts.length > 1 && <PostList posts={data.posts} chosen={post.id} onChoose={onChoose} />}
          <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
            <PostEditor
              key={post.id}
              contribution={contribution}
              post={post}
              uploads={uploads}
              material={wide ? null : material}
              check={check}
              onChanged={posts.setPost}
              onRemoved={() => {
                add.current?.focus();
                drop(post.id);
                posts.dropPost(post.id);
                show({ ...texts.actions.removed, variant: 'good' });
              }}
              onConflict={reload}
              onUnsaved={setUnsaved}
              onActive={setActive}
            />
            {wide && material}
          </div>
        </>
      )}
      {sending && (
        <SendDialog
          contribution={contribution}
          posts={data.posts}
          // The open field knows its text also where the device keeps nothing.
          isUnsaved={(one) => (one.id === post?.id && unsaved) || hasUnsaved(one)}
          check={check}
          onSent={(after) => {
            posts.set(after);
            show({ ...texts.send.done, variant: 'good' });
          }}
          onConflict={reload}
          onClose={() => setSending(false)}
        />
      )}
    </div>
  );
}

/** What the posts rest on, and its players. */
function useMaterial({ id, transcript, answers, fileList }: DeskContribution) {
  const sources = useMemo(
    () => collectSources({ transcript: transcript ?? '', answers: answers ?? {} }),
    [transcript, answers],
  );
  const check = useEvidence(sources);
  const files = useMemo(() => describeFiles(fileList), [fileList]);
  return { sources, check, files, media: useMediaUrls(files), players: usePlayers(id) };
}

type PostsHeaderProps = Readonly<{
  /** The button that adds a post. */
  add: Ref<HTMLButtonElement>;
  contribution: DeskContribution;
  data: DeskPosts;
  onAdded: (post: DeskPost) => void;
  onSend: () => void;
  onLinkRenewed: (posts: DeskPosts) => void;
}>;

function PostsHeader({ add, contribution, data, onAdded, onSend, onLinkRenewed }: PostsHeaderProps): ReactNode {
  const { posts } = data;
  const adding = usePostAction(
    (functions, channel: string) =>
      functions.add(contribution.id, channel, { body: '', pictures: [], origin: 'person', model: null }),
    (post) => onAdded({ ...post, answers: [] }),
  );
  const counts = countPosts(posts);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h2 className="text-xl font-semibold">{texts.title}</h2>
          {counts.total > 0 && <p className="tabular text-muted">{deskTexts.posts(counts)}</p>}
        </div>
        <div className="flex flex-wrap gap-2">
          <Menu
            label={texts.addFor}
            trigger={
              <Button
                variant={posts.length === 0 ? 'primary' : 'secondary'}
                ref={add}
                busy={adding.busy}
                icon={ChevronDown}
              >
                {texts.add}
              </Button>
            }
          >
            {Object.values(CHANNELS).map(({ id, name }) => (
              <MenuChoice key={id} onChoose={() => void adding.run(id)}>
                {name}
              </MenuChoice>
            ))}
          </Menu>
          {posts.some(({ state }) => state === 'draft') && (
            <Button icon={Send} onClick={onSend}>
              {texts.send.open}
            </Button>
          )}
        </div>
      </div>
      {adding.problem !== undefined && <ProblemNotice problem={adding.problem} />}
      {data.link !== null && <MailProblemNotice events={contribution.events} />}
      <LinkLine contribution={contribution.id} data={data} onRenewed={onLinkRenewed} />
    </div>
  );
}

type LinkLineProps = Readonly<{ contribution: number; data: DeskPosts; onRenewed: (posts: DeskPosts) => void }>;

function describeLink({ link, mailWaiting }: DeskPosts): string {
  if (mailWaiting) return texts.link.waiting;
  if (link === null) return texts.link.none;
  const opened = link.firstOpenedAt === null ? texts.link.unopened : texts.link.opened(link.firstOpenedAt);
  return [texts.link.sent(link.createdAt), link.expired ? texts.link.expired(link.expiresAt) : opened].join(' · ');
}

/** Whether the link went out and was opened. */
function LinkLine({ contribution, data, onRenewed }: LinkLineProps): ReactNode {
  const [message, show] = useInlineMessage();
  const { run, busy, problem } = usePostAction(
    (functions, _none: undefined) => functions.requestReview(contribution, []),
    (after) => {
      onRenewed(after);
      show({ ...texts.link.againDone, variant: 'good' });
    },
  );
  if (data.posts.every(({ sentVersion }) => sentVersion === null)) return null;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
        <p className="tabular">{describeLink(data)}</p>
        <button
          type="button"
          aria-busy={busy || undefined}
          onClick={() => void run(undefined)}
          className="min-h-8 rounded-sm font-medium text-accent-ink underline underline-offset-4 pointer-coarse:min-h-11"
        >
          {texts.link.again}
        </button>
      </div>
      <NoMailServerNotice />
      {problem !== undefined && <ProblemNotice problem={problem} />}
      {message}
    </>
  );
}

type PostListProps = Readonly<{ posts: readonly DeskPost[]; chosen: number; onChoose: (id: number) => void }>;

function PostList({ posts, chosen, onChoose }: PostListProps): ReactNode {
  return (
    <ul aria-label={texts.list} className="-m-1 flex gap-2 overflow-x-auto p-1 sm:flex-wrap">
      {posts.map((post) => (
        <li key={post.id} className="shrink-0">
          <button
            type="button"
            aria-pressed={post.id === chosen}
            onClick={() => onChoose(post.id)}
            className={clsx(
              'touch flex items-center gap-3 rounded-control border px-3.5 py-2 font-medium transition-colors',
              post.id === chosen
                ? 'border-accent bg-surface'
                : 'border-line text-muted hover:border-ink hover:text-ink',
            )}
          >
            {getChannelName(post.channel)}
            <PostBadge post={post} />
          </button>
        </li>
      ))}
    </ul>
  );
}
