import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { describeCause } from '#lib/error-code.ts';
import { transcriptOf } from '#contract/transcript.ts';
import { mayEnter, watchRights } from '../access/rights.ts';
import { startEmbedded } from '../engines/embedded.ts';
import type { StartEngine } from '../engines/engine.ts';
import { startHosted } from '../engines/hosted.ts';
import { sendError } from '../errors.ts';
import { holdConversation } from '../gateway/conversation.ts';
import type { Room } from '../room.ts';
import { agentFor } from '../settings.ts';
import { createRecorder } from '../turns/recorder.ts';
import { countVisit, type Visit } from '../visit.ts';
import { ENDINGS, type Ending } from '../wire/ending.ts';

export const CONVERSATION_PATH = '/v1/convai/conversation';

const QuerySchema = z.object({ ticket: z.string().max(200) });

/** The WebSocket /v1/convai/conversation?ticket=…, spoken by the official clients of the voice agent. */
export function conversationRoute(app: FastifyInstance, room: Room): void {
  app.route({
    method: 'GET',
    url: CONVERSATION_PATH,
    websocket: true,
    preValidation: async (request, reply) => {
      // Before the upgrade: a foreign page gets no socket at all (threat 18).
      if (!isOwnOrigin(request, room)) await sendError(reply, 'foreign-origin');
    },
    handler: (socket, request) => {
      // Whoever may talk is asked elsewhere: what the client says meanwhile waits in the network.
      socket.pause();
      admit(socket, request, room).catch((error: unknown) => {
        room.log.warn({ cause: describeCause(error) }, 'conversation not admitted');
        turnAway(socket, ENDINGS.engine);
      });
    },
  });
}

/** Clients outside a browser send no Origin; the ticket is what lets them in. */
function isOwnOrigin(request: FastifyRequest, { settings }: Room): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return true;
  const own = settings.publicUrl === undefined ? [] : [new URL(settings.publicUrl).origin];
  return [`${request.protocol}://${request.host}`, ...own, ...settings.origins].includes(origin);
}

async function admit(socket: WebSocket, request: FastifyRequest, room: Room): Promise<void> {
  const query = QuerySchema.safeParse(request.query);
  const visit = query.success ? await room.tickets.redeem(query.data.ticket) : undefined;
  if (visit === undefined) return turnAway(socket, ENDINGS.ticket);
  const { holder, brief } = visit;
  const admission = await room.quota.enter(countVisit(visit, request));
  if (!admission.admitted) {
    return turnAway(socket, admission.why === 'capacity' ? ENDINGS.capacity : ENDINGS.sessions);
  }
  if (socket.readyState !== socket.OPEN) return admission.leave();
  const conversation = holdConversation({
    socket,
    brief,
    textOnly: visit.textOnly,
    startEngine: engine(visit, room),
    recorder: (id) => recorder(id, visit, room),
    limits: room.settings.limits,
    clock: room.clock,
    log: room.log,
    onEnd: () => {
      stopWatching();
      admission.leave();
      room.conversations.over(conversation.id);
    },
  });
  const stopWatching = watchRights(
    { clock: room.clock, everyMs: room.settings.limits.rightsMs },
    () => mayEnter(room.store, holder, brief.area),
    () => conversation.end(ENDINGS.rights),
  );
  room.conversations.add(conversation, holder.subject);
  socket.resume();
}

function turnAway(socket: WebSocket, ending: Ending): void {
  socket.resume();
  socket.close(ending.code, ending.reason);
}

function engine(visit: Visit, { settings, activity }: Room): StartEngine {
  const { hosted, transcription } = settings;
  const agent = agentFor(hosted, visit.brief.area, visit.brief.topic);
  if (visit.engine === 'hosted' && hosted !== undefined && agent !== undefined) {
    return startHosted(hosted, agent, settings.limits.metadataMs);
  }
  return startEmbedded({
    llm: settings.llm,
    speech: settings.speech,
    hearing: transcription === undefined || activity === undefined ? undefined : { service: transcription, activity },
  });
}

function recorder(conversationId: string, visit: Visit, room: Room): ReturnType<typeof createRecorder> {
  return createRecorder({
    store: room.store,
    holder: visit.holder,
    conversationId,
    interview: visit.interview,
    start: visit.resume ? visit.interview?.transcript || transcriptOf(visit.brief.earlier) : '',
    transcriptMax: room.transcriptMax,
    clock: room.clock,
    onTrouble: (what, error) =>
      room.log.warn({ conversation: conversationId, cause: describeCause(error) }, `turns not written: ${what}`),
  });
}
