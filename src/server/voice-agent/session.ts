import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { getClientAddress, toNetwork } from '#http/network.ts';
import { VoiceEngineSchema, VoiceTicketRequestSchema, type VoiceEngine } from '#contract/voice.ts';
import type { Holder } from './access/callers.ts';
import type { CountedSession } from './access/load.ts';
import type { Brief } from './engines/engine.ts';
import type { InterviewRow } from './turns/store.ts';

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

/** A session as the quota counts it. */
export function toCountedSession({ holder, engine }: VoiceSession, request: FastifyRequest): CountedSession {
  return {
    subject: holder.subject,
    paid: engine !== 'browser',
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
