import { useEffect, useMemo, useState } from 'react';
import * as z from 'zod/mini';
import { type Post, PostPictureSchema } from '#contract/posts.ts';
import { useUser } from '#web/backend/session.ts';
import { type DeviceDrafts, openDrafts } from '../device-drafts.ts';
import type { ModelDraft } from './draft-with-model.tsx';
import { isOutdated, usePostAction } from './use-posts.ts';

/** The saved text that the field began with; without content where a kept draft is older than what is saved. */
type Base = Readonly<{ version: number; content: DraftContent | undefined }>;

export type PostDraftState = ReturnType<typeof usePostDraft>;

/**
 * What is typed, until it is saved: kept on the device at once, never replaced by another person's save. `kept`:
 * whether it is safe on this device. `restored`: it was found there.
 */
export function usePostDraft(
  post: Post,
  { onSaved, onConflict }: Readonly<{ onSaved: (post: Post) => void; onConflict: () => void }>,
) {
  const store = useDraftStore();
  const { found, base, setBase, content, setContent, unsaved, isNewer, takeSaved } = useTyped(post, store);
  const [kept, setKept] = useState(true);
  const keep = (text: DraftContent, version: number) => store.keep(post.id, { ...copyContent(text), version });
  const change = (part: Partial<DraftContent>): void => {
    const next = { ...content, ...part };
    setContent(next);
    setKept(keep(next, base.version));
  };
  const { replace, takeBack, written, takeModelDraft, forget } = useReplacing(unsaved, content, change);
  const [sentFrom, setSentFrom] = useState<number>();
  const { run, busy, problem } = usePostAction(
    (posts, sent: DraftContent) =>
      posts.save({ ...post, version: base.version }, { ...copyContent(sent), ...getOrigin(sent, written) }),
    (saved) => {
      setBase({ version: saved.version, content: saved.current });
      forget();
      // What was typed while the save ran belongs to the new version; another tab may have kept its own text since.
      const typed = store.read(post.id);
      if (typed && isSameDraft(typed, content)) keep(typed, saved.version);
      onSaved(saved);
    },
    (code) => isOutdated(code) && onConflict(),
  );
  const keepMine = (): void => {
    setBase({ version: post.version, content: post.current });
    keep(content, post.version);
  };
  const restored = unsaved && found !== undefined && isSameDraft(content, found);
  const typed = { content, change, replace, takeBack, takeModelDraft, unsaved, kept, restored };
  // Somebody saved another text meanwhile: both are shown. While a save runs, the newer version may be its own.
  const conflict = { conflict: isNewer && unsaved && !busy, keepMine, takeSaved };
  const save = (): void => (setSentFrom(base.version), void run(content));
  const isShown = problem !== 'conflict' || (!isNewer && base.version === sentFrom);
  return { ...typed, ...conflict, save, saving: busy, problem: isShown ? problem : undefined };
}

/** Text that takes the place of what was typed, and the way back from it. */
function useReplacing(unsaved: boolean, content: DraftContent, change: (part: Partial<DraftContent>) => void) {
  const [replaced, setReplaced] = useState<readonly Partial<DraftContent>[]>([]);
  /** Puts another text in the place of what was typed. */
  const replace = (part: Partial<DraftContent>): void => {
    if (unsaved) setReplaced([...replaced, part.pictures === undefined ? { body: content.body } : content]);
    change(part);
  };
  // The unsaved text that was replaced last comes back, until the next save.
  const last = replaced.at(-1);
  const takeBack = last && (() => (setReplaced(replaced.slice(0, -1)), change(last)));
  const [written, setWritten] = useState<ModelDraft>();
  /** A text of a language model; saved as such unless it is edited before. */
  const takeModelDraft = (draft: ModelDraft): void => {
    setWritten(draft);
    replace({ body: draft.body });
  };
  return { replace, takeBack, written, takeModelDraft, forget: () => setReplaced([]) };
}

/** What is saved, in the place of what is typed: a published post shows its own text alone (decision 0367). */
export function showSaved(draft: PostDraftState, post: Post): PostDraftState {
  return { ...draft, content: post.current, unsaved: false, restored: false, conflict: false, takeBack: undefined };
}

function useDraftStore(): DraftStore {
  const account = useUser()?.id ?? '';
  return useMemo(() => openDraftStore(account), [account]);
}

/** Tells of a post whether this device has another text than the saved one; no field needs to be open for it. */
export function useUnsavedCheck(): (post: Post) => boolean {
  const store = useDraftStore();
  return (post) => {
    const kept = store.read(post.id);
    return kept !== undefined && !isSameDraft(kept, post.current);
  };
}

export type LostText = Readonly<{ post: Post; body: string }>;

/**
 * The unsaved texts of posts that were in the list before and that somebody else has removed: a post that leaves the
 * list takes its field with it, but not what was typed there.
 */
export function useLostTexts(posts: readonly Post[] | undefined) {
  const store = useDraftStore();
  const [known, setKnown] = useState(posts);
  const [lost, setLost] = useState<readonly LostText[]>([]);
  if (posts !== known) {
    setKnown(posts);
    const gone = (known ?? []).filter(({ id }) => posts?.some((one) => one.id === id) === false);
    const found = gone.flatMap((post) => {
      const kept = store.read(post.id);
      return kept === undefined || isSameDraft(kept, post.current) ? [] : [{ post, body: kept.body }];
    });
    if (found.length > 0) setLost([...lost, ...found]);
  }
  /** Drops what this device has of a post. */
  const drop = (id: number): void => {
    store.forget(id);
    setLost((before) => before.filter(({ post }) => post.id !== id));
  };
  return { lost, drop };
}

/** What stands in the field, and the saved text that it began with. */
function useTyped(post: Post, store: DraftStore) {
  const found = useMemo(() => store.read(post.id), [store, post.id]);
  const [base, setBase] = useState<Base>(() => chooseBase(post, found?.version));
  const [content, setContent] = useState<DraftContent>(() => found ?? post.current);
  const unsaved = base.content === undefined || !isSameDraft(content, base.content);
  const take = ({ version, current }: Pick<Post, 'version' | 'current'>): void => {
    setBase({ version, content: current });
    setContent(current);
  };
  const takeSaved = (): void => {
    store.forget(post.id);
    take(post);
  };
  const isNewer = post.version > base.version;
  if (isNewer && (!unsaved || isSameDraft(content, post.current))) take(post);
  useEffect(() => {
    // Another tab may have kept its own text.
    const kept = unsaved ? undefined : store.read(post.id);
    if (kept !== undefined && isSameDraft(kept, content)) store.forget(post.id);
  }, [store, post.id, unsaved, content]);
  return { found, base, setBase, content, setContent, unsaved, isNewer, takeSaved };
}

function chooseBase(post: Post, kept: number | undefined): Base {
  if (kept === undefined || kept === post.version) return { version: post.version, content: post.current };
  return { version: kept, content: undefined };
}

function getOrigin({ body }: DraftContent, written: ModelDraft | undefined) {
  return written?.body === body && written.model !== ''
    ? ({ origin: 'model', model: written.model } as const)
    : ({ origin: 'person', model: null } as const);
}

function copyContent({ body, pictures }: DraftContent): DraftContent {
  return { body, pictures };
}

/** What is written and not saved yet. `version`: the version it was made from. */
const KeptDraftSchema = z.object({
  version: z.number(),
  body: z.string(),
  pictures: z.array(PostPictureSchema),
});
type KeptDraft = z.infer<typeof KeptDraftSchema>;
export type DraftContent = Pick<KeptDraft, 'body' | 'pictures'>;
type DraftStore = DeviceDrafts<KeptDraft>;

export function openDraftStore(account: string, now?: () => number): DraftStore {
  return openDrafts('post_draft', account, KeptDraftSchema, now);
}

/** Whether two drafts would be saved as the same version. */
function isSameDraft(one: DraftContent, other: DraftContent): boolean {
  return one.body === other.body && JSON.stringify(one.pictures) === JSON.stringify(other.pictures);
}
