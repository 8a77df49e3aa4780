import websocket from '@fastify/websocket';
import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify';
import type { CallerKeys } from '#http/caller.ts';
import { VOICE_FRAME_BYTES } from '#contract/voice.ts';
import type { Env } from '../env.ts';
import { createQuota } from './access/quota.ts';
import { createSharedQuota, type SharedQuotaOptions } from './access/shared-quota.ts';
import { createSharedTickets } from './access/shared-tickets.ts';
import { createTickets } from './access/tickets.ts';
import { openVoiceActivity, type VoiceActivity } from './audio/vad.ts';
import { systemClock, type Clock } from './clock.ts';
import { createConversations } from './gateway/conversations.ts';
import type { Room } from './room.ts';
import { bindRoute } from './routes/bind.ts';
import { conversationRoute } from './routes/conversation.ts';
import { ticketRoute } from './routes/ticket.ts';
import { voiceSettings, type VoiceLimits, type VoiceSettings } from './settings.ts';
import type { TurnStore } from './turns/store.ts';
import { VisitSchema } from './visit.ts';

export { CONVERSATION_PATH } from './routes/conversation.ts';
export { voiceHealth } from './settings.ts';
export { databaseTurnStore } from './turns/database-store.ts';
export { hostedTurnStore } from './turns/hosted-store.ts';
export type { TurnStore } from './turns/store.ts';

export type VoiceDeps = Readonly<{
  env: Env;
  keys: CallerKeys;
  store: TurnStore;
  /** Where all servers of an installation count together; without it each counts for itself. */
  shared?: VoiceBudget | undefined;
  clock?: Clock;
  /** Changes to the settings, for tests. */
  configure?: (settings: VoiceSettings) => VoiceSettings;
}>;

/** The database of the installation, and a secret that only its servers know. */
export type VoiceBudget = Pick<SharedQuotaOptions, 'database' | 'secret'>;

/** Held besides those a user can use at once: for a start that failed and is tried again. */
const SPARE_TICKETS = 3;

/** The voice agent (§7, docs/interview.md): tickets, the gateway and its engines. */
export function voiceAgentRoutes({ clock = systemClock, configure, ...deps }: VoiceDeps): FastifyPluginAsync {
  const { env, keys, store } = deps;
  return async (app) => {
    const read = voiceSettings(env);
    const settings = configure?.(read) ?? read;
    const room: Room = {
      settings,
      transcriptMax: env.LIMIT_TRANSCRIPT_CHARACTERS,
      keys,
      store,
      ...(deps.shared === undefined
        ? ownBudget(settings.limits, clock)
        : sharedBudget(deps.shared, settings.limits, clock, app.log)),
      conversations: createConversations(),
      activity: settings.transcription === undefined ? undefined : await activityOrNone(app.log),
      clock,
      log: app.log,
    };
    await app.register(websocket, {
      options: {
        maxPayload: VOICE_FRAME_BYTES,
        // Browsers fail the handshake without an echo; other clients offer nothing.
        handleProtocols: (offered) => (offered.has('convai') ? 'convai' : false),
      },
      // A frame above the limit ends here: ws has closed with 1009 already.
      errorHandler: (error, socket) => {
        app.log.debug({ cause: error.name }, 'voice connection failed');
        socket.close(1011);
      },
      preClose: async () => {
        await room.conversations.close();
        await room.quota.close();
        app.websocketServer.close();
        for (const socket of app.websocketServer.clients) socket.terminate();
      },
    });
    ticketRoute(app, room);
    bindRoute(app, room);
    conversationRoute(app, room);
    app.addHook('onClose', async () => room.activity?.close());
  };
}

type Budget = Pick<Room, 'tickets' | 'quota'>;

function ownBudget(limits: VoiceLimits, clock: Clock): Budget {
  return {
    tickets: createTickets(limits.ticketMs, limits.sessionsPerUser + SPARE_TICKETS, clock),
    quota: createQuota(limits, clock),
  };
}

function sharedBudget(
  { database, secret }: VoiceBudget,
  limits: VoiceLimits,
  clock: Clock,
  log: FastifyBaseLogger,
): Budget {
  const perOwner = limits.sessionsPerUser + SPARE_TICKETS;
  const onTrouble = (error: unknown): void =>
    log.warn({ cause: error instanceof Error ? error.name : 'unknown' }, 'voice minutes not counted');
  return {
    tickets: createSharedTickets({ database, lifeMs: limits.ticketMs, perOwner, schema: VisitSchema }),
    quota: createSharedQuota({ database, secret, limits, clock, onTrouble }),
  };
}

/** Without the detector there are no spoken turns; typing and the browser's own voice still work. */
async function activityOrNone(log: FastifyBaseLogger): Promise<VoiceActivity | undefined> {
  try {
    return await openVoiceActivity();
  } catch (error) {
    log.warn({ cause: error instanceof Error ? error.message : 'unknown' }, 'no voice activity detection here');
    return undefined;
  }
}
