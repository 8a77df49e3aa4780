import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Route } from '#http/route.ts';
import { describeCause } from '#lib/error-code.ts';
import { formatTranscript } from '#contract/transcript.ts';
import { CONVERSATION_PATH } from '#contract/voice.ts';
import { mayUseArea, toCountedSession, watchRights, type VoiceContext, type VoiceSession } from '../context.ts';
import { type EmbeddedServices, startEmbedded } from '../engines/embedded.ts';
import type { StartEngine } from '../engines/engine.ts';
import { startHosted } from '../engines/hosted.ts';
import { ENDINGS, VoiceError, type Ending } from '../errors.ts';
import { runConversation } from '../gateway/conversation.ts';
import { createLocalTranscriber, createServiceTranscriber } from '../services.ts';
import { findAgent } from '../settings.ts';
import { OrderedTurnLogWriter, type TurnLogWriter } from '../turns/turn-log-writer.ts';

const QuerySchema = z.object({ ticket: z.string().max(200) });

/** The WebSocket /v1/convai/conversation?ticket=…, for the official clients of the voice agent. */
export const conversation: Route<VoiceContext> = {
  spec: { method: 'GET', url: CONVERSATION_PATH, limit: 'sessions and minutes', content: 'WebSocket' },
  caller: 'a ticket',
  mount: (app, context) => {
    app.route({
      method: 'GET',
      url: CONVERSATION_PATH,
      websocket: true,
      preValidation: async (request) => {
        // A foreign page is refused before the upgrade (threat 18).
        if (!isAllowedOrigin(request, context)) throw new VoiceError('foreign-origin');
      },
      handler: (socket, request) => {
        // Messages wait in the network until the session is admitted.
        socket.pause();
        admit(socket, request, context).catch((error: unknown) => {
          context.log.warn({ cause: describeCause(error) }, 'conversation not admitted');
          refuse(socket, ENDINGS.engine);
        });
      },
    });
  },
};

/** Accepts a missing Origin: clients outside a browser send none and need a ticket as well. */
function isAllowedOrigin(request: FastifyRequest, { settings }: VoiceContext): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return true;
  return [`${request.protocol}://${request.host}`, settings.publicUrl, ...settings.origins].includes(origin);
}

async function admit(socket: WebSocket, request: FastifyRequest, context: VoiceContext): Promise<void> {
  const query = QuerySchema.safeParse(request.query);
  const session = query.success ? await context.tickets.redeem(query.data.ticket) : undefined;
  if (session === undefined) return refuse(socket, ENDINGS.ticket);
  const { holder, brief } = session;
  const admission = await context.quota.admit(toCountedSession(context, session, request));
  if (!admission.admitted) {
    const { why } = admission;
    return refuse(socket, ENDINGS[why === 'capacity' || why === 'minutes' ? why : 'sessions']);
  }
  const startEngine = await createEngineStarter(session, context).catch((error: unknown) => {
    admission.release();
    throw error;
  });
  // After the last wait: the conversation hears of a close that is still to come.
  if (socket.readyState !== socket.OPEN) return admission.release();
  const conversation = runConversation({
    socket,
    brief,
    textOnly: session.textOnly,
    startEngine,
    createTurnLog: (id) => createTurnLog(id, session, context),
    limits: context.settings.limits,
    clock: context.clock,
    log: context.log,
    onEnd: () => {
      // Both are set below; a conversation never ends before its first message.
      stopWatching();
      admission.release();
      context.conversations.release(conversation.id);
    },
  });
  const stopWatching = watchRights(
    { clock: context.clock, everyMs: context.settings.limits.rightsMs },
    () => mayUseArea(context.store, holder, brief.area),
    () => conversation.end(ENDINGS.rights),
  );
  context.conversations.add(conversation, holder.subject);
  socket.resume();
}

function refuse(socket: WebSocket, ending: Ending): void {
  socket.resume();
  socket.close(ending.code, ending.reason);
}

async function createEngineStarter(session: VoiceSession, context: VoiceContext): Promise<StartEngine> {
  const { settings } = context;
  const { hosted } = settings;
  const agent = findAgent(hosted, session.brief.area, session.brief.topic);
  if (session.engine === 'hosted' && hosted !== undefined && agent !== undefined) {
    return startHosted(hosted, agent, settings.limits.metadataMs);
  }
  return startEmbedded({
    llm: settings.llm,
    tts: settings.tts,
    listening: session.engine === 'embedded' ? await createListening(context) : undefined,
  });
}

async function createListening({
  settings: { transcription },
  local,
  openDetector,
}: VoiceContext): Promise<EmbeddedServices['listening']> {
  const detector = await openDetector();
  if (detector === undefined) return undefined;
  if (transcription !== undefined) {
    return { detector, createTranscriber: () => createServiceTranscriber(transcription) };
  }
  return local && { detector, createTranscriber: (turn) => createLocalTranscriber(local, turn) };
}

function createTurnLog(conversationId: string, session: VoiceSession, context: VoiceContext): TurnLogWriter {
  return new OrderedTurnLogWriter({
    store: context.store,
    holder: session.holder,
    conversationId,
    interview: session.interview,
    start: session.resume ? session.interview?.transcript || formatTranscript(session.brief.earlier) : '',
    transcriptMax: context.transcriptMax,
    clock: context.clock,
    onError: (outcome, error) =>
      context.log.warn({ conversation: conversationId, cause: describeCause(error) }, `turns not written: ${outcome}`),
  });
}
