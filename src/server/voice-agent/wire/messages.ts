import type * as Wire from '@elevenlabs/types';
import { z } from 'zod';
import { parseJson } from '#lib/parse-json.ts';
import type { RawData } from 'ws';

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

export type ReadResult = Readonly<{ ok: true; message: ClientMessage } | { ok: false }>;

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
