import { z } from 'zod';
import { SET_W_ANSWER_TOOL, SetWAnswerSchema, type SetWAnswer } from '#contract/voice.ts';

/** What of the messages to a client has to be kept. */
export type Observation =
  | Readonly<{ kind: 'said'; speaker: 'agent' | 'user'; text: string; eventId: number }>
  | Readonly<{ kind: 'corrected'; original: string; corrected: string; eventId: number }>
  | Readonly<{ kind: 'w-answer'; answer: SetWAnswer }>;

const eventId = z.coerce.number().int().min(0).catch(0);

const ObservedSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('agent_response'),
    agent_response_event: z.object({ agent_response: z.string(), event_id: eventId }),
  }),
  z.object({
    type: z.literal('user_transcript'),
    user_transcription_event: z.object({ user_transcript: z.string(), event_id: eventId }),
  }),
  z.object({
    type: z.literal('agent_response_correction'),
    agent_response_correction_event: z.object({
      original_agent_response: z.string(),
      corrected_agent_response: z.string(),
      event_id: eventId,
    }),
  }),
  z.object({
    type: z.literal('client_tool_call'),
    client_tool_call: z.object({ tool_name: z.string(), parameters: z.unknown() }),
  }),
]);

/** Reads one message on its way to a client, whichever engine made it. Undefined: nothing to keep. */
export function observe(message: unknown): Observation | undefined {
  const read = ObservedSchema.safeParse(message);
  if (!read.success) return undefined;
  switch (read.data.type) {
    case 'agent_response': {
      const event = read.data.agent_response_event;
      return { kind: 'said', speaker: 'agent', text: event.agent_response, eventId: event.event_id };
    }
    case 'user_transcript': {
      const event = read.data.user_transcription_event;
      return { kind: 'said', speaker: 'user', text: event.user_transcript, eventId: event.event_id };
    }
    case 'agent_response_correction': {
      const event = read.data.agent_response_correction_event;
      return {
        kind: 'corrected',
        original: event.original_agent_response,
        corrected: event.corrected_agent_response,
        eventId: event.event_id,
      };
    }
    default:
      return wAnswer(read.data.client_tool_call);
  }
}

function wAnswer(call: { tool_name: string; parameters: unknown }): Observation | undefined {
  if (call.tool_name !== SET_W_ANSWER_TOOL) return undefined;
  const answer = SetWAnswerSchema.safeParse(call.parameters);
  return answer.success ? { kind: 'w-answer', answer: answer.data } : undefined;
}
