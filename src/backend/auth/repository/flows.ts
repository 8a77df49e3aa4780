import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';

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
  const { challenge, at } = flow;
  await tx.query(
    `insert into auth.flow_state (id, user_id, code_challenge, code_challenge_method, provider_type, created_at,
      updated_at,
       authentication_method, invite_token, referrer, oauth_client_state_id, linking_target_id)
     values ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9, $10, $11)`,
    [
      id,
      flow.userId,
      challenge?.challenge,
      challenge?.method,
      flow.provider,
      at,
      flow.method,
      flow.inviteToken,
      flow.referrer,
      flow.clientStateId,
      flow.linkingTargetId,
    ],
  );
  return id;
}

/** Locks the row until the transaction ends, so that a flow is finished once. */
export async function lockFlow(tx: Tx, id: string): Promise<FlowStateRow | undefined> {
  return (await tx.query<FlowStateRow>(`select ${COLUMNS} from auth.flow_state where id = $1 for update`, [id]))
    .rows[0];
}

export async function findFlow(tx: Tx, id: string): Promise<FlowStateRow | undefined> {
  return (await tx.query<FlowStateRow>(`select ${COLUMNS} from auth.flow_state where id = $1`, [id])).rows[0];
}

export async function lockFlowByCode(tx: Tx, codeHash: string): Promise<FlowStateRow | undefined> {
  const sql = `select ${COLUMNS} from auth.flow_state where auth_code = $1 for update`;
  return (await tx.query<FlowStateRow>(sql, [codeHash])).rows[0];
}

/** Locks the user's newest flow of this method. */
export async function lockLatestFlow(tx: Tx, userId: string, method: FlowMethod): Promise<FlowStateRow | undefined> {
  const sql = `select ${COLUMNS} from auth.flow_state where user_id = $1 and authentication_method = $2
    order by created_at desc limit 1 for update`;
  return (await tx.query<FlowStateRow>(sql, [userId, method])).rows[0];
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
  await tx.query(
    `update auth.flow_state set user_id = $2, auth_code = $3, provider_access_token = $4, provider_refresh_token = $5,
       auth_code_issued_at = $6, updated_at = $6 where id = $1`,
    [id, issued.userId, issued.codeHash, issued.accessToken, issued.refreshToken, issued.at],
  );
}

export async function deleteFlow(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from auth.flow_state where id = $1', [id]);
}

/** Stores our PKCE verifier for the provider. */
export async function insertClientState(tx: Tx, provider: string, verifier: string, at: Date): Promise<string> {
  const id = randomUUID();
  await tx.query(
    'insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at) values ($1, $2, $3, $4)',
    [id, provider, verifier, at],
  );
  return id;
}

/** Returns and deletes the verifier. */
export async function takeClientState(tx: Tx, id: string, provider: string): Promise<string | undefined> {
  const sql = 'delete from auth.oauth_client_states where id = $1 and provider_type = $2 returning code_verifier';
  return (await tx.query<{ code_verifier: string }>(sql, [id, provider])).rows[0]?.code_verifier;
}
