import type * as Wire from '@elevenlabs/types';
import type { RawData } from 'ws';
import { z } from 'zod';
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

const TEXT_MAX = 20_000;
const EventIdSchema = z.int().min(0);
const text = z.string().max(TEXT_MAX);

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

const AudioChunkSchema = z.object({ user_audio_chunk: z.string() });

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
  | Readonly<{ type: 'user_audio_chunk'; audio: string }>
  /** Newer official clients may send types that are unknown here. */
  | Readonly<{ type: 'unknown' }>;

type ReadResult = Readonly<{ ok: true; message: ClientMessage } | { ok: false }>;

const KNOWN_TYPES: ReadonlySet<string> = new Set(
  TypedMessageSchema.options.flatMap((option) => [...option.shape.type.values]),
);

/** Reads one frame of a client. Not ok: no JSON object, or a known message with wrong fields. */
export function readClientMessage(frame: string): ReadResult {
  const value = parseJson(frame);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { ok: false };
  if ('user_audio_chunk' in value) {
    const audio = AudioChunkSchema.safeParse(value);
    return audio.success
      ? { ok: true, message: { type: 'user_audio_chunk', audio: audio.data.user_audio_chunk } }
      : { ok: false };
  }
  const type = 'type' in value ? value.type : undefined;
  if (typeof type !== 'string') return { ok: false };
  if (!KNOWN_TYPES.has(type)) return { ok: true, message: { type: 'unknown' } };
  const typed = TypedMessageSchema.safeParse(value);
  return typed.success ? { ok: true, message: typed.data } : { ok: false };
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
