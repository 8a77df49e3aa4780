import type * as Wire from '@elevenlabs/types';
import type { RawData } from 'ws';
import { z } from 'zod';
import { VOICE_TEXT_MAX } from '#contract/limits.ts';
import { SET_W_ANSWER_TOOL, SetWAnswerSchema, type SetWAnswer } from '#contract/voice.ts';
import { parseJson } from '#lib/parse-json.ts';

/** The messages that this server writes itself; the hosted engine relays others as well. */
export type ServerMessage =
  | Wire.ConversationMetadata
  | Wire.AgentResponse
  | Wire.AgentResponseCorrection
  | Wire.UserTranscript
  | Wire.TentativeUserTranscript
  | Wire.Audio
  | Wire.Interruption
  | Wire.Ping
  | Wire.ClientToolCallMessage
  | Wire.AgentToolResponseMessage
  | Wire.ErrorMessage;

const EventIdSchema = z.int().min(0);
const text = z.string().max(VOICE_TEXT_MAX);

/** Leaves out prompt, model and voice of a hosted agent, which the operator decides. */
const OverridesSchema = z.object({
  agent: z.object({ first_message: text.nullish(), language: z.string().max(10).nullish() }).nullish(),
  conversation: z.object({ text_only: z.boolean().nullish() }).nullish(),
});

const InitiationSchema = z.object({
  type: z.literal('conversation_initiation_client_data'),
  conversation_config_override: OverridesSchema.nullish(),
  dynamic_variables: z.record(z.string().max(100), z.union([z.string().max(2_000), z.number(), z.boolean()])).nullish(),
});
export type Initiation = z.infer<typeof InitiationSchema>;

const AudioChunkSchema = z
  .object({ user_audio_chunk: z.string() })
  .transform(({ user_audio_chunk: audio }) => ({ type: 'user_audio_chunk' as const, audio }));

const TypedMessageSchema = z.discriminatedUnion('type', [
  InitiationSchema,
  z.object({ type: z.literal('pong'), event_id: EventIdSchema }),
  z.object({ type: z.literal('user_message'), text: text.optional() }),
  z.object({ type: z.literal('multimodal_message'), text: z.object({ text: text.optional() }).optional() }),
  z.object({ type: z.literal('user_activity') }),
  z.object({ type: z.literal('contextual_update'), text, context_id: z.string().max(200).optional() }),
  z.object({
    type: z.literal('feedback'),
    event_id: EventIdSchema,
    score: z.enum(['like', 'dislike']).nullable(),
  }),
  z.object({
    type: z.literal('client_tool_result'),
    tool_call_id: z.string().max(200),
    result: text,
    is_error: z.boolean(),
  }),
]);

export type ClientMessage =
  | z.infer<typeof TypedMessageSchema>
  | z.infer<typeof AudioChunkSchema>
  /** Newer official clients may send types that are unknown here. */
  | Readonly<{ type: 'unknown' }>;

const KNOWN_TYPES: ReadonlySet<string> = new Set(
  TypedMessageSchema.options.flatMap((option) => [...option.shape.type.values]),
);

/** Reads one frame of a client; undefined where it is no JSON object, or a known message with wrong fields. */
export function readClientMessage(frame: string): ClientMessage | undefined {
  const value = parseJson(frame);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if ('user_audio_chunk' in value) return AudioChunkSchema.safeParse(value).data;
  const type = 'type' in value ? value.type : undefined;
  if (typeof type !== 'string') return undefined;
  return KNOWN_TYPES.has(type) ? TypedMessageSchema.safeParse(value).data : { type: 'unknown' };
}

/** Decodes a WebSocket frame as text. */
export function decodeFrame(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}

/** The part of a message to a client that is recorded. */
export type Observation =
  | Readonly<{ kind: 'said'; speaker: 'agent' | 'user'; text: string; eventId: number }>
  | Readonly<{ kind: 'corrected'; original: string; corrected: string; eventId: number }>
  | Readonly<{ kind: 'w-answer'; answer: SetWAnswer }>;

const eventId = z.coerce.number().int().min(0).catch(0);

const ObservationSchema = z.discriminatedUnion('type', [
  z
    .object({
      type: z.literal('agent_response'),
      agent_response_event: z.object({ agent_response: z.string(), event_id: eventId }),
    })
    .transform(({ agent_response_event: { agent_response, event_id } }): Observation => {
      return { kind: 'said', speaker: 'agent', text: agent_response, eventId: event_id };
    }),
  z
    .object({
      type: z.literal('user_transcript'),
      user_transcription_event: z.object({ user_transcript: z.string(), event_id: eventId }),
    })
    .transform(({ user_transcription_event: { user_transcript, event_id } }): Observation => {
      return { kind: 'said', speaker: 'user', text: user_transcript, eventId: event_id };
    }),
  z
    .object({
      type: z.literal('agent_response_correction'),
      agent_response_correction_event: z.object({
        original_agent_response: z.string(),
        corrected_agent_response: z.string(),
        event_id: eventId,
      }),
    })
    .transform(({ agent_response_correction_event: event }): Observation => {
      const { original_agent_response: original, corrected_agent_response: corrected, event_id } = event;
      return { kind: 'corrected', original, corrected, eventId: event_id };
    }),
  z
    .object({
      type: z.literal('client_tool_call'),
      client_tool_call: z.object({ tool_name: z.literal(SET_W_ANSWER_TOOL), parameters: SetWAnswerSchema }),
    })
    .transform(({ client_tool_call }): Observation => ({ kind: 'w-answer', answer: client_tool_call.parameters })),
]);

/** Reads one message to a client, of any engine; undefined where it has nothing to record. */
export function readObservation(message: unknown): Observation | undefined {
  return ObservationSchema.safeParse(message).data;
}
