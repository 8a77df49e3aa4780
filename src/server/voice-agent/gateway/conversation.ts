import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { WebSocket } from 'ws';
import { repeat, type Clock } from '../clock.ts';
import { readConversationStart, type Brief, type Engine, type StartEngine } from '../engines/engine.ts';
import type { VoiceLimits } from '../settings.ts';
import type { TurnLogWriter } from '../turns/turn-log-writer.ts';
import { createErrorMessage, ENDINGS, type Ending } from '../errors.ts';
import { readObservation, type ClientMessage, type Initiation, type ServerMessage } from '../wire.ts';
import { createDelivery, createFrameReader, createSendQueue } from './frames.ts';

export type ConversationOptions = Readonly<{
  socket: WebSocket;
  brief: Brief;
  /** The ticket's choice; the client's override takes precedence. */
  textOnly: boolean;
  startEngine: StartEngine;
  createTurnLog: (conversationId: string) => TurnLogWriter;
  limits: VoiceLimits;
  clock: Clock;
  log: FastifyBaseLogger;
  onEnd: () => void;
}>;

export type Conversation = Readonly<{
  id: string;
  turnLog: TurnLogWriter;
  end: (ending: Ending) => void;
  /** Resolves once the words that were spoken before the end are understood and recorded. */
  lastWords: () => Promise<void>;
}>;

const CLOSE_TIMEOUT_MS = 2_000;
/** A client that is shown the last lines keeps them, whatever becomes of the database. */
const SHOW_AT_END_MS = 1_000;
const UNANSWERED_PINGS = 3;

type Outgoing = Readonly<{ type?: unknown }>;

/**
 * Runs one connection from its first frame to its close code: limits, order and recording. The engine makes the turns.
 */
export function runConversation(options: ConversationOptions): Conversation {
  const { socket, clock, limits } = options;
  const id = `conv_${randomUUID()}`;
  const turnLog = options.createTurnLog(id);
  const log = options.log.child({ conversation: id });
  const line = createClientLine(options, turnLog);
  // `end` is set below; the host never calls it before the first message.
  const host = createEngineHost(options, { id, log, turnLog, send: line.sendAndRecord, end: (ending) => end(ending) });
  const startedAt = clock.now();
  let ended = false;
  let lastWords: Promise<void> | void;

  const end = (ending: Ending): void => {
    if (ended) return;
    ended = true;
    lastWords = host.stop();
    line.close(ending);
    cancelIdle();
    cancelLength();
    const ms = Math.round(clock.now() - startedAt);
    log.info({ code: ending.code, reason: ending.reason, ms }, 'conversation ended');
    options.onEnd();
  };

  let cancelIdle = clock.after(limits.firstMessageMs, () => end(ENDINGS.silent));
  const cancelLength = clock.after(limits.lengthMs, () => end(ENDINGS.tooLong));
  const readFrame = createFrameReader(limits, clock);
  socket.on('message', (data, isBinary) => {
    if (ended) return;
    const read = readFrame(data, isBinary);
    if (!read.ok) return end(read.ending);
    if (read.message.type !== 'pong') {
      cancelIdle();
      cancelIdle = clock.after(limits.idleMs, () => end(ENDINGS.idle));
    }
    host.receive(read.message);
  });
  socket.on('close', () => end(ENDINGS.done));
  return { id, turnLog, end, lastWords: async () => lastWords };
}

/** Sends to the client in order, and closes the connection after what was sent; cuts one that is dead. */
function createClientLine({ socket, clock, limits }: ConversationOptions, turnLog: TurnLogWriter) {
  const queue = createSendQueue(socket);
  const delivery = createDelivery(queue.put, clock);
  let closed = false;
  let unanswered = 0;
  for (const sign of ['message', 'pong']) socket.on(sign, () => (unanswered = 0));
  // A browser answers these pings by itself. They are counted, so that a busy server reads an answer before it cuts.
  const stopPings = repeat(clock, limits.lostMs / UNANSWERED_PINGS, () => {
    if ((unanswered += 1) > UNANSWERED_PINGS) socket.terminate();
    else socket.ping();
  });
  /** The only place where turns are recorded. */
  const sendAndRecord = (message: Outgoing): void => {
    // Words transcribed after the end are recorded as well.
    const observation = readObservation(message);
    if (observation !== undefined) turnLog.add(observation);
    // A turn is logged before the client shows it, so a crash loses nothing that was shown.
    if (!closed) delivery.send(message, observation === undefined ? undefined : turnLog.written());
  };
  const close = (ending: Ending): void => {
    const error = createErrorMessage(ending);
    if (error !== undefined) sendAndRecord(error);
    closed = true;
    stopPings();
    delivery.afterAll(() => {
      queue.flush();
      socket.close(ending.code, ending.reason);
    });
    clock.after(SHOW_AT_END_MS, delivery.hurry);
    clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate());
  };
  return { sendAndRecord, close };
}

type EngineHostContext = Readonly<{
  id: string;
  log: FastifyBaseLogger;
  turnLog: TurnLogWriter;
  send: (message: Outgoing) => void;
  end: (ending: Ending) => void;
}>;

/** Starts the engine at the client's first message and passes the others on to it. */
function createEngineHost(
  { clock, brief, textOnly, startEngine }: ConversationOptions,
  { id, log, turnLog, send, end }: EngineHostContext,
) {
  let engine: Engine | undefined;
  let heartbeat: ReturnType<typeof startHeartbeat> | undefined;
  let lastEventId = 0;
  let stopped = false;
  const nextEventId = (): number => (lastEventId += 1);

  const start = (initiation: Initiation): void => {
    const begin = readConversationStart(initiation, textOnly);
    const context = { conversationId: id, brief, start: begin, nextEventId, end, clock, log };
    const started = startEngine({ ...context, send, forward: send });
    if (stopped) return void started.stop();
    engine = started;
    if (!engine.pings) heartbeat = startHeartbeat(clock, nextEventId, send);
  };

  const receive = (message: ClientMessage): void => {
    if (message.type === 'conversation_initiation_client_data') return start(message);
    if (message.type === 'pong') heartbeat?.pong(message.event_id);
    if (message.type === 'feedback' && message.score !== null) {
      turnLog.feedback({ eventId: message.event_id, score: message.score });
    }
    engine?.receive(message);
  };

  const stop = (): Promise<void> | void => {
    stopped = true;
    heartbeat?.stop();
    return engine?.stop();
  };
  return { receive, stop };
}

const PING_INTERVAL_MS = 5_000;

/** Pings a client and measures the round trip. */
export function startHeartbeat(clock: Clock, nextEventId: () => number, send: (message: ServerMessage) => void) {
  let sent: Readonly<{ eventId: number; at: number }> | undefined;
  let pongs = 0;
  let latency: number | null = null;
  const ping = (): void => {
    const eventId = nextEventId();
    sent = { eventId, at: clock.now() };
    send({ type: 'ping', ping_event: { event_id: eventId, ping_ms: latency } });
  };
  const stop = repeat(clock, PING_INTERVAL_MS, ping);
  return {
    pong: (eventId: number): void => {
      if (sent?.eventId !== eventId) return;
      pongs += 1;
      // The first answer includes the client's setup.
      if (pongs > 1) latency = Math.round(clock.now() - sent.at);
      sent = undefined;
    },
    stop,
  };
}
