import { z } from 'zod';
import type { Ask } from '../call.ts';
import { AuthError, FAULTS } from '../errors.ts';
import { isFlowOver } from '../flows/auth-code.ts';
import { takeClientState } from '../records/client-states.ts';
import { findFlow, type FlowStateRow } from '../records/flow-states.ts';

const Uuid = z.guid();

/** The flow that a `state` stands for, if somebody may still come back to it. Throws AuthError. */
export async function findBegun({ context }: Ask, state: string): Promise<FlowStateRow> {
  if (state === '') throw new AuthError(400, 'bad_oauth_callback', 'OAuth state parameter missing');
  if (!Uuid.safeParse(state).success) throw new AuthError(400, 'bad_oauth_state', 'OAuth state parameter is invalid');
  const flow = await context.database.asOwner((tx) => findFlow(tx, state));
  if (flow === undefined || flow.authentication_method !== 'oauth') {
    throw new AuthError(400, 'bad_oauth_state', 'OAuth state not found or expired');
  }
  if (isFlowOver(flow, context.now())) throw new AuthError(400, 'bad_oauth_state', 'OAuth state has expired');
  if (flow.user_id !== null) throw FAULTS.flowUsed();
  return flow;
}

/** What is no fault of the caller's is not told to them; the log gets its cause. */
export function faultOf(error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  const fault = FAULTS.unexpected();
  fault.cause = error;
  return fault;
}

/** Our half of PKCE, for one use. Throws AuthError. */
export async function spendVerifier({ context }: Ask, flow: FlowStateRow): Promise<string> {
  const id = flow.oauth_client_state_id;
  const verifier =
    id === null ? undefined : await context.database.asOwner((tx) => takeClientState(tx, id, flow.provider_type));
  if (verifier === undefined) throw new AuthError(422, 'oauth_client_state_not_found', 'OAuth state not found');
  return verifier;
}

/** For the log: words only, since an error object of a library may carry tokens. */
export function causeOf({ cause, message }: AuthError): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
