/** Why a model could not be installed, removed or found. */
export type ModelErrorCode =
  | 'unknown_model'
  | 'not_installed'
  /** Another process installs the same model; the running server and a command may. */
  | 'install_running'
  /** `neededBytes` and `freeBytes` say how much is missing. */
  | 'disk_full'
  | 'source_unreachable'
  /** The source answered with `status`. */
  | 'source_refused'
  /** The content is not the file of the catalogue: another one, or changed on its way. */
  | 'wrong_sum'
  | 'file_unreadable'
  | 'aborted';

type ModelErrorDetails = Readonly<{ neededBytes?: number; freeBytes?: number; status?: number }>;

export class ModelError extends Error {
  readonly code: ModelErrorCode;
  readonly details: ModelErrorDetails;
  constructor(code: ModelErrorCode, details: ModelErrorDetails & { cause?: unknown } = {}) {
    const { cause, ...rest } = details;
    super(code, { cause });
    this.name = 'ModelError';
    this.code = code;
    this.details = rest;
  }
}
