import { getErrorCode } from '#lib/error-code.ts';
import { AuthError } from '../../../errors.ts';

const UNIQUE_VIOLATION = '23505';

/** Two administrators at once, or a resource id that is taken. */
export function asConflict(error: unknown): never {
  if (getErrorCode(error) === UNIQUE_VIOLATION) {
    const why = 'Updating SSO provider failed, likely due to a conflict. Try again?';
    throw new AuthError(422, 'conflict', why);
  }
  throw error;
}
