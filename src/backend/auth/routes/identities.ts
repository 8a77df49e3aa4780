import * as openid from 'openid-client';
import { z } from 'zod';
import type { ProjectConfig } from '../../config.ts';
import type { Tx } from '../../database/index.ts';
import { changeAccount, mergeMetadata, storeProviders } from '../accounts.ts';
import { parseCodeChallenge } from '../auth-code.ts';
import { readQuery } from '../body.ts';
import { AuthError, ERRORS, invalid } from '../errors.ts';
import { buildAuthorizationUrl } from '../external/authorization.ts';
import { getProvider, ProviderError, type Provider } from '../external/providers.ts';
import { readRedirect } from '../redirects.ts';
import { audit } from '../repository/audit.ts';
import { insertClientState, insertFlow } from '../repository/flows.ts';
import { deleteIdentity, findIdentities, type IdentityRow } from '../repository/identities.ts';
import { deleteTokens, isInvitation } from '../repository/one-time-tokens.ts';
import { findUserByEmail, lockUser, updateUser, type UserRow } from '../repository/users.ts';
import { publicRoute, userRoute, type RequestContext } from '../route.ts';

/** GET /authorize?provider&redirect_to&scopes&code_challenge…: 302 to another provider. */
export const authorize = publicRoute({ method: 'GET', url: '/authorize', limit: 'authorize' }, async (input) =>
  input.reply.redirect(await beginAuthorization(input), 302),
);

/** GET /user/identities/authorize: like GET /authorize, but the identity is added to the caller's account. */
export const linkIdentity = userRoute({ method: 'GET', url: '/user/identities/authorize' }, async (input, { user }) => {
  const { context, request, reply } = input;
  if (!context.auth.enable_manual_linking) throw ERRORS.manualLinkingDisabled();
  const url = await beginAuthorization(input, user.id);
  return readQuery(request, 'skip_http_redirect') === 'true' ? { url } : reply.redirect(url, 302);
});

/** Parameters that this service sets itself or that are meant only for it. */
// prettier-ignore
const RESERVED_PARAMETERS = new Set([
  'client_id', 'client_secret', 'redirect_uri', 'response_type', 'response_mode', 'state', 'scope', 'code_challenge',
  'code_challenge_method', 'code_verifier', 'nonce', 'request', 'request_uri',
  'provider', 'scopes', 'redirect_to', 'invite_token', 'skip_http_redirect', 'apikey',
]);

/** Begins a flow and returns the provider's sign-in URL. Throws AuthError. */
async function beginAuthorization(input: RequestContext, linkingTargetId?: string): Promise<string> {
  const { context, request, at } = input;
  const provider = requireProvider(input, readQuery(request, 'provider'));
  const challenge = parseCodeChallenge({
    code_challenge: readQuery(request, 'code_challenge'),
    code_challenge_method: readQuery(request, 'code_challenge_method'),
  });
  const inviteToken = await findInvitation(input);
  const verifier = openid.randomPKCECodeVerifier();
  const referrer = readRedirect(request, context.auth);
  const state = await context.database.asOwner(async (tx) => {
    const clientStateId = await insertClientState(tx, provider.name, verifier, at);
    const flow = { method: 'oauth', provider: provider.name, challenge, inviteToken, linkingTargetId } as const;
    return insertFlow(tx, { ...flow, referrer, clientStateId, at });
  });
  const to = { state, verifier, scopes: readQuery(request, 'scopes'), extra: readExtraParameters(input) };
  return buildAuthorizationUrl(context.connections, provider, to).catch((cause: unknown) => {
    context.log.warn({ provider: provider.name, cause: String(cause) }, 'identity provider not reached');
    throw unsupportedProvider(`provider ${provider.name} could not be reached`);
  });
}

function requireProvider({ context }: RequestContext, name: string): Provider {
  try {
    const provider = getProvider(context.auth, context.externalUrl, name);
    if (provider.secret === '') throw new ProviderError('missing OAuth secret');
    return provider;
  } catch (error) {
    if (error instanceof ProviderError) throw unsupportedProvider(error.message);
    throw error;
  }
}

function unsupportedProvider(why: string): AuthError {
  return invalid(`Unsupported provider: ${why}`);
}

async function findInvitation({ context, request }: RequestContext): Promise<string | undefined> {
  const token = readQuery(request, 'invite_token');
  if (token === '') return undefined;
  if (!(await context.database.asOwner((tx) => isInvitation(tx, token)))) {
    throw new AuthError(404, 'user_not_found', 'User identified by token not found');
  }
  return token;
}

/** Passes `prompt`, `login_hint` and the like on to the provider. */
function readExtraParameters({ request }: RequestContext): Record<string, string> {
  const query = new URL(request.url, 'http://localhost').searchParams;
  return Object.fromEntries([...query].filter(([name]) => !RESERVED_PARAMETERS.has(name.toLowerCase())));
}

const Params = z.object({ identity_id: z.guid() });

/** DELETE /user/identities/{identity_id}: removes an identity, but never the last one. */
export const unlinkIdentity = userRoute(
  { method: 'DELETE', url: '/user/identities/:identity_id' },
  async (input, me) => {
    const { context, request } = input;
    if (!context.auth.enable_manual_linking) throw ERRORS.manualLinkingDisabled();
    const id = Params.safeParse(request.params).data?.identity_id;
    if (id === undefined) throw new AuthError(404, 'validation_failed', 'identity_id must be an UUID');
    await context.database.asOwner(async (tx) => {
      const user = await lockUser(tx, me.user.id);
      if (user === undefined) throw ERRORS.subjectNotFound();
      await unlinkFrom(tx, input, user, id);
    });
    return {};
  },
);

async function unlinkFrom(tx: Tx, input: RequestContext, user: UserRow, id: string): Promise<void> {
  const { at, device } = input;
  const identities = await findIdentities(tx, [user.id]);
  if (identities.length <= 1) {
    const why = 'User must have at least 1 identity after unlinking';
    throw new AuthError(422, 'single_identity_not_deletable', why);
  }
  const identity = identities.find((item) => item.id === id);
  if (identity === undefined) throw new AuthError(422, 'identity_not_found', "Identity doesn't exist");
  await deleteIdentity(tx, id);
  const traits = { identity_id: id, provider: identity.provider };
  await audit(tx, { action: 'identity_unlinked', actorId: user.id, address: device.address, traits, at });
  await storeProviders(tx, await removeContact(tx, input, user, identity), at);
}

function removeContact(
  tx: Tx,
  { context, at }: RequestContext,
  user: UserRow,
  identity: IdentityRow,
): Promise<UserRow> {
  if (identity.provider === 'phone') return updateUser(tx, user.id, { phone: null, phone_confirmed_at: null }, at);
  return chooseNextEmail(tx, context.auth, user, at);
}

/**
 * Keeps the account's address while an identity has it, else chooses the best remaining one: verified before unverified
 * before none. Pending changes end. Throws AuthError where all are taken.
 */
async function chooseNextEmail(tx: Tx, auth: ProjectConfig['auth'], user: UserRow, at: Date): Promise<UserRow> {
  const left = await findIdentities(tx, [user.id]);
  if (left.some(({ email }) => email !== null && email === user.email)) return user;
  const next = await findFreeEmail(
    tx,
    left.toSorted((a, b) => rank(a) - rank(b)),
  );
  if (next === undefined) {
    const why = 'Unable to unlink identity due to email conflict';
    throw new AuthError(422, 'email_conflict_identity_not_deletable', why);
  }
  await deleteTokens(tx, user.id);
  const pending = { email_change: '', email_change_confirm_status: 0, phone_change: '' };
  const verified = next.email !== null && (isVerified(next) || !auth.email.enable_confirmations);
  const kept = verified
    ? {}
    : {
        email_confirmed_at: null,
        raw_user_meta_data: mergeMetadata(user.raw_user_meta_data, { email_verified: false }),
      };
  return changeAccount(tx, user.id, { email: next.email, ...pending, ...kept }, at);
}

function rank(identity: IdentityRow): number {
  if (identity.email === null) return 2;
  return isVerified(identity) ? 0 : 1;
}

function isVerified({ identity_data }: IdentityRow): boolean {
  return identity_data['email_verified'] === true;
}

async function findFreeEmail(tx: Tx, identities: readonly IdentityRow[]): Promise<IdentityRow | undefined> {
  for (const identity of identities) {
    if (identity.email === null || (await findUserByEmail(tx, identity.email)) === undefined) return identity;
  }
  return undefined;
}
