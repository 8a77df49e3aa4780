import type { FastifyRequest } from 'fastify';
import { VOICE_TEXT_MAX } from '#contract/limits.ts';
import { formatTranscript, parseTurns, type Turn } from '#contract/transcript.ts';
import {
  VOICE_TICKET_S,
  VoiceTicketRequestSchema,
  type VoiceTicket,
  type VoiceTicketRequest,
} from '#contract/voice.ts';
import { requireHolder } from '../access/callers.ts';
import {
  findUsableEngine,
  mayUseArea,
  toCountedSession,
  voiceRoute,
  type VoiceContext,
  type VoiceSession,
} from '../context.ts';
import { VoiceError } from '../errors.ts';
import type { InterviewRow } from '../turns/store.ts';

/** POST /v1/convai/ticket: gives an authorized caller an address for one connection within 60 s. */
export const issueTicket = voiceRoute(
  { method: 'POST', url: '/v1/convai/ticket', limit: 'sessions and minutes', body: VoiceTicketRequestSchema },
  async ({ context, request, reply, body }) => {
    const session = await createSession(request, body, context);
    const ticket = await context.tickets.issue(session.holder.subject, session);
    return reply.header('cache-control', 'no-store').send(describeTicket(request, ticket, session, context));
  },
);

/** Throws VoiceError; where there is no place, before the database is asked for the interview. */
async function createSession(
  request: FastifyRequest,
  body: VoiceTicketRequest,
  context: VoiceContext,
): Promise<VoiceSession> {
  const holder = await requireHolder(request.headers, context.keys);
  // An interview key opens only the interview it is bound to (D9).
  if (holder.userId === undefined && body.interviewId === undefined) throw new VoiceError('not-authenticated');
  if (body.resume === true && body.interviewId !== undefined)
    await context.conversations.endOf(body.interviewId, holder.subject);
  const engine = await findUsableEngine(context, body);
  const refused = await context.quota.check(toCountedSession(context, { holder, engine }, request));
  if (refused !== undefined) {
    throw new VoiceError(refused === 'capacity' || refused === 'minutes' ? refused : 'too-many');
  }
  const interview = body.interviewId === undefined ? undefined : await context.store.open(holder, body.interviewId);
  if (body.interviewId !== undefined && interview === undefined) throw new VoiceError('interview-not-found');
  if (!(await mayUseArea(context.store, holder, body.area))) throw new VoiceError('forbidden');
  return {
    holder,
    interview,
    engine,
    resume: body.resume === true,
    textOnly: body.textOnly === true || engine === 'browser',
    brief: { area: body.area, topic: body.topic, ...readBackground(body, interview) },
  };
}

function readBackground(
  body: VoiceTicketRequest,
  interview: InterviewRow | undefined,
): Pick<VoiceSession['brief'], 'context' | 'earlier'> {
  const context = body.context?.trim() ?? '';
  if (body.resume !== true) return { context, earlier: [] };
  // A local interview has only the transcript that the browser sends.
  if (interview === undefined) return { context: '', earlier: parseTurns(context) };
  // The turn log cannot be used: it also holds earlier conversations that a new start has replaced.
  const turns = parseTurns(interview.transcript);
  const answered = turns.some(({ speaker }) => speaker === 'user');
  return { context, earlier: takeLatest(answered ? turns : parseTurns(body.transcript ?? '')) };
}

/** The newest turns that together fit into a model's context. */
function takeLatest(turns: readonly Turn[]): readonly Turn[] {
  let left = VOICE_TEXT_MAX;
  return turns.slice(turns.findLastIndex((turn) => (left -= formatTranscript([turn]).length) < 0) + 1);
}

function describeTicket(
  request: FastifyRequest,
  ticket: string,
  session: VoiceSession,
  { settings }: VoiceContext,
): VoiceTicket {
  const asked = `${request.protocol}://${request.host}`;
  // A page of this server under another name may hold the conversation there alone (decision 0395).
  const origin = request.headers.origin === asked ? asked : (settings.publicUrl ?? asked);
  const hasVoice = !session.textOnly;
  return {
    signedUrl: `${origin.replace(/^http/, 'ws')}/v1/convai/conversation?ticket=${ticket}`,
    expiresInS: VOICE_TICKET_S,
    engine: session.engine,
    textOnly: session.textOnly,
    capabilities: {
      transcription: hasVoice,
      speech: hasVoice && (session.engine === 'hosted' || settings.tts !== undefined),
    },
    ...(session.interview === undefined ? {} : { transcript: session.interview.transcript }),
  };
}
