import * as z from 'zod/mini';

/**
 * Files and people's rights at the desk: bodies and answers of `/v1/desk/…`, for administrators only. Every view,
 * download, export and erasure is in the audit log. Times are ISO 8601.
 */
export const DESK_PATH = '/v1/desk';

/** GET: everything of one contribution as a ZIP. */
export function archivePath(contribution: number): string {
  return `${DESK_PATH}/contributions/${contribution}/archive`;
}

/** GET: one file (`DeskFile.id`) as an attachment; takes ranges. */
export function filePath(contribution: number, file: number): string {
  return `${DESK_PATH}/contributions/${contribution}/files/${file}`;
}

/** GET: the copy of a picture or film for publication, without place and device; no ranges. */
export function cleanFilePath(contribution: number, file: number): string {
  return `${filePath(contribution, file)}/clean`;
}

/** GET: a PDF for the browser's own viewer, inside a frame of this application; anything else is refused. */
export function previewPath(contribution: number, file: number): string {
  return `${filePath(contribution, file)}/preview`;
}

/** GET: text, pictures in order and alternative texts of one post as a ZIP. */
export function postPackagePath(contribution: number, post: number): string {
  return `${DESK_PATH}/contributions/${contribution}/posts/${post}/package`;
}

/**
 * POST /tickets: for one of the paths above, so that a plain link needs no access token. What it would open is looked
 * at first.
 */
export const TicketRequestSchema = z.strictObject({
  path: z
    .string()
    .check(
      z.regex(
        /^\/v1\/desk\/contributions\/[1-9]\d{0,15}\/(archive|files\/[1-9]\d{0,15}(\/preview|\/clean)?|posts\/[1-9]\d{0,15}\/package)$/,
      ),
    ),
});
export type TicketRequest = z.infer<typeof TicketRequestSchema>;

/** `url` begins with a slash; it opens once, within a minute. Ask for it at the moment of the click. */
export const TicketSchema = z.object({ url: z.string() });
export type Ticket = z.infer<typeof TicketSchema>;

const address = z.string().check(z.trim(), z.toLowerCase(), z.maxLength(320), z.regex(/^[^\s@]+@[^\s@]+$/));

const count = z.number();

/** GET /people?email=: what there is about one address, as contact or as account. All 0 and null: nothing. */
export const PersonSchema = z.object({
  email: z.string(),
  contributions: count,
  files: count,
  turns: count,
  feedback: count,
  /** Missing where the database does not know posts yet. */
  posts: z.optional(count),
  /** Mails that wait in the queue or lie in the outbox. */
  mails: count,
  auditEntries: count,
  account: z.nullable(
    z.object({
      id: z.string(),
      role: z.nullable(z.string()),
      /** Whether an erasure may include it. */
      erasable: z.enum(['yes', 'own_account', 'last_admin']),
    }),
  ),
});
export type Person = z.infer<typeof PersonSchema>;

/** POST /exports → Ticket of a ZIP with everything about the address. */
export const ExportRequestSchema = z.strictObject({ email: address });
export type ExportRequest = z.infer<typeof ExportRequestSchema>;

/** POST /erasures → ErasureAnswer. `account`: the account with this address goes too (default: it stays). */
export const ErasureRequestSchema = z.union([
  z.strictObject({ contribution: z.int().check(z.positive()) }),
  z.strictObject({ email: address, account: z.optional(z.boolean()) }),
]);
export type ErasureRequest = z.infer<typeof ErasureRequestSchema>;

/** `discarded`: by the member who had begun it. */
const ErasureSubjectSchema = z.enum(['contribution', 'discarded', 'person', 'retention']);
export type ErasureSubject = z.infer<typeof ErasureSubjectSchema>;

/** What was erased, without a word about whom. */
export const ErasureReceiptSchema = z.object({
  id: z.string(),
  at: z.string(),
  /** An account's id; null: the retention period by itself. */
  by: z.nullable(z.string()),
  what: ErasureSubjectSchema,
  contributions: count,
  files: count,
  turns: count,
  feedback: count,
  /** Notes, changes of state and of assignment. */
  events: count,
  mails: count,
  accounts: count,
  /** Missing where the database does not know posts yet. */
  posts: z.optional(count),
});
export type ErasureReceipt = z.infer<typeof ErasureReceiptSchema>;

/** What takes longer than some seconds goes on by itself, also after a restart of the server. */
export const ErasureAnswerSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('done'), receipt: ErasureReceiptSchema }),
  z.object({ state: z.literal('running'), id: z.string() }),
]);
export type ErasureAnswer = z.infer<typeof ErasureAnswerSchema>;

/** Recorded, not finished: it runs, or it failed and is tried again. Its receipt will have the same id. */
const OpenErasureSchema = z.object({
  id: z.string(),
  at: z.string(),
  by: z.nullable(z.string()),
  what: ErasureSubjectSchema,
});

/** GET /erasures[?after=]: newest first. */
export const ErasureListSchema = z.object({
  open: z.array(OpenErasureSchema),
  receipts: z.array(ErasureReceiptSchema),
  /** For `after`; null on the last page. */
  next: z.nullable(z.string()),
});
export type ErasureList = z.infer<typeof ErasureListSchema>;

/** GET /retention[?after=&before=]: what would go now. */
export const RetentionSchema = z.object({
  /** The configured period (`RETENTION_DAYS`); null: nothing ever goes by itself. */
  days: z.nullable(z.number()),
  /** Handed in before this: would go. Send it back with POST, so that exactly what was shown goes. */
  before: z.nullable(z.string()),
  total: count,
  oldest: z.nullable(z.string()),
  /** Oldest first. */
  items: z.array(
    z.object({ id: z.number(), createdAt: z.string(), transcript: z.string(), contributor: z.string(), files: count }),
  ),
  next: z.nullable(z.string()),
});
export type Retention = z.infer<typeof RetentionSchema>;

/** POST /retention → ErasureAnswer. */
export const RetentionRunSchema = z.strictObject({ before: z.iso.datetime({ offset: true }) });
export type RetentionRun = z.infer<typeof RetentionRunSchema>;

/** Why nothing came or went. The screen has a text for each. */
export const DeskErrorCodeSchema = z.enum([
  'not_authenticated',
  'not_admin',
  /** The role requires a second factor that this session has not shown. */
  'second_factor_needed',
  'invalid_request',
  /** Used, older than a minute, or for something else. */
  'ticket_invalid',
  'contribution_not_found',
  /** The contribution has no such file. */
  'file_not_found',
  'post_not_found',
  /** It should be there, but the store has no such bytes. */
  'file_missing',
  /** The store has a part of it only. */
  'file_damaged',
  /** Place and device cannot be taken out with certainty. */
  'file_not_cleanable',
  /** Nothing is known about this address. */
  'person_not_found',
  'own_account',
  'last_admin',
  'retention_off',
  /** The time sent with POST /retention is later than the period allows. */
  'retention_too_early',
  /** No service key: this server cannot erase. */
  'not_configured',
  'backend_failed',
  /** The erasure is recorded, but a part of it failed; it is tried again by itself. */
  'erasure_unfinished',
  'internal_error',
]);
export type DeskErrorCode = z.infer<typeof DeskErrorCodeSchema>;
export const DeskErrorBodySchema = z.object({ error: z.object({ code: DeskErrorCodeSchema, message: z.string() }) });
