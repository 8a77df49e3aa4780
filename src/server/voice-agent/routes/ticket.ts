import type { FastifyInstance, FastifyRequest } from 'fastify';
import { transcriptOf, turnsOf } from '#contract/transcript.ts';
import {
  VOICE_TICKET_S,
  VoiceTicketRequestSchema,
  type VoiceTicket,
  type VoiceTicketRequest,
} from '#contract/voice.ts';
import { TokenError } from '#http/tokens.ts';
import { holderOf } from '../access/callers.ts';
import { mayEnter } from '../access/rights.ts';
import { sendError, type VoiceErrorCode } from '../errors.ts';
import { engineOf, type Room } from '../room.ts';
import { engineFor } from '../settings.ts';
import type { Interview } from '../turns/store.ts';
import { countVisit, type Visit } from '../visit.ts';

const EARLIER_CHARACTERS = 20_000;

/** POST /v1/convai/ticket: who may talk gets an address for one connection within 60 s. */
export function ticketRoute(app: FastifyInstance, room: Room): void {
  app.post('/v1/convai/ticket', async (request, reply) => {
    const body = VoiceTicketRequestSchema.safeParse(request.body);
    if (!body.success) return sendError(reply, 'invalid');
    const visit = await visitOf(request, body.data, room);
    if (typeof visit === 'string') return sendError(reply, visit);
    const refused = await room.quota.check(countVisit(visit, request));
    if (refused !== undefined) return sendError(reply, refused === 'capacity' ? 'capacity' : 'too-many');
    const ticket = await room.tickets.issue(visit.holder.subject, visit);
    return reply.header('cache-control', 'no-store').send(answer(request, ticket, visit, room));
  });
}

async function visitOf(request: FastifyRequest, body: VoiceTicketRequest, room: Room): Promise<Visit | VoiceErrorCode> {
  const holder = await holderOf(request.headers, room.keys).catch((error: unknown) => {
    if (error instanceof TokenError) return undefined;
    throw error;
  });
  if (holder === undefined) return 'not-authenticated';
  const interview = body.interviewId === undefined ? undefined : await room.store.open(holder, body.interviewId);
  if (body.interviewId !== undefined && interview === undefined) return 'interview-not-found';
  // A key alone is no login: it opens the interview it is bound to and nothing else (D9).
  if (holder.userId === undefined && interview === undefined) return 'not-authenticated';
  if (!(await mayEnter(room.store, holder, body.area))) return 'forbidden';
  const engine = engineOf(room, engineFor(room.settings, body.area, body.topic));
  return {
    holder,
    interview: interview === undefined ? undefined : { id: interview.id, transcript: interview.transcript },
    engine,
    resume: body.resume === true,
    textOnly: body.textOnly === true || engine === 'browser',
    brief: { area: body.area, topic: body.topic, ...background(body, interview) },
  };
}

function background(
  body: VoiceTicketRequest,
  interview: Interview | undefined,
): Pick<Visit['brief'], 'context' | 'earlier'> {
  const context = body.context?.trim() ?? '';
  if (body.resume !== true) return { context, earlier: [] };
  // The row keeps every turn; a local interview has only the transcript that the browser brings along.
  if (interview === undefined) return { context: '', earlier: turnsOf(context) };
  const answered = interview.turns.some(({ speaker }) => speaker === 'user');
  return { context, earlier: lastOf(answered ? interview.turns : turnsOf(body.transcript ?? '')) };
}

/** The newest turns that together stay below what a model should read. */
function lastOf(turns: Interview['turns']): Interview['turns'] {
  const first = turns.findIndex((_, at) => transcriptOf(turns.slice(at)).length <= EARLIER_CHARACTERS);
  return first < 0 ? [] : turns.slice(first);
}

function answer(request: FastifyRequest, ticket: string, visit: Visit, { settings }: Room): VoiceTicket {
  const origin = (settings.publicUrl ?? `${request.protocol}://${request.host}`).replace(/^http/, 'ws');
  const listens = !visit.textOnly;
  return {
    signedUrl: `${origin}/v1/convai/conversation?ticket=${ticket}`,
    expiresInS: VOICE_TICKET_S,
    engine: visit.engine,
    textOnly: visit.textOnly,
    capabilities: {
      transcription: listens,
      speech: listens && (visit.engine === 'hosted' || settings.speech !== undefined),
    },
    ...(visit.resume && visit.interview !== undefined ? { transcript: visit.interview.transcript } : {}),
  };
}
