import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';
import { findRow, insertRow, updateRow } from './rows.ts';

/** The client's PKCE challenge (RFC 7636): only the holder of its verifier gets the session. */
export type CodeChallenge = Readonly<{ challenge: string; method: 's256' | 'plain' }>;

/** The login method of the flow; later the `amr` of the session. */
export type FlowMethod = 'oauth' | 'sso/saml' | 'magiclink' | 'recovery' | 'invite' | 'email/signup' | 'email_change';

export type FlowStateRow = Readonly<{
  id: string;
  user_id: string | null;
  code_challenge: string | null;
  code_challenge_method: CodeChallenge['method'] | null;
  provider_type: string;
  provider_access_token: string | null;
  provider_refresh_token: string | null;
  created_at: Date;
  authentication_method: FlowMethod;
  auth_code_issued_at: Date | null;
  invite_token: string | null;
  referrer: string | null;
  oauth_client_state_id: string | null;
  linking_target_id: string | null;
}>;

const COLUMNS = `id, user_id, code_challenge, code_challenge_method, provider_type, provider_access_token,
  provider_refresh_token, created_at, authentication_method, auth_code_issued_at, invite_token, referrer,
  oauth_client_state_id, linking_target_id`;

type NewFlow = Readonly<{
  method: FlowMethod;
  provider: string;
  challenge: CodeChallenge | undefined;
  userId?: string;
  inviteToken?: string | undefined;
  referrer?: string;
  clientStateId?: string;
  linkingTargetId?: string | undefined;
  at: Date;
}>;

export async function insertFlow(tx: Tx, flow: NewFlow): Promise<string> {
  const id = randomUUID();
  await insertRow(tx, 'auth.flow_state', {
    id,
    user_id: flow.userId,
    code_challenge: flow.challenge?.challenge,
    code_challenge_method: flow.challenge?.method,
    provider_type: flow.provider,
    created_at: flow.at,
    updated_at: flow.at,
    authentication_method: flow.method,
    invite_token: flow.inviteToken,
    referrer: flow.referrer,
    oauth_client_state_id: flow.clientStateId,
    linking_target_id: flow.linkingTargetId,
  });
  return id;
}

/** Locks the row until the transaction ends, so that a flow is finished once. */
export function lockFlow(tx: Tx, id: string): Promise<FlowStateRow | undefined> {
  return findRow(tx, `select ${COLUMNS} from auth.flow_state where id = $1 for update`, [id]);
}

export function findFlow(tx: Tx, id: string): Promise<FlowStateRow | undefined> {
  return findRow(tx, `select ${COLUMNS} from auth.flow_state where id = $1`, [id]);
}

export function lockFlowByCode(tx: Tx, codeHash: string): Promise<FlowStateRow | undefined> {
  return findRow(tx, `select ${COLUMNS} from auth.flow_state where auth_code = $1 for update`, [codeHash]);
}

/** Locks the user's newest flow of this method. */
export function lockLatestFlow(tx: Tx, userId: string, method: FlowMethod): Promise<FlowStateRow | undefined> {
  const sql = `select ${COLUMNS} from auth.flow_state where user_id = $1 and authentication_method = $2
    order by created_at desc limit 1 for update`;
  return findRow(tx, sql, [userId, method]);
}

type IssuedAuthCode = Readonly<{
  userId: string;
  codeHash: string;
  /** Sealed. */
  accessToken?: string | undefined;
  refreshToken?: string | undefined;
  at: Date;
}>;

export async function storeAuthCode(tx: Tx, id: string, issued: IssuedAuthCode): Promise<void> {
  await updateRow(tx, 'auth.flow_state', id, {
    user_id: issued.userId,
    auth_code: issued.codeHash,
    provider_access_token: issued.accessToken,
    provider_refresh_token: issued.refreshToken,
    auth_code_issued_at: issued.at,
    updated_at: issued.at,
  });
}

export async function deleteFlow(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from auth.flow_state where id = $1', [id]);
}

/** Stores our PKCE verifier for the provider. */
export async function insertClientState(tx: Tx, provider: string, verifier: string, at: Date): Promise<string> {
  const id = randomUUID();
  const state = { id, provider_type: provider, code_verifier: verifier, created_at: at };
  await insertRow(tx, 'auth.oauth_client_states', state);
  return id;
}

/** Returns and deletes the verifier. */
export async function takeClientState(tx: Tx, id: string, provider: string): Promise<string | undefined> {
  const sql = 'delete from auth.oauth_client_states where id = $1 and provider_type = $2 returning code_verifier';
  return (await findRow<{ code_verifier: string }>(tx, sql, [id, provider]))?.code_verifier;
}
