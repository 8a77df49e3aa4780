import { z } from 'zod';
import { SET_W_ANSWER_TOOL, SetWAnswerSchema, type SetWAnswer } from '#contract/voice.ts';

/** The part of a message to a client that is recorded. */
export type Observation =
  | Readonly<{ kind: 'said'; speaker: 'agent' | 'user'; text: string; eventId: number }>
  | Readonly<{ kind: 'corrected'; original: string; corrected: string; eventId: number }>
  | Readonly<{ kind: 'w-answer'; answer: SetWAnswer }>;

const eventId = z.coerce.number().int().min(0).catch(0);

const ObservationSchema = z.discriminatedUnion('type', [
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

/** Reads one message to a client, of any engine; undefined where it has nothing to record. */
export function readObservation(message: unknown): Observation | undefined {
  const parsed = ObservationSchema.safeParse(message);
  if (!parsed.success) return undefined;
  switch (parsed.data.type) {
    case 'agent_response': {
      const event = parsed.data.agent_response_event;
      return { kind: 'said', speaker: 'agent', text: event.agent_response, eventId: event.event_id };
    }
    case 'user_transcript': {
      const event = parsed.data.user_transcription_event;
      return { kind: 'said', speaker: 'user', text: event.user_transcript, eventId: event.event_id };
    }
    case 'agent_response_correction': {
      const event = parsed.data.agent_response_correction_event;
      return {
        kind: 'corrected',
        original: event.original_agent_response,
        corrected: event.corrected_agent_response,
        eventId: event.event_id,
      };
    }
    default:
      return readWAnswer(parsed.data.client_tool_call);
  }
}

function readWAnswer(call: { tool_name: string; parameters: unknown }): Observation | undefined {
  if (call.tool_name !== SET_W_ANSWER_TOOL) return undefined;
  const answer = SetWAnswerSchema.safeParse(call.parameters);
  return answer.success ? { kind: 'w-answer', answer: answer.data } : undefined;
}
