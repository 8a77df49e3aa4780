import type { RawData, WebSocket } from 'ws';
import { parseJson } from '#lib/parse-json.ts';
import { formatTranscript } from '#contract/transcript.ts';
import { SERVICE_LIMITS, ServiceError } from '../../service-request.ts';
import { describeError } from '../services.ts';
import type { HostedService } from '../settings.ts';
import { ENDINGS, type Ending } from '../errors.ts';
import { decodeFrame, readObservation, type ClientMessage, type Observation } from '../wire.ts';
import { sendUserTranscript, type Engine, type EngineContext, type StartEngine } from './engine.ts';
import { connectHosted } from './hosted-connection.ts';
import { AnswerTooLongError } from '#http/limited-answer.ts';
import { createTokenBucket, sendOrCut } from '../gateway/frames.ts';

type Message = Readonly<Record<string, unknown>>;

/** Messages of a client before the hosted service is ready. */
const PENDING_MAX = 100;
const METADATA = 'conversation_initiation_metadata';

/** Relays to the hosted service, which never learns the user's identity; the browser never learns its keys or ids. */
export function startHosted(service: HostedService, agent: string, metadataMs: number): StartEngine {
  return (context) => {
    const abort = new AbortController();
    const echoFilter = createEchoFilter(context);
    const upstream = createUpstream();
    const fail = (error: unknown): void => {
      if (abort.signal.aborted) return;
      context.log.warn({ cause: describeError(error) }, 'hosted voice agent failed');
      context.end(selectEnding(error));
    };
    const cancelDeadline = context.clock.after(metadataMs, () => fail(new Error('no metadata')));
    const relay = createRelay(context, echoFilter, () => {
      cancelDeadline();
      upstream.begin();
    });
    const begin = (socket: WebSocket): void => {
      upstream.open(socket);
      socket.on('message', (data) => {
        if (!abort.signal.aborted) attempt(() => relay(data), fail);
      });
      socket.on('error', fail);
      socket.on('close', (code) => {
        if (code === 1000 && upstream.hasBegun()) context.end(ENDINGS.done);
        else fail(new ServiceError('hosted voice agent', code));
      });
      socket.send(JSON.stringify(createInitiation(context)));
      socket.resume();
    };
    connectHosted(service, agent, abort.signal).then(begin).catch(fail);
    return {
      pings: true,
      receive: (message) => relayToService(message, upstream.send, echoFilter.send),
      stop: () => {
        cancelDeadline();
        abort.abort();
        upstream.close();
      },
    } satisfies Engine;
  };
}

function attempt(step: () => void, fail: (error: unknown) => void): void {
  try {
    step();
  } catch (error) {
    fail(error);
  }
}

function relayToService(
  message: ClientMessage,
  send: (message: Message) => void,
  showTyped: (text: string) => void,
): void {
  const relayed = toUpstreamMessage(message);
  if (relayed === undefined) return;
  if (relayed['type'] === 'user_message') showTyped(String(relayed['text']));
  send(relayed);
}

/** The connection to the service. What a client sends before the service has begun waits. */
function createUpstream() {
  const pending: Message[] = [];
  let socket: WebSocket | undefined;
  let begun = false;
  const send = (message: Message): void => {
    if (socket !== undefined && begun) sendOrCut(socket, JSON.stringify(message));
    else if (pending.length < PENDING_MAX) pending.push(message);
  };
  return {
    send,
    open: (opened: WebSocket): void => void (socket = opened),
    begin: (): void => {
      begun = true;
      for (const waiting of pending.splice(0)) send(waiting);
    },
    hasBegun: (): boolean => begun,
    close: (): void => socket?.close(1000),
  };
}

/** Reads the messages of the service for the client. `onBegin`: its metadata have come. */
function createRelay(
  { clock, conversationId, forward }: EngineContext,
  { isEcho }: ReturnType<typeof createEchoFilter>,
  onBegin: () => void,
): (data: RawData) => void {
  const meter = createHostedMeter(clock.now());
  let begun = false;
  return (data) => {
    const text = decodeFrame(data);
    meter.countFrame(text.length, clock.now());
    const message = parseJson(text);
    if (!isMessage(message)) return;
    if (!begun) {
      // The client loses messages before the metadata.
      if (message['type'] !== METADATA) return;
      begun = true;
      forward(replaceConversationId(message, conversationId));
      return onBegin();
    }
    const observation = readObservation(message);
    meter.countWords(observation);
    if (isEcho(observation)) return;
    forward(message['type'] === 'error' ? removeDetails(message) : message);
  };
}

/** Shows typed words at once and drops the hosted service's repetition of them. */
function createEchoFilter(context: EngineContext) {
  let waiting: string[] = [];
  return {
    send: (text: string): void => {
      waiting.push(text);
      sendUserTranscript(context, text);
    },
    isEcho: (observation: Observation | undefined): boolean => {
      if (observation?.kind !== 'said') return false;
      if (observation.speaker === 'agent') waiting = [];
      const at = waiting.indexOf(observation.text.trim());
      if (at < 0) return false;
      waiting.splice(at, 1);
      return true;
    },
  };
}

/** The first message to the hosted service: only what a user may decide, without any id. */
function createInitiation({ start, brief }: EngineContext): Message {
  const earlier = formatTranscript(brief.earlier);
  return {
    type: 'conversation_initiation_client_data',
    conversation_config_override: {
      agent: {
        language: start.language,
        ...(start.firstMessage === undefined ? {} : { first_message: start.firstMessage }),
      },
      conversation: { text_only: start.textOnly },
    },
    dynamic_variables: {
      ...start.variables,
      topic: brief.topic,
      ...(brief.context === '' ? {} : { context: brief.context }),
      ...(earlier === '' ? {} : { earlier_transcript: earlier }),
    },
  };
}

function toUpstreamMessage(message: ClientMessage): Message | undefined {
  switch (message.type) {
    case 'user_audio_chunk':
      return { user_audio_chunk: message.audio };
    case 'user_message':
    case 'multimodal_message': {
      const text = (typeof message.text === 'string' ? message.text : message.text?.text)?.trim() ?? '';
      return text === '' ? undefined : { type: 'user_message', text };
    }
    case 'conversation_initiation_client_data':
    case 'unknown':
      return undefined;
    default:
      return message;
  }
}

function replaceConversationId(metadata: Message, conversationId: string): Message {
  const event = metadata['conversation_initiation_metadata_event'];
  return {
    ...metadata,
    conversation_initiation_metadata_event: { ...(isMessage(event) ? event : {}), conversation_id: conversationId },
  };
}

/** Errors of the service may contain keys, models and addresses. */
function removeDetails(message: Message): Message {
  const event = message['error_event'];
  const { code, error_type } = isMessage(event) ? event : {};
  return { type: 'error', error_event: { code, error_type, message: ENDINGS.engine.reason } };
}

function selectEnding(error: unknown): Ending {
  return error instanceof ServiceError && error.status === 429 ? ENDINGS.capacity : ENDINGS.engine;
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Counts the messages of the hosted service in one conversation. Throws AnswerTooLongError beyond SERVICE_LIMITS. */
function createHostedMeter(startMs: number) {
  const { hostedMessagesPerSecond: perSecond, hostedBytes, hostedCharacters } = SERVICE_LIMITS;
  const messages = createTokenBucket(perSecond * 2, perSecond / 1_000, startMs);
  let frames = 0;
  let words = 0;
  return {
    countFrame: (characters: number, nowMs: number): void => {
      frames += characters;
      if (frames > hostedBytes || !messages.take(1, nowMs)) throw new AnswerTooLongError();
    },
    countWords: (observation: Observation | undefined): void => {
      if (observation?.kind === 'said') words += observation.text.length;
      if (observation?.kind === 'corrected') words += observation.corrected.length;
      if (words > hostedCharacters) throw new AnswerTooLongError();
    },
  };
}
