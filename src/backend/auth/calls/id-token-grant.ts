import { createHash, timingSafeEqual } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { Tx } from '../../database/index.ts';
import { requireUser } from '../authenticate.ts';
import type { Ask } from '../call.ts';
import { AuthError, FAULTS, oauthFault } from '../errors.ts';
import type { Outcome } from '../external/confirmation.ts';
import { enterFrom } from '../external/enter.ts';
import { IdTokenError, verifiedIdToken } from '../external/id-token.ts';
import { linkTo } from '../external/link.ts';
import { profileOfIdToken } from '../external/openid-profile.ts';
import { issuingProvider } from '../external/issuing-provider.ts';
import type { Provider } from '../external/providers.ts';
import { openSession, type SessionJson } from '../sessions/issue.ts';
import type { TokenBody } from './token-body.ts';

const INVALID = 'invalid request';

/** Opens a session for whoever brings an ID token of a configured provider (supabase-contract §1.4). */
export async function idTokenGrant(ask: Ask<TokenBody>): Promise<SessionJson> {
  const { context, body, device } = ask;
  if (body.id_token === '') throw oauthFault(INVALID, 'id_token required');
  if (body.provider === '' && (body.client_id === '' || body.issuer === '')) {
    throw oauthFault(INVALID, 'provider or client_id and issuer required');
  }
  const target = body.link_identity ? await linkingTarget(ask) : undefined;
  const provider = issuingProvider(context, body);
  const claims = await verified(ask, provider);
  checkAudience(claims, provider);
  if (!provider.skipNonceCheck) checkNonce(claims['nonce'], body.nonce);
  const profile = profileOfIdToken(provider, claims);
  const arrived = { provider: provider.name, emailOptional: provider.emailOptional, profile };
  const enter = (tx: Tx): Promise<Outcome> =>
    target === undefined ? enterFrom(tx, ask, arrived) : linkTo(tx, ask, arrived, target);
  const done = await context.database.asOwner(async (tx) => {
    const outcome = await enter(tx);
    if (outcome.kind === 'refused') return outcome;
    return openSession(context, tx, { user: outcome.user, method: 'oauth', device, provider: provider.name });
  });
  if (!('kind' in done)) return done;
  await done.send();
  throw done.fault;
}

async function linkingTarget({ context, request }: Ask<TokenBody>): Promise<string> {
  if (!context.auth.enable_manual_linking) throw FAULTS.manualLinkingDisabled();
  if ((request.headers.authorization ?? '') === '') {
    throw oauthFault(INVALID, 'Linking requires a valid user access token in Authorization');
  }
  return (await requireUser(context, request)).user.id;
}

async function verified({ context, body }: Ask<TokenBody>, provider: Provider): Promise<JWTPayload & { sub: string }> {
  const bad = (cause: unknown): AuthError => {
    context.log.info({ provider: provider.name, cause: String(cause) }, 'ID token refused');
    return oauthFault(INVALID, 'Bad ID token');
  };
  const keys = await context.connections.keysOf(provider).catch((cause: unknown) => {
    context.log.warn({ provider: provider.name, cause: String(cause) }, 'identity provider not reached');
    throw FAULTS.providerSilent();
  });
  if (keys === undefined) throw bad('the provider publishes no keys');
  const { issuer } = (await context.connections.to(provider)).serverMetadata();
  const checks = { issuer, keys, now: context.now(), accessToken: body.access_token };
  const { sub, ...claims } = await verifiedIdToken(body.id_token, checks).catch((cause: unknown) => {
    throw cause instanceof IdTokenError ? bad(cause) : cause;
  });
  if (sub === undefined || sub === '') throw oauthFault(INVALID, 'Missing sub claim in id_token');
  return { ...claims, sub };
}

function checkAudience({ aud }: JWTPayload, { clientIds }: Provider): void {
  const audience = [aud ?? []].flat();
  if (clientIds.some((id) => audience.includes(id))) return;
  throw oauthFault(INVALID, `Unacceptable audience in id_token: [${audience.join(' ')}]`);
}

/** Both or none; the token holds the hash of what only this client knows. */
function checkNonce(claim: unknown, given: string): void {
  const inToken = typeof claim === 'string' ? claim : '';
  if ((inToken === '') !== (given === '')) {
    throw oauthFault(INVALID, 'Passed nonce and nonce in id_token should either both exist or not.');
  }
  if (given === '') return;
  const expected = Buffer.from(createHash('sha256').update(given).digest('hex'));
  const actual = Buffer.from(inToken);
  const matches = expected.length === actual.length && timingSafeEqual(expected, actual);
  if (!matches) throw oauthFault('invalid nonce', 'Nonces mismatch');
}
