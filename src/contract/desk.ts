/**
 * The desk ('Eingang'): what the provider's team does with what was handed in. Rows come from functions in SQL that
 * only an administrator may call (`rpc('desk_…')`); files, archives and erasures come from the server (`/v1/desk/…`).
 * Times are ISO 8601, ids those of `interviews`.
 */
import * as z from 'zod/mini';
import { IMAGE_RIGHTS } from './media-uploads.ts';

/** 'Neu → In Arbeit → Zur Freigabe → Veröffentlicht' and 'Abgelehnt'. */
export const DESK_STATES = ['new', 'in_progress', 'for_review', 'published', 'rejected'] as const;
export const DeskStateSchema = z.enum(DESK_STATES);
export type DeskState = z.infer<typeof DeskStateSchema>;

export const CONTRIBUTION_KINDS = ['interview', 'voice_message', 'video', 'image', 'document', 'contributor'] as const;
export const ContributionKindSchema = z.enum(CONTRIBUTION_KINDS);
export type ContributionKind = z.infer<typeof ContributionKindSchema>;

export const DESK_SORTS = ['newest', 'oldest', 'changed', 'contributor'] as const;
export type DeskSort = (typeof DESK_SORTS)[number];

/** Earlier databases do not count it. */
const Later = z.optional(z.number());

/** One line of the inbox. */
export const DeskItemSchema = z.object({
  id: z.number(),
  /** An area of `areas.ts`; one that this version does not know is shown as it is. */
  area: z.string(),
  kind: ContributionKindSchema,
  /** A topic of `areas.ts`; null where the flow has none. */
  topic: z.nullable(z.string()),
  /** First and last name, else the account's address, else ''. */
  contributor: z.string(),
  contributorEmail: z.nullable(z.string()),
  createdAt: z.string(),
  changedAt: z.string(),
  state: DeskStateSchema,
  /** Whether the contact details are there (§2.11). */
  finished: z.boolean(),
  files: z.number(),
  assignee: z.nullable(z.string()),
  assigneeEmail: z.nullable(z.string()),
  /** Counts changes: who changes a state names the version they saw. */
  version: z.number(),
  /** The beginning of the transcript, or the place the search found; marks between U+0001 and U+0002. */
  excerpt: z.string(),
  /** Posts that are approved, to be changed, to be taken down, and all that are not stopped; null: none. */
  // oxlint-disable-next-line no-underscore-dangle -- the name that zod/mini gives it
  posts: z._default(
    z.nullable(z.object({ approved: z.number(), changes: Later, withdrawn: Later, total: z.number() })),
    null,
  ),
});
export type DeskItem = z.infer<typeof DeskItemSchema>;

/**
 * What `rpc('desk_inbox', { query })` takes; every field may be left out, and an empty list or text counts as left out.
 * Anything else that is not as described is refused (22023). `search` is PostgreSQL's web search in German: "…", or, -.
 */
export type DeskQuery = Readonly<{
  search?: string;
  areas?: readonly string[];
  kinds?: readonly ContributionKind[];
  states?: readonly DeskState[];
  finished?: boolean;
  /** An account's id, or 'none'. */
  assignee?: string;
  /** Dates, YYYY-MM-DD, both inclusive, Europe/Berlin. */
  from?: string;
  until?: string;
  sort?: DeskSort;
  /** `next` of the page before. */
  after?: string;
  /** 1 to 200, default 50. */
  limit?: number;
}>;

export const DeskPageSchema = z.object({
  items: z.array(DeskItemSchema),
  /** Opaque; null on the last page. */
  next: z.nullable(z.string()),
  /**
   * Of everything the filters (states excepted) let through; capped at 10,000 a state while searching. Empty where
   * counting would take too long: for a phrase that more than 8,000 contributions may have.
   */
  counts: z.record(z.string(), z.number()),
});
export type DeskPage = z.infer<typeof DeskPageSchema>;

export const DeskFileSchema = z.object({
  id: z.number(),
  path: z.string(),
  type: z.string(),
  /** Bytes; null where the store has no such file. */
  size: z.nullable(z.number()),
  createdAt: z.string(),
  /** Null where the contributor was not asked; missing where the database does not know it yet. */
  imageRights: z.optional(z.nullable(z.enum(IMAGE_RIGHTS))),
  /** What the contributor calls it; null for recordings, missing where the database does not know it yet. */
  name: z.optional(z.nullable(z.string())),
});
export type DeskFile = z.infer<typeof DeskFileSchema>;

export const DeskTurnSchema = z.object({
  conversation: z.string(),
  position: z.number(),
  speaker: z.enum(['agent', 'user']),
  content: z.string(),
  at: z.string(),
});
export type DeskTurn = z.infer<typeof DeskTurnSchema>;

/**
 * Who did what, newest first. `note`: `text` is the note. `state`: `from` and `to` are states, `text` the mail's text
 * or the link. `assignment`: `from` and `to` are addresses, null where it is not assigned, '' where the account is
 * gone. `mail`: `from` is the mail (DeskMail), `to` what became of it (DeskMailOutcome), `text` the mail server's
 * answer or null, `by` ''.
 */
export const DeskEventSchema = z.object({
  id: z.number(),
  at: z.string(),
  /** '' where the account is gone. */
  by: z.string(),
  /** `address`: the contributor's was corrected. */
  what: z.enum(['state', 'assignment', 'note', 'mail', 'address']),
  from: z.nullable(z.string()),
  to: z.nullable(z.string()),
  text: z.nullable(z.string()),
  /** Whether a `state` followed the posts; then `by` is '' where the contributor answered. */
  ofPosts: z.optional(z.boolean()),
});
export type DeskEvent = z.infer<typeof DeskEventSchema>;

/**
 * `new`: to the team, a contribution is complete. `review_answer`: to the assignee or the team, a post is to be changed
 * or was withdrawn. The others: to the contributor. `for_review`: the team set the state by hand; no link, answered by
 * mail. `review`: posts were sent (they are `in_review`), or a new link was asked for; with the link, as is
 * `review_reminder`.
 */
export const DESK_MAILS = [
  'new',
  'for_review',
  'published',
  'review',
  'review_reminder',
  'review_answer',
  'receipt',
] as const;
export type DeskMail = (typeof DESK_MAILS)[number];

/**
 * `refused`: by the mail server, for good. `unsure`: handed over without a confirmation; never sent again.
 * `limited`: the address has had its receipts of the day.
 */
export const DESK_MAIL_OUTCOMES = ['sent', 'refused', 'unsure', 'no_address', 'limited'] as const;
export type DeskMailOutcome = (typeof DESK_MAIL_OUTCOMES)[number];

/** `rpc('desk_contribution', { id })`; looking writes the audit log. Without such a one: SQLSTATE PT404 (HTTP 404). */
export const DeskContributionSchema = z.extend(DeskItemSchema, {
  transcript: z.nullable(z.string()),
  answers: z.nullable(z.record(z.string(), z.string())),
  firstName: z.nullable(z.string()),
  lastName: z.nullable(z.string()),
  completedAt: z.nullable(z.string()),
  publishedUrl: z.nullable(z.string()),
  fileList: z.array(DeskFileSchema),
  turns: z.array(DeskTurnSchema),
  events: z.array(DeskEventSchema),
  /** What the contributor agreed to; missing where the database does not know it yet. */
  consents: z.optional(z.array(z.object({ version: z.string(), acceptedAt: z.string(), text: z.string() }))),
});
export type DeskContribution = z.infer<typeof DeskContributionSchema>;

/**
 * `rpc('desk_change', { id, version, change })` → DeskContribution. Somebody else was faster: SQLSTATE PT409 (HTTP
 * 409); a note takes nothing from anybody, so it asks for no version and makes none. `for_review` may bring the text of
 * the mail to the contributor (10,000 characters), `published` must bring the link (http or https, 2,000), a note has 1
 * to 10,000. `email` corrects the contributor's address: links sent before end, and posts that wait for an answer are
 * sent with a new one.
 */
export type DeskChange =
  | Readonly<{ state: DeskState; text?: string; url?: string }>
  | Readonly<{ assignee: string | null }>
  | Readonly<{ note: string }>
  | Readonly<{ email: string }>;

/**
 * `rpc('desk_image_rights', { upload, rights })` → DeskContribution. `rpc('desk_colleagues')`: whom a contribution
 * may be assigned to, and as `locked` who gets no other one: locked, or with one and no administrator any more.
 *
 * `rpc('desk_pulse')` → a text that is another one whenever anything in the list has changed. `rpc('desk_gone', { ids
 * })` → which of these, 10,000 at most, are no longer there. `rpc('desk_audit', { interview_id, what, detail })` adds a
 * line to the table `desk_audit_log`, which admins read and no request changes: `what` like 'file', `detail` an object
 * of numbers and codes, never of names, addresses or texts.
 */
export const DeskColleagueSchema = z.object({ id: z.string(), email: z.string(), locked: z.optional(z.boolean()) });
export type DeskColleague = z.infer<typeof DeskColleagueSchema>;
