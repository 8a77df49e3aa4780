import * as z from 'zod/mini';

/** `/v1/setup`: what an administrator sets up in the browser. Each part of the page has routes of its own. */
export const SETUP_PATH = '/v1/setup';

/** A model of the catalogue, or an installed one that the catalogue no longer has. */
const SpeechModelSchema = z.object({
  name: z.string(),
  bytes: z.number(),
  /** Main memory while it is loaded; null where the catalogue no longer has the model. */
  memoryBytes: z.nullable(z.number()),
  licence: z.nullable(z.string()),
  attribution: z.nullable(z.string()),
  isDefault: z.boolean(),
  isInstalled: z.boolean(),
  isInUse: z.boolean(),
  /** What an interrupted download left; the next installation goes on from there. */
  partialBytes: z.number(),
});
export type SpeechModel = z.infer<typeof SpeechModelSchema>;

const InstallationSchema = z.object({
  model: z.string(),
  phase: z.enum(['starting', 'downloading', 'verifying']),
  doneBytes: z.number(),
  totalBytes: z.number(),
});

/** Why an installation ended without a model. */
const InstallErrorCodeSchema = z.enum([
  'install_running',
  'disk_full',
  'source_unreachable',
  'source_refused',
  'wrong_sum',
  'failed',
]);
export type InstallErrorCode = z.infer<typeof InstallErrorCodeSchema>;

const InstallFailureSchema = z.object({
  model: z.string(),
  code: InstallErrorCodeSchema,
  neededBytes: z.optional(z.number()),
  freeBytes: z.optional(z.number()),
});
export type InstallFailure = z.infer<typeof InstallFailureSchema>;

export const TranscriptionSetupSchema = z.object({
  /** What transcribes: the configured service, an installed model, or nothing on the server. */
  by: z.enum(['service', 'model', 'nothing']),
  models: z.array(SpeechModelSchema),
  installation: z.nullable(InstallationSchema),
  failure: z.nullable(InstallFailureSchema),
});
export type TranscriptionSetup = z.infer<typeof TranscriptionSetupSchema>;

/** A model on this server has this long for a spoken answer of an interview. */
export const LOCAL_TURN_S = 60;

/** A transcription of the recording that comes with the server. */
export const RecordingCheckSchema = z.object({
  text: z.string(),
  expected: z.string(),
  /** Share of wrong, missing and extra words: 0 is perfect, and more than 1 is possible. */
  wordErrorRate: z.number(),
  audioSeconds: z.number(),
  seconds: z.number(),
});
export type RecordingCheck = z.infer<typeof RecordingCheckSchema>;

const SetupErrorCodeSchema = z.enum([
  'not_authenticated',
  'not_admin',
  'second_factor_needed',
  'invalid_request',
  'unknown_model',
  'unknown_part',
  'not_configured',
  'rate_limited',
  'not_installed',
  'install_running',
  'check_running',
  'check_too_slow',
  'nothing_transcribes',
  'transcription_failed',
  'model_unusable',
  'engine_out_of_memory',
  'engine_missing',
  'engine_crashed',
  'backend_failed',
  'internal_error',
]);
export type SetupErrorCode = z.infer<typeof SetupErrorCodeSchema>;
export const SetupErrorBodySchema = z.object({
  error: z.object({ code: SetupErrorCodeSchema, message: z.string() }),
});
