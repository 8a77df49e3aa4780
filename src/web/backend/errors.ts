/**
 * What can go wrong between browser and backend, as far as a screen can act on it. unreachable: no answer · refused:
 * not allowed, or no such row for this caller · duplicate: already there · schema: missing table or column, foreign key
 * (§8 'only logged') · missing: no such bucket or file · no-bucket: it is missing and could not be made · unreadable:
 * the device no longer gives the chosen file · too-large, full, quota, wrong-type: storage limits · too-many: the
 * address has used up its hour · too-long: a text above the limit · contribution-full: the contribution holds as much
 * as it may · consent: the operator asks for one (decision 0267) · aborted: by us.
 */
export type BackendErrorKind =
  | 'unreachable'
  | 'refused'
  | 'duplicate'
  | 'schema'
  | 'missing'
  | 'no-bucket'
  | 'unreadable'
  | 'too-large'
  | 'full'
  | 'too-many'
  | 'too-long'
  | 'contribution-full'
  | 'consent'
  | 'quota'
  | 'wrong-type'
  | 'aborted'
  | 'failed';

/** `message` is the backend's own and never meant for the user; the screen chooses its text by `kind`. */
export class BackendError extends Error {
  override readonly name = 'BackendError';
  readonly kind: BackendErrorKind;
  readonly code: string;

  constructor(kind: BackendErrorKind, message: string, code = '') {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}

/** The parts that PostgREST and storage errors have in common (supabase-contract §2, §3.1). */
export type Refusal = Readonly<{ message: string; code?: string | undefined }>;

const KIND_OF_CODE: Readonly<Record<string, BackendErrorKind>> = {
  '42501': 'refused',
  '23505': 'duplicate',
  '42P01': 'schema',
  '42703': 'schema',
  '23503': 'schema',
  PGRST204: 'schema',
  PGRST205: 'schema',
  AccessDenied: 'refused',
  NoSuchBucket: 'missing',
  NoSuchKey: 'missing',
  EntityTooLarge: 'too-large',
  QuotaExceeded: 'quota',
  InvalidMimeType: 'wrong-type',
  KeyAlreadyExists: 'duplicate',
  BucketAlreadyExists: 'duplicate',
  over_contribution_limit: 'too-many',
  transcript_too_long: 'too-long',
  answers_too_long: 'too-long',
  contribution_full: 'contribution-full',
  PT422: 'consent',
};

const KIND_OF_STATUS: Readonly<Record<number, BackendErrorKind>> = {
  0: 'unreachable',
  401: 'refused',
  403: 'refused',
  404: 'missing',
  409: 'duplicate',
  413: 'too-large',
  429: 'too-many',
  415: 'wrong-type',
  507: 'full',
};

/** A resumable upload answers in plain text; two refusals share its status 413. */
const KIND_OF_MESSAGE: Readonly<Record<string, BackendErrorKind>> = { 'The upload quota is used up': 'quota' };

/** `status` 0 means that no answer came. */
export function toBackendError(refusal: Refusal, status: number): BackendError {
  const code = refusal.code ?? '';
  const kind = KIND_OF_CODE[code] ?? KIND_OF_MESSAGE[refusal.message] ?? KIND_OF_STATUS[status] ?? 'failed';
  return new BackendError(kind, refusal.message, code);
}

export function isKind(error: unknown, kind: BackendErrorKind): boolean {
  return error instanceof BackendError && error.kind === kind;
}

/** Whether the same call may succeed a second later. */
export function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof BackendError)) return true;
  return error.kind === 'unreachable' || error.kind === 'failed' || error.kind === 'full';
}
