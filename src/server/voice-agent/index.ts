import websocket from '@fastify/websocket';
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { CheckFindings } from '#contract/setup-parts.ts';
import { VOICE_FRAME_BYTES, BindInterviewSchema } from '#contract/voice.ts';
import type { CallerKeys } from '#http/caller.ts';
import { answerErrors } from '#http/errors.ts';
import type { Route } from '#http/route.ts';
import type { Env } from '../env.ts';
import { requireHolder } from './access/callers.ts';
import { createQuota } from './access/quota.ts';
import { createSharedQuota, type SharedQuotaOptions } from './access/shared-quota.ts';
import { createSharedTickets, createTickets } from './access/tickets.ts';
import { BYTES_PER_SAMPLE } from './audio/pcm.ts';
import { createDetectorLoader } from './audio/vad.ts';
import { systemClock, type Clock } from './clock.ts';
import { SessionSchema, voiceRoute, type VoiceContext } from './context.ts';
import { fetchSignedUrl } from './engines/hosted-connection.ts';
import { VOICE_ERRORS, VoiceError } from './errors.ts';
import { createConversationRegistry } from './gateway/conversation-registry.ts';
import { conversation } from './routes/conversation.ts';
import { issueTicket } from './routes/ticket.ts';
import { synthesize, type LocalTranscription } from './services.ts';
import { readVoiceSettings, type VoiceLimits, type VoiceSettings } from './settings.ts';
import type { TurnStore } from './turns/store.ts';

const ParamsSchema = z.object({ conversationId: z.string().max(100) });

/**
 * POST /v1/convai/conversations/:conversationId/interview: names the row that §4 creates on connect, and writes
 * the turns so far to it. Works until 10 minutes after the end; binding the same row twice changes nothing.
 */
const bindInterview = voiceRoute(
  { method: 'POST', url: '/v1/convai/conversations/:conversationId/interview', body: BindInterviewSchema, status: 204 },
  async ({ context, request, body }) => {
    const params = ParamsSchema.safeParse(request.params);
    if (!params.success) throw new VoiceError('invalid');
    const holder = await requireHolder(request.headers, context.keys);
    const conversation = context.conversations.find(params.data.conversationId, holder.subject);
    if (conversation === undefined) throw new VoiceError('conversation-not-found');
    const interview = await context.store.open(holder, body.interviewId);
    if (interview === undefined) throw new VoiceError('interview-not-found');
    if (!conversation.turnLog.bind(interview)) throw new VoiceError('already-bound');
  },
);

export type { LocalTranscription } from './services.ts';
export { getVoiceHealth } from './settings.ts';
export { createDatabaseTurnStore } from './turns/store.ts';
export { createHostedTurnStore } from './turns/hosted-store.ts';
export type { TurnStore } from './turns/store.ts';

export type VoiceDeps = Readonly<{
  env: Env;
  keys: CallerKeys;
  store: TurnStore;
  /** Lets all servers of an installation count together; without it each counts alone. */
  shared?: SharedCounters | undefined;
  clock?: Clock;
  /** Transcribes where the environment names no service. */
  local?: LocalTranscription | undefined;
  /** Changes to the settings, for tests. */
  configure?: (settings: VoiceSettings) => VoiceSettings;
}>;

/** The installation's database and a secret shared by its servers. */
export type SharedCounters = Pick<SharedQuotaOptions, 'database' | 'secret'>;

/** Beyond the sessions of a user: a failed start is tried again with a new ticket. */
const SPARE_TICKETS = 3;

export const VOICE_ROUTES: readonly Route<VoiceContext>[] = [issueTicket, bindInterview, conversation];

/** The voice agent (§7, docs/interview.md): tickets, the gateway and its engines. */
export function voiceAgentRoutes({ clock = systemClock, configure, ...deps }: VoiceDeps): FastifyPluginAsync {
  const { env, keys, store } = deps;
  return async (app) => {
    const configured = readVoiceSettings(env);
    const settings = configure?.(configured) ?? configured;
    const context: VoiceContext = {
      settings,
      transcriptMax: env.LIMIT_TRANSCRIPT_CHARACTERS,
      keys,
      store,
      ...(deps.shared === undefined
        ? createLocalCounters(settings.limits, clock)
        : createDatabaseCounters(deps.shared, settings.limits, clock, app.log)),
      conversations: createConversationRegistry(),
      openDetector: createDetectorLoader(app.log),
      local: settings.transcription === undefined ? deps.local : undefined,
      clock,
      log: app.log,
    };
    await acceptWebSockets(app, async () => {
      await context.conversations.close();
      await context.quota.close();
    });
    answerErrors(app, VOICE_ERRORS);
    for (const route of VOICE_ROUTES) route.mount(app, context);
  };
}

/** `beforeClose` ends the conversations before their connections are cut. */
async function acceptWebSockets(app: FastifyInstance, beforeClose: () => Promise<void>): Promise<void> {
  await app.register(websocket, {
    options: {
      maxPayload: VOICE_FRAME_BYTES,
      // Browsers fail the handshake without an echo; other clients offer no subprotocol.
      handleProtocols: (offered) => (offered.has('convai') ? 'convai' : false),
    },
    // ws has already closed with 1009 after a frame above the limit.
    errorHandler: (error, socket) => {
      app.log.debug({ cause: error.name }, 'voice connection failed');
      socket.close(1011);
    },
    preClose: async () => {
      await beforeClose();
      app.websocketServer.close();
      for (const socket of app.websocketServer.clients) socket.terminate();
    },
  });
}

type Counters = Pick<VoiceContext, 'tickets' | 'quota'>;

function createLocalCounters(limits: VoiceLimits, clock: Clock): Counters {
  return {
    tickets: createTickets(limits.ticketMs, limits.sessionsPerUser + SPARE_TICKETS, clock),
    quota: createQuota(limits, clock),
  };
}

function createDatabaseCounters(
  { database, secret }: SharedCounters,
  limits: VoiceLimits,
  clock: Clock,
  log: FastifyBaseLogger,
): Counters {
  const perOwner = limits.sessionsPerUser + SPARE_TICKETS;
  const onError = (error: unknown): void =>
    log.warn({ cause: error instanceof Error ? error.name : 'unknown' }, 'voice minutes not counted');
  return {
    tickets: createSharedTickets({ database, lifeMs: limits.ticketMs, perOwner, schema: SessionSchema }),
    quota: createSharedQuota({ database, secret, limits, clock, onError }),
  };
}

const WORDS = 'Guten Tag. Ich bin bereit.';

/**
 * Returns the check of the configured voice: the hosted agent issues the address of a conversation, or the speech
 * service says a few words. undefined where neither is configured. The check throws ServiceError, ZodError, or what
 * fetch throws.
 */
export function createVoiceCheck(env: Env): ((signal: AbortSignal) => Promise<CheckFindings>) | undefined {
  const { hosted, tts } = readVoiceSettings(env);
  const [agent] = Object.values(hosted?.agents ?? {});
  if (hosted !== undefined && agent !== undefined) {
    return async (signal) => {
      await fetchSignedUrl(hosted, agent, signal);
      return {};
    };
  }
  if (tts === undefined) return undefined;
  return async (signal) => {
    let bytes = 0;
    for await (const piece of synthesize(tts, WORDS, signal)) bytes += piece.byteLength;
    return { audioSeconds: bytes / BYTES_PER_SAMPLE / tts.sampleRate };
  };
}
