import type { AuthContext } from '../context.ts';
import { AuthError } from '../errors.ts';

/** Throws AuthError where company sign-on is switched off. */
export function requireSaml({ auth }: AuthContext): void {
  if (!auth.saml.enabled) throw new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled');
}
