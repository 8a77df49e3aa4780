import { queryText } from '../body.ts';
import { FAULTS } from '../errors.ts';
import { publicCall, requireCaptcha } from '../route.ts';
import { refreshSession } from '../sessions/refresh.ts';
import { idTokenGrant } from './id-token-grant.ts';
import { passwordGrant } from './password-grant.ts';
import { pkceGrant } from './pkce-grant.ts';
import { TokenBody } from './token-body.ts';

/** POST /token?grant_type=password|refresh_token|pkce|id_token (supabase-contract §1.4, §1.5). */
export const token = publicCall({ method: 'POST', url: '/token', limit: 'token', body: TokenBody }, async (ask) => {
  switch (queryText(ask.request, 'grant_type')) {
    case 'password':
      await requireCaptcha(ask.context, ask.request);
      return passwordGrant(ask);
    case 'refresh_token':
      return refreshSession(ask.context, ask.body.refresh_token, ask.device);
    case 'pkce':
      return pkceGrant(ask);
    case 'id_token':
      return idTokenGrant(ask);
    default:
      throw FAULTS.unsupportedGrant();
  }
});
