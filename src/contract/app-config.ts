import * as z from 'zod/mini';
import { ROLES } from './roles.ts';

const count = z.int().check(z.positive());

/** Body of `GET /config.json`: what one build of the browser application needs to know of this installation. */
export const LimitsSchema = z.object({
  videoBytes: count,
  imageBytes: count,
  documentBytes: count,
  recordingBytes: count,
  transcriptCharacters: count,
});
export type Limits = z.infer<typeof LimitsSchema>;

export const BrandSchema = z.object({
  association: z.string(),
  product: z.string(),
  imprintUrl: z.string(),
  privacyUrl: z.string(),
});
export type Brand = z.infer<typeof BrandSchema>;

/** What asks whether a person is there, before the backend looks at a login. */
export const CaptchaSchema = z.object({
  provider: z.enum(['hcaptcha', 'turnstile']),
  siteKey: z.string(),
  /** Address of the provider's script. */
  script: z.string(),
});
export type Captcha = z.infer<typeof CaptchaSchema>;

export const AppConfigSchema = z.object({
  /** Absolute; the embedded server names the origin under which it was asked. */
  supabaseUrl: z.string(),
  /** The public (publishable) key. */
  supabaseKey: z.string(),
  brand: BrandSchema,
  limits: LimitsSchema,
  /** Whether the server itself can transcribe. */
  transcription: z.boolean(),
  /** Whether the server streams a text as it grows, and cancels; absent in what a browser kept of an earlier server. */
  transcriptionStream: z.optional(z.boolean()),
  /** Whether a language model writes drafts for the desk; absent in what a browser kept of an earlier server. */
  drafts: z.optional(z.boolean()),
  /** Whether the recording of a voice message is handed in with its transcript. */
  keepRecordings: z.boolean(),
  /** Whether contributors are asked who can be recognised; absent in what a browser kept of an earlier server. */
  imageRights: z.optional(z.boolean()),
  /** Whether files stay as they came, with place and device; absent in what a browser kept of an earlier server. */
  originals: z.optional(z.boolean()),
  /** What contributors agree to with their contact details; absent: nothing is asked. `version` is its SHA-256. */
  consent: z.optional(z.object({ version: z.string(), text: z.string() })),
  /** Days after completion at which contributions are erased; absent: they are kept. */
  retentionDays: z.optional(count),
  /** Whether this server sends the desk's mails; absent in what a browser kept of an earlier server. */
  deskMails: z.optional(z.boolean()),
  /** Whether this server has a mail server; without one its mails stay files. Absent as above. */
  mailServer: z.optional(z.boolean()),
  /** The same for the mails of accounts, which a hosted project sends itself. */
  accountMails: z.optional(z.boolean()),
  /** Whether recognition in the browser's maker's cloud is allowed (speech.md); on-device always is. */
  cloudRecognition: z.boolean(),
  /** D9: contributions without login and without link. */
  openContributions: z.boolean(),
  /** Roles whose logins count only at aal2: until then the database treats them as logins without a role. */
  secondFactorRoles: z.array(z.enum(ROLES)),
  /** Whether a new password needs the present one; absent in what a browser kept of an earlier server. */
  currentPassword: z.optional(z.boolean()),
  /** Characters that a new password needs; absent as above. */
  passwordLength: z.optional(count),
  /** Where the backend asks for one. */
  captcha: z.optional(CaptchaSchema),
});
export type AppConfig = z.infer<typeof AppConfigSchema>;
