import type * as Wire from '@elevenlabs/types';
import { z } from 'zod';

/**
 * What the gateway may say, strictly: each schema is held to the type generated from the official AsyncAPI document.
 */
const FORMATS = ['pcm_8000', 'pcm_16000', 'pcm_22050', 'pcm_24000', 'pcm_44100', 'pcm_48000', 'ulaw_8000'] as const;
const eventId = z.int().min(1);

const Metadata = z.strictObject({
  type: z.literal('conversation_initiation_metadata'),
  conversation_initiation_metadata_event: z.strictObject({
    conversation_id: z.string().min(1),
    agent_output_audio_format: z.enum(FORMATS),
    user_input_audio_format: z.enum(FORMATS),
  }),
}) satisfies z.ZodType<Wire.ConversationMetadata>;

const AgentResponse = z.strictObject({
  type: z.literal('agent_response'),
  agent_response_event: z.strictObject({ agent_response: z.string().min(1), event_id: eventId }),
}) satisfies z.ZodType<Wire.AgentResponse>;

const Correction = z.strictObject({
  type: z.literal('agent_response_correction'),
  agent_response_correction_event: z.strictObject({
    original_agent_response: z.string(),
    corrected_agent_response: z.string(),
    event_id: eventId,
  }),
}) satisfies z.ZodType<Wire.AgentResponseCorrection>;

const UserTranscript = z.strictObject({
  type: z.literal('user_transcript'),
  user_transcription_event: z.strictObject({ user_transcript: z.string().min(1), event_id: eventId }),
}) satisfies z.ZodType<Wire.UserTranscript>;

const Tentative = z.strictObject({
  type: z.literal('tentative_user_transcript'),
  tentative_user_transcription_event: z.strictObject({ user_transcript: z.string().min(1), event_id: eventId }),
}) satisfies z.ZodType<Wire.TentativeUserTranscript>;

const Audio = z.strictObject({
  type: z.literal('audio'),
  audio_event: z.strictObject({ audio_base_64: z.base64().min(4), event_id: eventId }),
}) satisfies z.ZodType<Wire.Audio>;

const Interruption = z.strictObject({
  type: z.literal('interruption'),
  interruption_event: z.strictObject({ event_id: eventId }),
}) satisfies z.ZodType<Wire.Interruption>;

const Ping = z.strictObject({
  type: z.literal('ping'),
  ping_event: z.strictObject({ event_id: eventId, ping_ms: z.int().min(0).nullable() }),
}) satisfies z.ZodType<Wire.Ping>;

const ClientToolCall = z.strictObject({
  type: z.literal('client_tool_call'),
  client_tool_call: z.strictObject({
    tool_name: z.string(),
    tool_call_id: z.string(),
    parameters: z.record(z.string(), z.unknown()),
    event_id: eventId,
  }),
}) satisfies z.ZodType<Wire.ClientToolCallMessage>;

const AgentToolResponse = z.strictObject({
  type: z.literal('agent_tool_response'),
  agent_tool_response: z.strictObject({
    tool_name: z.string(),
    tool_call_id: z.string(),
    tool_type: z.string(),
    is_error: z.boolean(),
    is_called: z.boolean(),
    event_id: eventId,
  }),
}) satisfies z.ZodType<Wire.AgentToolResponseMessage>;

const ErrorEvent = z.strictObject({
  type: z.literal('error'),
  error_event: z.strictObject({
    code: z.literal([1000, 1002, 1008, 1011]),
    error_type: z.enum(['unknown', 'invalid_message', 'value_error', 'max_duration_exceeded', 'llm_timeout']),
    message: z.string(),
  }),
}) satisfies z.ZodType<Wire.ErrorMessage>;

export const ServerMessageSchema = z.discriminatedUnion('type', [
  Metadata,
  AgentResponse,
  Correction,
  UserTranscript,
  Tentative,
  Audio,
  Interruption,
  Ping,
  ClientToolCall,
  AgentToolResponse,
  ErrorEvent,
]);
export type WireMessage = z.infer<typeof ServerMessageSchema>;
export type WireType = WireMessage['type'];
export type OfType<T extends WireType> = Extract<WireMessage, { type: T }>;

/**
 * What holds for a whole conversation: metadata first and once, turns of the agent increasing, nothing stale played.
 */
export function checkConversation(messages: readonly WireMessage[]): string[] {
  const faults: string[] = [];
  if (messages.length > 0 && messages[0]?.type !== 'conversation_initiation_metadata')
    faults.push('metadata not first');
  let turn = 0;
  let interrupted = 0;
  for (const [at, message] of messages.entries()) {
    if (at > 0 && message.type === 'conversation_initiation_metadata') faults.push('metadata twice');
    if (message.type === 'interruption') interrupted = Math.max(interrupted, message.interruption_event.event_id);
    if (message.type === 'audio') {
      if (message.audio_event.event_id <= interrupted) faults.push(`stale audio of ${message.audio_event.event_id}`);
      if (message.audio_event.event_id < turn) faults.push('audio of an earlier turn');
      turn = message.audio_event.event_id;
    }
    if (message.type === 'agent_response') {
      const id = message.agent_response_event.event_id;
      if (id < turn) faults.push(`turn ${id} after ${turn}`);
      turn = id;
    }
  }
  return faults;
}
