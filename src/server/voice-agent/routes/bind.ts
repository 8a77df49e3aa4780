import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { BindInterviewSchema } from '#contract/voice.ts';
import { TokenError } from '#http/tokens.ts';
import { holderOf } from '../access/callers.ts';
import { sendError } from '../errors.ts';
import type { Room } from '../room.ts';

const ParamsSchema = z.object({ conversationId: z.string().max(100) });

/**
 * POST /v1/convai/conversations/:conversationId/interview: §4 makes the row on connect, after the ticket. What was said
 * until then is written now. Works for 10 minutes after the end, too; naming the same row again changes nothing.
 */
export function bindRoute(app: FastifyInstance, room: Room): void {
  app.post('/v1/convai/conversations/:conversationId/interview', async (request, reply) => {
    const body = BindInterviewSchema.safeParse(request.body);
    const params = ParamsSchema.safeParse(request.params);
    if (!body.success || !params.success) return sendError(reply, 'invalid');
    const holder = await holderOf(request.headers, room.keys).catch((error: unknown) => {
      if (error instanceof TokenError) return undefined;
      throw error;
    });
    if (holder === undefined) return sendError(reply, 'not-authenticated');
    const conversation = room.conversations.find(params.data.conversationId, holder.subject);
    if (conversation === undefined) return sendError(reply, 'conversation-not-found');
    const interview = await room.store.open(holder, body.data.interviewId);
    if (interview === undefined) return sendError(reply, 'interview-not-found');
    if (!conversation.recorder.bind(interview)) return sendError(reply, 'already-bound');
    return reply.code(204).send();
  });
}
