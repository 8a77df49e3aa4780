import { VoiceTicketSchema, type VoiceTicket, type VoiceTicketRequest } from '#contract/voice.ts';
import type { BackendClient } from '#web/backend/client.ts';
import { currentInterviewKey } from '#web/backend/interview-key.ts';

/**
 * busy: minutes or places are used up, later it may work. refused: this person may not. failed: no answer, or none to
 * use.
 */
export type TicketFault = 'busy' | 'refused' | 'failed';

export class TicketError extends Error {
  override readonly name = 'TicketError';
  readonly fault: TicketFault;
  constructor(fault: TicketFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** POST /v1/convai/ticket (docs/interview.md). A token that expired meanwhile is renewed once. Throws TicketError. */
export async function askForTicket(
  backend: BackendClient,
  request: VoiceTicketRequest,
  signal: AbortSignal,
): Promise<VoiceTicket> {
  const answer = await post(backend, '/v1/convai/ticket', request, signal);
  if (!answer.ok) throw new TicketError(faultOf(answer.status), `ticket: ${answer.status}`);
  const ticket = VoiceTicketSchema.safeParse(await answer.json().catch(() => undefined));
  if (!ticket.success) throw new TicketError('failed', 'ticket: not understood');
  return ticket.data;
}

/** The row came after the connection (§4): from now on the server writes every turn to it. Throws TicketError. */
export async function bindInterview(
  backend: BackendClient,
  conversationId: string,
  interviewId: number,
): Promise<void> {
  const path = `/v1/convai/conversations/${encodeURIComponent(conversationId)}/interview`;
  const answer = await post(backend, path, { interviewId });
  if (!answer.ok) throw new TicketError(faultOf(answer.status), `bind: ${answer.status}`);
}

async function post(backend: BackendClient, path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const { auth } = backend.supabase;
  const send = (token: string | undefined): Promise<Response> =>
    fetch(path, {
      method: 'POST',
      headers: headersOf(backend, token),
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      throw new TicketError('failed', error instanceof Error ? error.name : 'unknown');
    });
  const { data } = await auth.getSession();
  const first = await send(data.session?.access_token);
  if (first.status !== 401 || data.session === null) return first;
  const renewed = await auth.refreshSession();
  return renewed.data.session === null ? first : send(renewed.data.session.access_token);
}

function headersOf({ config }: BackendClient, token: string | undefined): Record<string, string> {
  const key = currentInterviewKey();
  return {
    'content-type': 'application/json',
    apikey: config.supabaseKey,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(key === undefined ? {} : { 'x-interview-key': key }),
  };
}

function faultOf(status: number): TicketFault {
  if (status === 429 || status === 503) return 'busy';
  return status === 401 || status === 403 ? 'refused' : 'failed';
}
