import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AREAS, type AreaId } from '#contract/areas.ts';
import {
  VoiceEngineSchema,
  VoiceTicketRequestSchema,
  type InterviewSubject,
  type VoiceEngine,
} from '#contract/voice.ts';
import type { CallerKeys } from '#http/caller.ts';
import { getClientAddress, toNetwork } from '#http/network.ts';
import { createRouteKind } from '#http/route.ts';
import type { Holder } from './access/callers.ts';
import type { CountedSession, Quota } from './access/quota.ts';
import type { Tickets } from './access/tickets.ts';
import type { VoiceDetector } from './audio/vad.ts';
import { repeat, type Clock } from './clock.ts';
import type { Brief } from './engines/engine.ts';
import { VoiceError } from './errors.ts';
import type { ConversationRegistry } from './gateway/conversation-registry.ts';
import type { LocalTranscription } from './services.ts';
import { findConfiguredEngine, usesPaidService, type VoiceSettings } from './settings.ts';
import type { InterviewRow, TurnStore } from './turns/store.ts';

/** What the routes of the voice agent share. */
export type VoiceContext = Readonly<{
  settings: VoiceSettings;
  transcriptMax: number;
  keys: CallerKeys;
  store: TurnStore;
  tickets: Tickets<VoiceSession>;
  quota: Quota;
  conversations: ConversationRegistry;
  /** Loads the detector for the first conversation that needs it; undefined where this platform cannot run it. */
  openDetector: () => Promise<VoiceDetector | undefined>;
  /** Undefined where a service transcribes. */
  local: LocalTranscription | undefined;
  clock: Clock;
  log: FastifyBaseLogger;
}>;

/** The configured engine, or `browser` where this platform cannot detect speech. */
export async function findUsableEngine(
  { settings, local, openDetector }: VoiceContext,
  { area, topic }: Readonly<{ area: AreaId; topic: InterviewSubject }>,
): Promise<VoiceEngine> {
  const configured = findConfiguredEngine(settings, area, topic, (await local?.isInstalled()) ?? false);
  return configured === 'embedded' && (await openDetector()) === undefined ? 'browser' : configured;
}

/** The handler checks the caller, after the body: an answer to a wrong body says so to every caller. */
export const voiceRoute = createRouteKind<VoiceContext, undefined>({
  caller: 'login, or interview key',
  admit: (_input, run) => run(undefined, {}),
  parseBody: (schema, body) => {
    const result = z.safeParse(schema, body);
    if (result.success) return result.data;
    throw new VoiceError('invalid', { cause: result.error });
  },
});

/** What a ticket admits its client to. */
export type VoiceSession = Readonly<{
  holder: Holder;
  brief: Brief;
  engine: VoiceEngine;
  textOnly: boolean;
  /** Undefined while the row does not exist, and for a local id. */
  interview: InterviewRow | undefined;
  resume: boolean;
}>;

export function toCountedSession(
  { settings }: VoiceContext,
  { holder, engine }: Pick<VoiceSession, 'holder' | 'engine'>,
  request: FastifyRequest,
): CountedSession {
  return {
    subject: holder.subject,
    paid: usesPaidService(settings, engine),
    guest: holder.userId === undefined,
    network: toNetwork(getClientAddress(request)),
  };
}

const { area, topic } = VoiceTicketRequestSchema.shape;

/** A session that another server has stored with its ticket. */
export const SessionSchema = z
  .object({
    holder: z.object({
      context: z.object({
        role: z.string(),
        claims: z.record(z.string(), z.unknown()),
        method: z.string(),
        path: z.string(),
        headers: z.record(z.string(), z.string()),
      }),
      token: z.string().optional(),
      userId: z.string().optional(),
      subject: z.string(),
    }),
    brief: z.object({
      area,
      topic,
      context: z.string(),
      earlier: z.array(z.object({ speaker: z.enum(['agent', 'user']), text: z.string() })),
    }),
    engine: VoiceEngineSchema,
    textOnly: z.boolean(),
    interview: z.object({ id: z.int(), transcript: z.string() }).optional(),
    resume: z.boolean(),
  })
  // JSON drops undefined members.
  .transform(({ holder, interview, ...session }): VoiceSession => {
    const { token, userId, ...known } = holder;
    return { ...session, interview, holder: { ...known, token, userId } };
  });

/** Checks the role of a login (§6) while its session lives. An interview key needs no role (D9). */
export async function mayUseArea(store: TurnStore, holder: Holder, area: AreaId): Promise<boolean> {
  if (holder.userId === undefined) return true;
  const role = await store.getRole(holder, holder.userId);
  const roles: readonly string[] = AREAS.find(({ id }) => id === area)?.roles ?? [];
  return role !== undefined && roles.includes(role);
}

/** Checks now and every `everyMs`, and calls `onEnd` at the first refusal. A database error counts as no refusal. */
export function watchRights(
  { clock, everyMs }: Readonly<{ clock: Clock; everyMs: number }>,
  checkRights: () => Promise<boolean>,
  onEnd: () => void,
): () => void {
  let stopped = false;
  const check = async (): Promise<void> => {
    const allowed = await checkRights().catch(() => true);
    if (!allowed && !stopped) onEnd();
  };
  const cancel = repeat(clock, everyMs, () => void check());
  return () => {
    stopped = true;
    cancel();
  };
}
