import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';

export type RelayStateRow = Readonly<{
  id: string;
  sso_provider_id: string;
  request_id: string;
  redirect_to: string | null;
  flow_state_id: string | null;
  created_at: Date;
}>;

export type NewRelayState = Readonly<{
  ssoProviderId: string;
  requestId: string;
  redirectTo: string;
  flowStateId: string;
  at: Date;
}>;

const KEPT_MS = 24 * 3_600_000;

/** Takes those along that nobody came back with. */
export async function insertRelayState(tx: Tx, state: NewRelayState): Promise<string> {
  const id = randomUUID();
  const { at } = state;
  await tx.query('delete from auth.saml_relay_states where created_at < $1', [new Date(at.getTime() - KEPT_MS)]);
  await tx.query(
    `insert into auth.saml_relay_states (id, sso_provider_id, request_id, redirect_to, flow_state_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6)`,
    [id, state.ssoProviderId, state.requestId, state.redirectTo, state.flowStateId, at],
  );
  return id;
}

/** For one use, whatever comes of it. */
export async function takeRelayState(tx: Tx, id: string): Promise<RelayStateRow | undefined> {
  const sql = `delete from auth.saml_relay_states where id = $1
    returning id, sso_provider_id, request_id, redirect_to, flow_state_id, created_at`;
  return (await tx.query<RelayStateRow>(sql, [id])).rows[0];
}

export type UsedAssertion = Readonly<{ ssoProviderId: string; assertionId: string; until: Date; at: Date }>;

/** False where the same assertion was used before. */
export async function spendAssertion(
  tx: Tx,
  { ssoProviderId, assertionId, until, at }: UsedAssertion,
): Promise<boolean> {
  await tx.query('delete from auth.saml_assertions where expires_at < $1', [at]);
  const sql = `insert into auth.saml_assertions (sso_provider_id, assertion_id, expires_at) values ($1, $2, $3)
    on conflict do nothing returning assertion_id`;
  return (await tx.query(sql, [ssoProviderId, assertionId, until])).rows.length > 0;
}
