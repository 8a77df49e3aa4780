/** `ECONNREFUSED`, `ENOSPC`, `23505` … A code may be logged; a message may quote what a person typed. */
export function getErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** An error that programs tell apart by its code. */
export class CodedError<Code extends string = string> extends Error {
  readonly code: Code;
  constructor(code: Code, message: string = code, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

export function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);

export function isDiskFull(error: unknown): boolean {
  return FULL.has(getErrorCode(error) ?? '');
}

/** Code, else name, of any thrown value, for the log. */
export function describeCause(error: unknown): string | undefined {
  return getErrorCode(error) ?? (error instanceof Error ? error.name : undefined);
}

/** Name, code and places in the code: a message may quote what a person typed. */
export function describeFault(error: unknown): Readonly<{ cause: string; code?: string; stack?: readonly string[] }> {
  if (!(error instanceof Error)) return { cause: typeof error };
  const places = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  const code = getErrorCode(error);
  return { cause: error.name, ...(code === undefined ? {} : { code }), stack: places.map((line) => line.trim()) };
}
