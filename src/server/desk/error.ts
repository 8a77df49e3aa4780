import { z } from 'zod';
import type { DeskErrorCode } from '#contract/desk-files.ts';
import { type Catalogue, errorsOf } from '#http/errors.ts';
import { createParser, SHARED_ERRORS } from '../api-errors.ts';

const CATALOGUE: Catalogue<DeskErrorCode> = {
  ...SHARED_ERRORS,
  not_authenticated: [401, 'A valid access token of a living session, or a ticket, is needed'],
  ticket_invalid: [401, 'The ticket was used, is too old or stands for something else'],
  contribution_not_found: [404, 'There is no such contribution'],
  file_not_found: [404, 'The contribution has no such file'],
  post_not_found: [404, 'The contribution has no such post'],
  file_missing: [410, 'The store has no such file any more'],
  file_damaged: [410, 'The store has not all of this file, or not what was uploaded'],
  file_not_cleanable: [422, 'Place and device cannot be removed from this file with certainty'],
  person_not_found: [404, 'Nothing is known about this address'],
  own_account: [409, 'Nobody can erase the own account'],
  last_admin: [409, 'The last administrator has to stay'],
  retention_off: [409, 'No retention period is configured'],
  retention_too_early: [409, 'The retention period is not over at that time'],
  not_configured: [503, 'No service key is configured'],
  erasure_unfinished: [502, 'The erasure is recorded and will be tried again'],
};

export class DeskError extends errorsOf(CATALOGUE) {}

/** What the database answers. Throws DeskError: backend_failed. */
export function getData<T>(answer: Readonly<{ data: T; error: null }> | Readonly<{ data: null; error: Error }>): T {
  if (answer.error !== null) throw new DeskError('backend_failed', { cause: answer.error });
  return answer.data;
}

export const Id = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** Throws DeskError: invalid_request. */
export const parseRequest = createParser(DeskError);
