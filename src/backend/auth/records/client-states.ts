import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';

const KEPT_MS = 3_600_000;

/** Our own half of PKCE towards another provider. Takes those along that nobody came back with. */
export async function insertClientState(tx: Tx, provider: string, verifier: string, at: Date): Promise<string> {
  const id = randomUUID();
  await tx.query('delete from auth.oauth_client_states where created_at < $1', [new Date(at.getTime() - KEPT_MS)]);
  await tx.query(
    'insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at) values ($1, $2, $3, $4)',
    [id, provider, verifier, at],
  );
  return id;
}

/** The verifier, for one use. */
export async function takeClientState(tx: Tx, id: string, provider: string): Promise<string | undefined> {
  const sql = 'delete from auth.oauth_client_states where id = $1 and provider_type = $2 returning code_verifier';
  return (await tx.query<{ code_verifier: string }>(sql, [id, provider])).rows[0]?.code_verifier;
}
