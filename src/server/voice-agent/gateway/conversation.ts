import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import { readConversationStart, type Brief, type Engine, type StartEngine } from '../engines/engine.ts';
import type { VoiceLimits } from '../settings.ts';
import type { TurnRecorder } from '../turns/turn-recorder.ts';
import { ENDINGS, createErrorMessage, type Ending } from '../wire/ending.ts';
import type { ClientMessage, Initiation } from '../wire/messages.ts';
import { readObservation } from '../wire/observation.ts';
import { createDelivery } from './delivery.ts';
import { createFrameReader } from './frame-reader.ts';
import { createSendQueue } from './delivery.ts';
import type { ServerMessage } from '../wire/messages.ts';

export type ConversationOptions = Readonly<{
  socket: WebSocket;
  brief: Brief;
  /** The ticket's choice; the client's override takes precedence. */
  textOnly: boolean;
  startEngine: StartEngine;
  recorder: (conversationId: string) => TurnRecorder;
  limits: VoiceLimits;
  clock: Clock;
  log: FastifyBaseLogger;
  onEnd: () => void;
}>;

export type Conversation = Readonly<{ id: string; recorder: TurnRecorder; end: (ending: Ending) => void }>;

const CLOSE_TIMEOUT_MS = 2_000;

type Outgoing = Readonly<{ type?: unknown }>;

/**
 * Runs one connection from its first frame to its close code: limits, order and recording. The engine makes the turns.
 */
export function runConversation(options: ConversationOptions): Conversation {
  const { socket, clock, limits } = options;
  const id = `conv_${randomUUID()}`;
  const recorder = options.recorder(id);
  const log = options.log.child({ conversation: id });
  const readFrame = createFrameReader(limits, clock);
  const queue = createSendQueue(socket);
  const delivery = createDelivery(queue.put, clock);
  const startedAt = clock.now();
  let engine: Engine | undefined;
  let heartbeat: Heartbeat | undefined;
  let lastEventId = 0;
  let ended = false;

  const nextEventId = (): number => (lastEventId += 1);

  const deliver = (message: Outgoing): void => {
    // Words transcribed after the end are recorded as well.
    const observation = readObservation(message);
    if (observation !== undefined) recorder.add(observation);
    // A turn is logged before the client shows it, so a crash loses nothing that was shown.
    if (!ended) delivery.send(message, observation === undefined ? undefined : recorder.written());
  };

  const end = (ending: Ending): void => {
    if (ended) return;
    engine?.stop();
    const error = createErrorMessage(ending);
    if (error !== undefined) deliver(error);
    ended = true;
    heartbeat?.stop();
    cancelIdle();
    cancelLength();
    delivery.afterAll(() => {
      queue.flush();
      socket.close(ending.code, ending.reason);
    });
    clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate());
    log.info(
      { code: ending.code, reason: ending.reason, ms: Math.round(clock.now() - startedAt) },
      'conversation ended',
    );
    options.onEnd();
  };

  const start = (initiation: Initiation): void => {
    const started = options.startEngine({
      conversationId: id,
      brief: options.brief,
      start: readConversationStart(initiation, options.textOnly),
      send: deliver,
      forward: deliver,
      nextEventId,
      end,
      clock,
      log,
    });
    if (ended) return started.stop();
    engine = started;
    if (!engine.pings) heartbeat = startHeartbeat(clock, nextEventId, deliver);
  };

  const receive = (message: ClientMessage): void => {
    if (message.type === 'conversation_initiation_client_data') return start(message);
    if (message.type === 'pong') heartbeat?.pong(message.event_id);
    if (message.type === 'feedback' && message.score !== null) {
      recorder.feedback({ eventId: message.event_id, score: message.score });
    }
    engine?.receive(message);
  };

  let cancelIdle = clock.after(limits.firstMessageMs, () => end(ENDINGS.silent));
  const cancelLength = clock.after(limits.lengthMs, () => end(ENDINGS.tooLong));

  socket.on('message', (data, isBinary) => {
    if (ended) return;
    const read = readFrame(data, isBinary);
    if (!read.ok) return end(read.ending);
    if (read.message.type !== 'pong') {
      cancelIdle();
      cancelIdle = clock.after(limits.idleMs, () => end(ENDINGS.idle));
    }
    receive(read.message);
  });
  socket.on('close', () => end(ENDINGS.done));
  return { id, recorder, end };
}

/** Pings a client and measures the round trip. */
export type Heartbeat = Readonly<{ pong: (eventId: number) => void; stop: () => void }>;

const PING_INTERVAL_MS = 5_000;

export function startHeartbeat(
  clock: Clock,
  nextEventId: () => number,
  send: (message: ServerMessage) => void,
): Heartbeat {
  const sent = new Map<number, number>();
  let pongs = 0;
  let latency: number | null = null;
  const ping = (): void => {
    const eventId = nextEventId();
    sent.clear();
    sent.set(eventId, clock.now());
    send({ type: 'ping', ping_event: { event_id: eventId, ping_ms: latency } });
    cancel = clock.after(PING_INTERVAL_MS, ping);
  };
  let cancel = clock.after(0, ping);
  return {
    pong: (eventId) => {
      const at = sent.get(eventId);
      if (at === undefined) return;
      sent.delete(eventId);
      pongs += 1;
      // The first answer includes the client's setup.
      if (pongs > 1) latency = Math.round(clock.now() - at);
    },
    stop: () => cancel(),
  };
}
