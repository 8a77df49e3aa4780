import type { ReviewErrorCode } from '#contract/review-routes.ts';
import { HttpError, type Catalogue } from '#http/errors.ts';
import { createParser } from '../api-errors.ts';

const CATALOGUE: Catalogue<ReviewErrorCode> = {
  not_authenticated: [401, 'A review key is needed'],
  not_admin: [403, 'Only an administrator may do this'],
  second_factor_needed: [403, 'The role requires a second factor'],
  invalid_request: [400, 'The request is not valid'],
  review_not_found: [404, 'There is no such review'],
  picture_missing: [410, 'The store has no such picture any more'],
  picture_not_cleanable: [422, 'Place and device cannot be removed from this picture with certainty'],
  rate_limited: [429, 'Too many links or pictures were asked for'],
  not_configured: [503, 'No service key is configured'],
  backend_failed: [502, 'The backend did not do it'],
  internal_error: [500, 'Internal error'],
};

export class ReviewError extends HttpError<ReviewErrorCode> {
  constructor(code: ReviewErrorCode, options?: ErrorOptions) {
    const [status, message] = CATALOGUE[code];
    super(status, code, message, options);
  }
}

/** Throws ReviewError: invalid_request. */
export const parseRequest = createParser(ReviewError);
