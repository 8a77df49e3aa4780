import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { BindInterviewSchema } from '#contract/voice.ts';
import { TokenError } from '#http/tokens.ts';
import { identifyHolder } from '../access/callers.ts';
import { sendError } from '../errors.ts';
import type { VoiceContext } from '../context.ts';

const ParamsSchema = z.object({ conversationId: z.string().max(100) });

/**
 * POST /v1/convai/conversations/:conversationId/interview: names the row that §4 creates on connect, and writes
 * the turns so far to it. Works until 10 minutes after the end; binding the same row twice changes nothing.
 */
export function bindRoute(app: FastifyInstance, context: VoiceContext): void {
  app.post('/v1/convai/conversations/:conversationId/interview', async (request, reply) => {
    const body = BindInterviewSchema.safeParse(request.body);
    const params = ParamsSchema.safeParse(request.params);
    if (!body.success || !params.success) return sendError(reply, 'invalid');
    const holder = await identifyHolder(request.headers, context.keys).catch((error: unknown) => {
      if (error instanceof TokenError) return undefined;
      throw error;
    });
    if (holder === undefined) return sendError(reply, 'not-authenticated');
    const conversation = context.conversations.find(params.data.conversationId, holder.subject);
    if (conversation === undefined) return sendError(reply, 'conversation-not-found');
    const interview = await context.store.open(holder, body.data.interviewId);
    if (interview === undefined) return sendError(reply, 'interview-not-found');
    if (!conversation.recorder.bind(interview)) return sendError(reply, 'already-bound');
    return reply.code(204).send();
  });
}
