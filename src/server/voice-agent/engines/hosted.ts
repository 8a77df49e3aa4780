import type { RawData, WebSocket } from 'ws';
import { parseJson } from '#lib/parse-json.ts';
import { transcriptOf } from '#contract/transcript.ts';
import { ServiceError } from '../embedded/services.ts';
import { nameOf } from '../embedded/interview.ts';
import type { HostedService } from '../settings.ts';
import { ENDINGS, type Ending } from '../wire/ending.ts';
import type { ClientMessage } from '../wire/messages.ts';
import { observe, type Observation } from '../wire/observed.ts';
import { textOf } from '../wire/frames.ts';
import type { Engine, Stage, StartEngine } from './engine.ts';
import { connectHosted } from './hosted-link.ts';
import { createHostedMeter } from './hosted-meter.ts';

type Message = Readonly<Record<string, unknown>>;

/** Messages of a client that come before the hosted service is there. */
const HELD_MAX = 100;
const METADATA = 'conversation_initiation_metadata';

/** Relays to the hosted service. It never learns who the user is, and the browser never learns its keys or ids. */
export function startHosted(service: HostedService, agent: string, metadataMs: number): StartEngine {
  return (stage) => {
    const abort = new AbortController();
    const held: Message[] = [];
    const echo = createEcho(stage);
    const meter = createHostedMeter(stage.clock.now());
    let upstream: WebSocket | undefined;
    let introduced = false;

    const toUpstream = (message: Message): void => {
      if (upstream !== undefined && introduced) upstream.send(JSON.stringify(message));
      else if (held.length < HELD_MAX) held.push(message);
    };

    const onMessage = (data: RawData): void => {
      const text = textOf(data);
      meter.countFrame(text.length, stage.clock.now());
      const message = parseJson(text);
      if (!isMessage(message)) return;
      if (!introduced) {
        // What comes before the metadata would be lost in the client.
        if (message['type'] !== METADATA) return;
        introduced = true;
        cancelDeadline();
        stage.forward(renamed(message, stage.conversationId));
        for (const waiting of held.splice(0)) toUpstream(waiting);
        return;
      }
      const seen = observe(message);
      meter.countWords(seen);
      if (echo.repeats(seen)) return;
      stage.forward(message['type'] === 'error' ? withoutDetails(message) : message);
    };

    const fail = (error: unknown): void => {
      if (abort.signal.aborted) return;
      stage.log.warn({ cause: nameOf(error) }, 'hosted voice agent failed');
      stage.end(endingOf(error));
    };

    const cancelDeadline = stage.clock.after(metadataMs, () => fail(new Error('no metadata')));
    const connect = async (): Promise<void> => {
      const socket = await connectHosted(service, agent, abort.signal);
      upstream = socket;
      socket.on('message', (data) => {
        if (abort.signal.aborted) return;
        try {
          onMessage(data);
        } catch (error) {
          fail(error);
        }
      });
      socket.on('error', fail);
      socket.on('close', (code) => {
        if (code === 1000 && introduced) stage.end(ENDINGS.done);
        else fail(new ServiceError('hosted voice agent', code));
      });
      socket.send(JSON.stringify(introduction(stage)));
    };
    connect().catch(fail);

    return {
      pings: true,
      receive: (message) => {
        const passed = passedOn(message);
        if (passed === undefined) return;
        if (passed['type'] === 'user_message') echo.typed(String(passed['text']));
        toUpstream(passed);
      },
      stop: () => {
        cancelDeadline();
        abort.abort();
        upstream?.close(1000);
      },
    } satisfies Engine;
  };
}

/** Typed words are said at once; should the hosted service repeat them before it answers, they are not said twice. */
function createEcho(stage: Stage): {
  typed: (text: string) => void;
  repeats: (seen: Observation | undefined) => boolean;
} {
  let waiting: string[] = [];
  return {
    typed: (text) => {
      waiting.push(text);
      stage.send({
        type: 'user_transcript',
        user_transcription_event: { user_transcript: text, event_id: stage.nextEventId() },
      });
    },
    repeats: (seen) => {
      if (seen?.kind !== 'said') return false;
      if (seen.speaker === 'agent') waiting = [];
      const at = waiting.indexOf(seen.text.trim());
      if (at < 0) return false;
      waiting.splice(at, 1);
      return true;
    },
  };
}

/** The first message to the hosted service: only what a user may decide, nobody's id. */
function introduction({ start, brief }: Stage): Message {
  const earlier = transcriptOf(brief.earlier);
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

function passedOn(message: ClientMessage): Message | undefined {
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

function renamed(metadata: Message, conversationId: string): Message {
  const event = metadata['conversation_initiation_metadata_event'];
  return {
    ...metadata,
    conversation_initiation_metadata_event: { ...(isMessage(event) ? event : {}), conversation_id: conversationId },
  };
}

/** The service words its errors for its own customers: keys, models and addresses may stand in them. */
function withoutDetails(message: Message): Message {
  const event = message['error_event'];
  const { code, error_type } = isMessage(event) ? event : {};
  return { type: 'error', error_event: { code, error_type, message: ENDINGS.engine.reason } };
}

function endingOf(error: unknown): Ending {
  return error instanceof ServiceError && error.status === 429 ? ENDINGS.capacity : ENDINGS.engine;
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
