import { describe, expect, it } from 'vitest';
import { BackendError, isWorthRetrying, toBackendError, type BackendErrorKind } from './errors.ts';

describe('§8 errors of the backend', () => {
  it.each<[string, number, BackendErrorKind]>([
    ['', 0, 'unreachable'],
    ['42501', 403, 'refused'],
    ['', 401, 'refused'],
    ['23505', 409, 'duplicate'],
    ['23503', 409, 'schema'],
    ['42P01', 404, 'schema'],
    ['PGRST204', 400, 'schema'],
    ['PGRST205', 404, 'schema'],
    ['AccessDenied', 400, 'refused'],
    ['NoSuchBucket', 400, 'missing'],
    ['', 404, 'missing'],
    ['EntityTooLarge', 400, 'too-large'],
    ['', 413, 'too-large'],
    ['', 507, 'full'],
    ['', 429, 'too-many'],
    ['over_contribution_limit', 429, 'too-many'],
    ['transcript_too_long', 413, 'too-long'],
    ['answers_too_long', 413, 'too-long'],
    ['contribution_full', 413, 'contribution-full'],
    ['PT422', 422, 'consent'],
    ['XX000', 500, 'failed'],
  ])('code %j with status %i is %s', (code, status, kind) => {
    expect(toBackendError({ message: 'x', code }, status).kind).toBe(kind);
  });

  it.each<[BackendErrorKind, boolean]>([
    ['unreachable', true],
    ['failed', true],
    ['full', true],
    ['refused', false],
    ['duplicate', false],
    ['schema', false],
    ['missing', false],
    ['too-large', false],
    ['too-many', false],
    ['too-long', false],
    ['contribution-full', false],
    ['aborted', false],
  ])('%s is worth a retry: %s', (kind, expected) => {
    expect(isWorthRetrying(new BackendError(kind, 'x'))).toBe(expected);
  });
});
