import { z } from 'zod';
import { BindInterviewSchema } from '#contract/voice.ts';
import { requireHolder } from '../access/callers.ts';
import { voiceRoute } from '../context.ts';
import { VoiceError } from '../errors.ts';

const ParamsSchema = z.object({ conversationId: z.string().max(100) });

/**
 * POST /v1/convai/conversations/:conversationId/interview: names the row that §4 creates on connect, and writes
 * the turns so far to it. Works until 10 minutes after the end; binding the same row twice changes nothing.
 */
export const bindInterview = voiceRoute(
  { method: 'POST', url: '/v1/convai/conversations/:conversationId/interview', body: BindInterviewSchema, status: 204 },
  async ({ context, request, body }) => {
    const params = ParamsSchema.safeParse(request.params);
    if (!params.success) throw new VoiceError('invalid');
    const holder = await requireHolder(request.headers, context.keys);
    const conversation = context.conversations.find(params.data.conversationId, holder.subject);
    if (conversation === undefined) throw new VoiceError('conversation-not-found');
    const interview = await context.store.open(holder, body.interviewId);
    if (interview === undefined) throw new VoiceError('interview-not-found');
    if (!conversation.recorder.bind(interview)) throw new VoiceError('already-bound');
  },
);
