import * as z from 'zod/mini';
import { SETUP_PATH } from './setup.ts';

/** What this installation can do, part by part, for administrators (`/admin/einrichtung`). */
export const SETUP_PARTS_PATH = `${SETUP_PATH}/parts`;

/** Parts that are tried for real with `POST /v1/setup/parts/…/check`. */
export const CHECKED_PARTS = [
  'address',
  'mail',
  'language-model',
  'voice',
  'storage',
  'backup',
  'retention',
  'second-factors',
] as const;
export type CheckedPart = (typeof CHECKED_PARTS)[number];

const CheckErrorCodeSchema = z.enum([
  'unknown_host',
  'unreachable',
  'timeout',
  'tls_failed',
  'certificate_untrusted',
  'certificate_expired',
  'other_server',
  'body_refused',
  'websocket_refused',
  'login_refused',
  'sender_refused',
  'recipient_refused',
  'mail_refused',
  'key_refused',
  'not_found',
  'busy',
  'not_the_service',
  'empty_answer',
  'service_failed',
  'disk_full',
  'wrong_content',
  'backup_damaged',
  'failed',
]);
export type CheckErrorCode = z.infer<typeof CheckErrorCodeSchema>;

/** What a check has seen of a service that works. */
const FindingsSchema = z.object({
  /** Where the mail went. */
  recipient: z.optional(z.string()),
  /** The language model's answer. */
  text: z.optional(z.string()),
  audioSeconds: z.optional(z.number()),
  bytes: z.optional(z.number()),
  certificateUntil: z.optional(z.string()),
  /** Stored files in the last backup. */
  files: z.optional(z.number()),
  /** The last backup is no longer where it was made, or the server must not read it. */
  moved: z.optional(z.boolean()),
  /** Contributions that the retention period would erase today. */
  due: z.optional(z.number()),
  /** Administrators, and those of them without a second factor. */
  administrators: z.optional(z.number()),
  withoutFactor: z.optional(z.number()),
});
export type CheckFindings = z.infer<typeof FindingsSchema>;

export const PartCheckSchema = z.object({
  at: z.string(),
  seconds: z.number(),
  /** null: it worked. */
  code: z.nullable(CheckErrorCodeSchema),
  /** The service's own words or code, without secrets. */
  reason: z.nullable(z.string()),
  findings: FindingsSchema,
});
export type PartCheck = z.infer<typeof PartCheckSchema>;

/** ready: works as far as the server knows. missing: not configured. broken: configured, and does not work. */
const PartStateSchema = z.enum(['ready', 'missing', 'broken']);
export type PartState = z.infer<typeof PartStateSchema>;

const PART = {
  state: PartStateSchema,
  /** Variables that are missing for it. */
  lacks: z.array(z.string()),
};
/** `check` is the last one since the server started. */
const CHECKED = { ...PART, isChecking: z.boolean(), check: z.nullable(PartCheckSchema) };
const HOST = z.nullable(z.string());

export const BackupSchema = z.object({
  at: z.string(),
  result: z.enum(['done', 'incomplete', 'failed']),
  /** The file's name without its folder; null where it failed. */
  file: z.nullable(z.string()),
  bytes: z.number(),
  /** Stored files that the backup lacks. */
  missing: z.number(),
  /** Why it failed. */
  code: z.nullable(z.string()),
});
export type BackupRecord = z.infer<typeof BackupSchema>;

export const SetupPartsSchema = z.object({
  address: z.object({ ...CHECKED, publicUrl: z.nullable(z.string()) }),
  mail: z.object({ ...CHECKED, host: HOST, sender: z.string() }),
  transcription: z.object({ ...PART, by: z.enum(['service', 'model', 'nothing']) }),
  'language-model': z.object({ ...CHECKED, host: HOST, model: z.string() }),
  voice: z.object({ ...CHECKED, engine: z.enum(['hosted', 'embedded', 'text']), host: HOST }),
  storage: z.object({
    ...CHECKED,
    kind: z.enum(['disk', 's3', 'hosted']),
    /** Of the disk with the data folder; `s3`: with the temporary files; `hosted`: not needed by uploads. */
    freeBytes: z.number(),
    totalBytes: z.number(),
    /** Uploads are refused below it. */
    minimumFreeBytes: z.number(),
  }),
  backup: z.object({
    ...CHECKED,
    isHosted: z.boolean(),
    isOverdue: z.boolean(),
    last: z.nullable(BackupSchema),
    /** Later than `last`. */
    failed: z.nullable(BackupSchema),
  }),
  retention: z.object({ ...CHECKED, days: z.nullable(z.number()) }),
  /** `roles`: null with a hosted project, whose database decides. */
  'second-factors': z.object({ ...CHECKED, roles: z.nullable(z.array(z.string())) }),
  versions: z.object({
    ...PART,
    application: z.string(),
    node: z.string(),
    /** null with a hosted project. */
    database: z.nullable(z.string()),
    /** The newest file in `supabase/migrations`. */
    migration: z.nullable(z.string()),
  }),
});
export type SetupParts = z.infer<typeof SetupPartsSchema>;
export type SetupPartName = keyof SetupParts;

/** An older backup counts as overdue. */
export const BACKUP_OVERDUE_DAYS = 7;
