import { VoiceErrorBodySchema, VoiceTicketSchema, type VoiceTicket, type VoiceTicketRequest } from '#contract/voice.ts';
import { findAccessToken } from '#web/backend/access-token.ts';
import type { BackendClient } from '#web/backend/client.ts';
import { LOOK_TIMEOUT_MS, within } from '#web/backend/time-limits.ts';

/**
 * busy: all places are taken. used-up: the minutes of the day. too-many: the person's own places, or those of a guest's
 * network. refused: the person has no right to it. failed: no answer, or an invalid one.
 */
export type TicketErrorCode = 'busy' | 'used-up' | 'too-many' | 'refused' | 'failed';

export class TicketError extends Error {
  override readonly name = 'TicketError';
  readonly code: TicketErrorCode;
  constructor(code: TicketErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** POST /v1/convai/ticket (docs/interview.md). Renews an expired token once. Throws TicketError. */
export async function requestTicket(
  backend: BackendClient,
  request: VoiceTicketRequest,
  signal: AbortSignal,
): Promise<VoiceTicket> {
  await renewForTurns(backend);
  const answer = await post(backend, '/v1/convai/ticket', request, signal);
  if (!answer.ok) throw new TicketError(await readTicketErrorCode(answer), `ticket: ${answer.status}`);
  const ticket = VoiceTicketSchema.safeParse(await answer.json().catch(() => undefined));
  if (!ticket.success) throw new TicketError('failed', 'ticket: invalid answer');
  return ticket.data;
}

/** An interview lasts 15 minutes at most, and its last turns are tried for 10 more. */
const TURNS_S = 25 * 60;

/** A hosted project takes turns only with a token that has not expired, and the server keeps that of the ticket. */
async function renewForTurns({ config, supabase: { auth } }: BackendClient): Promise<void> {
  if (new URL(config.supabaseUrl).origin === location.origin) return;
  const renew = async (): Promise<void> => {
    const { data } = await auth.getSession();
    const leftS = (data.session?.expires_at ?? Infinity) - Date.now() / 1_000;
    if (leftS < TURNS_S) await auth.refreshSession();
  };
  // Without an answer the token at hand has to do.
  await within(LOOK_TIMEOUT_MS, renew()).catch(() => undefined);
}

/** Names the row created after the connection (§4), so that the server writes every turn to it. Throws TicketError. */
export async function bindInterview(
  backend: BackendClient,
  conversationId: string,
  interviewId: number,
): Promise<void> {
  const path = `/v1/convai/conversations/${encodeURIComponent(conversationId)}/interview`;
  const answer = await post(backend, path, { interviewId });
  if (!answer.ok) throw new TicketError(await readTicketErrorCode(answer), `bind: ${answer.status}`);
}

async function post(backend: BackendClient, path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const { auth } = backend.supabase;
  const send = (token: string | undefined): Promise<Response> =>
    fetch(path, {
      method: 'POST',
      headers: getHeaders(backend, token),
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      throw new TicketError('failed', error instanceof Error ? error.name : 'unknown');
    });
  const token = await findAccessToken(backend);
  const first = await send(token);
  if (first.status !== 401 || token === undefined) return first;
  const renewed = await auth.refreshSession();
  return renewed.data.session === null ? first : send(renewed.data.session.access_token);
}

function getHeaders({ config, interviewKey }: BackendClient, token: string | undefined): Record<string, string> {
  return {
    'content-type': 'application/json',
    apikey: config.supabaseKey,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(interviewKey === undefined ? {} : { 'x-interview-key': interviewKey }),
  };
}

async function readTicketErrorCode(answer: Response): Promise<TicketErrorCode> {
  const { status } = answer;
  const body = VoiceErrorBodySchema.safeParse(await answer.json().catch(() => undefined)).data;
  if (body?.error.code === 'minutes') return 'used-up';
  if (status === 429) return 'too-many';
  if (status === 503) return 'busy';
  return status === 401 || status === 403 ? 'refused' : 'failed';
}
