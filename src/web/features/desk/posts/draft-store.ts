import * as z from 'zod/mini';
import { PostPictureSchema } from '#contract/posts.ts';

/** What is written and not saved yet. `version`: the version it was made from. */
const KeptDraftSchema = z.object({
  version: z.number(),
  body: z.string(),
  pictures: z.array(PostPictureSchema),
  at: z.number(),
});
export type DraftContent = Pick<z.infer<typeof KeptDraftSchema>, 'body' | 'pictures'>;
type KeptDraft = z.infer<typeof KeptDraftSchema>;

const PREFIX = 'post_draft:';
const KEPT_MS = 7 * 24 * 3_600_000;

/** Drafts on this device outlive a crash and a logout; another account does not see them (decision 0244). */
export type DraftStore = Readonly<{
  read: (post: number) => KeptDraft | undefined;
  /** `false` where the device keeps nothing. */
  keep: (post: number, version: number, content: DraftContent) => boolean;
  forget: (post: number) => void;
}>;

export function openDraftStore(account: string, now: () => number = Date.now): DraftStore {
  const getKey = (post: number): string => `${PREFIX}${account}:${post}`;
  removeOld(now());
  return {
    read: (post) => parseDraft(localStorage.getItem(getKey(post))),
    keep: (post, version, { body, pictures }) => {
      try {
        localStorage.setItem(getKey(post), JSON.stringify({ version, body, pictures, at: now() } satisfies KeptDraft));
        return true;
      } catch {
        return false;
      }
    },
    forget: (post) => localStorage.removeItem(getKey(post)),
  };
}

function removeOld(now: number): void {
  for (const key of Object.keys(localStorage)) {
    if (!key.startsWith(PREFIX)) continue;
    const { at = 0 } = parseDraft(localStorage.getItem(key)) ?? {};
    if (now - at > KEPT_MS) localStorage.removeItem(key);
  }
}

function parseDraft(text: string | null): KeptDraft | undefined {
  try {
    return z.safeParse(KeptDraftSchema, JSON.parse(text ?? 'null')).data;
  } catch {
    return undefined;
  }
}

/** Whether two drafts would be saved as the same version. */
export function isSameDraft(one: DraftContent, other: DraftContent): boolean {
  return one.body === other.body && JSON.stringify(one.pictures) === JSON.stringify(other.pictures);
}
