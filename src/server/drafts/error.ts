import type { DraftErrorCode } from '#contract/drafts.ts';
import { type Catalogue, errorsOf } from '#http/errors.ts';
import { AnswerTooLongError } from '#http/limited-answer.ts';
import { createParser, SHARED_ERRORS } from '../api-errors.ts';
import { ServiceError } from '../service-request.ts';

const CATALOGUE: Catalogue<DraftErrorCode> = {
  ...SHARED_ERRORS,
  contribution_not_found: [404, 'There is no such contribution'],
  no_material: [422, 'The contribution has no words'],
  material_too_long: [422, 'The contribution has too many words'],
  not_configured: [503, 'No language model is configured'],
  busy: [429, 'Too many drafts are being written'],
  service_rate_limited: [429, 'The language model is busy'],
  service_key_refused: [502, 'The language model does not accept the key'],
  service_rejected: [502, 'The language model rejected the request'],
  service_failed: [502, 'The language model failed'],
  service_unreachable: [502, 'The language model cannot be reached'],
  service_timeout: [504, 'The language model did not answer in time'],
  service_not_a_model: [502, 'The answer is not that of a language model'],
  answer_empty: [502, 'The answer is empty'],
  answer_too_long: [502, 'The answer is too long'],
  answer_repeats: [502, 'The answer repeats itself'],
  answer_not_german: [502, 'The answer is not in German'],
  answer_incomplete: [502, 'The answer breaks off'],
};

export class DraftError extends errorsOf(CATALOGUE) {}

/** Throws DraftError: invalid_request. */
export const parseRequest = createParser(DraftError);

/** Names what went wrong between this server and the language model. */
export function toDraftError(thrown: unknown): DraftError {
  if (thrown instanceof DraftError) return thrown;
  return new DraftError(findCode(thrown), { cause: thrown });
}

function findCode(thrown: unknown): DraftErrorCode {
  if (thrown instanceof ServiceError) return findStatusCode(thrown.status);
  if (thrown instanceof AnswerTooLongError) return 'answer_too_long';
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError') return 'service_timeout';
  // fetch names every failed connection so; one that fails later is 'terminated'.
  if (thrown instanceof TypeError) return thrown.message === 'terminated' ? 'answer_incomplete' : 'service_unreachable';
  return 'internal_error';
}

function findStatusCode(status: number): DraftErrorCode {
  if (status === 0) return 'service_not_a_model';
  if (status === 401 || status === 403) return 'service_key_refused';
  if (status === 408 || status === 504) return 'service_timeout';
  if (status === 429) return 'service_rate_limited';
  return status < 500 ? 'service_rejected' : 'service_failed';
}
