/** Why a move cannot go on; the words for it are in texts.ts. */
export type MoveFaultCode =
  | 'another_move'
  | 'api_away'
  | 'api_failed'
  | 'auth_triggers'
  | 'columns_missing'
  | 'database_away'
  | 'database_failed'
  | 'database_refuses'
  | 'file_differs'
  | 'file_refused'
  | 'file_too_large'
  | 'migrations_unknown'
  | 'no_key'
  | 'not_moved'
  | 'not_ours'
  | 'not_secret'
  | 'not_trusted'
  | 'other_project'
  | 'pooler'
  | 'rights_missing'
  | 'settings_missing'
  | 'source_away'
  | 'source_behind'
  | 'stopped'
  | 'wrong_key';

export class MoveFault extends Error {
  readonly code: MoveFaultCode;
  /** Names, numbers, an answer: what the text names. Never a secret. */
  readonly detail: string;
  constructor(code: MoveFaultCode, detail = '', options?: ErrorOptions) {
    super(`${code} ${detail}`, options);
    this.name = 'MoveFault';
    this.code = code;
    this.detail = detail;
  }
}
