import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressOf, networkOf } from '#http/network.ts';
import { VoiceEngineSchema, VoiceTicketRequestSchema, type VoiceEngine } from '#contract/voice.ts';
import type { Holder } from './access/callers.ts';
import type { Visit as CountedVisit } from './access/load.ts';
import type { Brief } from './engines/engine.ts';
import type { InterviewRow } from './turns/store.ts';

/** What a ticket stands for. */
export type Visit = Readonly<{
  holder: Holder;
  brief: Brief;
  engine: VoiceEngine;
  textOnly: boolean;
  /** Undefined while the row does not exist, or where the id is a local one. */
  interview: InterviewRow | undefined;
  resume: boolean;
}>;

/** A visit as the quota counts it. */
export function countVisit({ holder, engine }: Visit, request: FastifyRequest): CountedVisit {
  return {
    subject: holder.subject,
    paid: engine !== 'browser',
    guest: holder.userId === undefined,
    network: networkOf(addressOf(request)),
  };
}

const { area, topic } = VoiceTicketRequestSchema.shape;

/** A visit that another server has written down. */
export const VisitSchema = z
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
  // What was undefined has no place in JSON.
  .transform(({ holder, interview, ...visit }): Visit => {
    const { token, userId, ...known } = holder;
    return { ...visit, interview, holder: { ...known, token, userId } };
  });
