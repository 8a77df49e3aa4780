import { readQuery } from '../body.ts';
import { ERRORS } from '../errors.ts';
import { publicRoute, requireCaptcha } from '../route.ts';
import { refreshSession } from '../sessions/refresh.ts';
import { idTokenGrant } from './id-token-grant.ts';
import { passwordGrant } from './password-grant.ts';
import { pkceGrant } from './pkce-grant.ts';
import { TokenBody } from './token-body.ts';

/** POST /token?grant_type=password|refresh_token|pkce|id_token (supabase-contract §1.4, §1.5). */
export const token = publicRoute({ method: 'POST', url: '/token', limit: 'token', body: TokenBody }, async (input) => {
  switch (readQuery(input.request, 'grant_type')) {
    case 'password':
      await requireCaptcha(input.context, input.request);
      return passwordGrant(input);
    case 'refresh_token':
      return refreshSession(input.context, input.body.refresh_token, input.device);
    case 'pkce':
      return pkceGrant(input);
    case 'id_token':
      return idTokenGrant(input);
    default:
      throw ERRORS.unsupportedGrant();
  }
});
