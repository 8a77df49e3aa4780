import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import { conversationStart, type Brief, type Engine, type StartEngine } from '../engines/engine.ts';
import type { VoiceLimits } from '../settings.ts';
import type { Recorder } from '../turns/recorder.ts';
import { ENDINGS, errorMessage, type Ending } from '../wire/ending.ts';
import type { ClientMessage, Initiation } from '../wire/messages.ts';
import { observe } from '../wire/observed.ts';
import { createDelivery } from './delivery.ts';
import { startHeartbeat, type Heartbeat } from './heartbeat.ts';
import { createIntake } from './intake.ts';
import { createOutbox } from './outbox.ts';

export type ConversationOptions = Readonly<{
  socket: WebSocket;
  brief: Brief;
  /** What the ticket was for; the client's own override goes before. */
  textOnly: boolean;
  startEngine: StartEngine;
  recorder: (conversationId: string) => Recorder;
  limits: VoiceLimits;
  clock: Clock;
  log: FastifyBaseLogger;
  onEnd: () => void;
}>;

export type Conversation = Readonly<{ id: string; recorder: Recorder; end: (ending: Ending) => void }>;

const CLOSE_TIMEOUT_MS = 2_000;

type Outgoing = Readonly<{ type?: unknown }>;

/** One connection from its first frame to its close code: limits, order, recording; what is said is the engine's. */
export function holdConversation(options: ConversationOptions): Conversation {
  const { socket, clock, limits } = options;
  const id = `conv_${randomUUID()}`;
  const recorder = options.recorder(id);
  const log = options.log.child({ conversation: id });
  const intake = createIntake(limits, clock);
  const outbox = createOutbox(socket);
  const delivery = createDelivery(outbox.put, clock);
  const begun = clock.now();
  let engine: Engine | undefined;
  let heartbeat: Heartbeat | undefined;
  let lastEventId = 0;
  let over = false;

  const nextEventId = (): number => (lastEventId += 1);

  const deliver = (message: Outgoing): void => {
    // Words that were understood only after the end are kept, too.
    const seen = observe(message);
    if (seen !== undefined) recorder.add(seen);
    // A line is in the log before the client has it: a server that dies then has lost nothing that was shown.
    if (!over) delivery.send(message, seen === undefined ? undefined : recorder.written());
  };

  const end = (ending: Ending): void => {
    if (over) return;
    engine?.stop();
    const error = errorMessage(ending);
    if (error !== undefined) deliver(error);
    over = true;
    heartbeat?.stop();
    cancelIdle();
    cancelLength();
    delivery.afterAll(() => {
      outbox.flush();
      socket.close(ending.code, ending.reason);
    });
    clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate());
    log.info({ code: ending.code, reason: ending.reason, ms: Math.round(clock.now() - begun) }, 'conversation ended');
    options.onEnd();
  };

  const begin = (initiation: Initiation): void => {
    const started = options.startEngine({
      conversationId: id,
      brief: options.brief,
      start: conversationStart(initiation, options.textOnly),
      send: deliver,
      forward: deliver,
      nextEventId,
      end,
      clock,
      log,
    });
    if (over) return started.stop();
    engine = started;
    if (!engine.pings) heartbeat = startHeartbeat(clock, nextEventId, deliver);
  };

  const receive = (message: ClientMessage): void => {
    if (message.type === 'conversation_initiation_client_data') return begin(message);
    if (message.type === 'pong') heartbeat?.pong(message.event_id);
    if (message.type === 'feedback' && message.score !== null) {
      recorder.feedback({ eventId: message.event_id, score: message.score });
    }
    engine?.receive(message);
  };

  let cancelIdle = clock.after(limits.firstMessageMs, () => end(ENDINGS.silent));
  const cancelLength = clock.after(limits.lengthMs, () => end(ENDINGS.tooLong));

  socket.on('message', (data, isBinary) => {
    if (over) return;
    const taken = intake(data, isBinary);
    if (!taken.ok) return end(taken.ending);
    if (taken.message.type !== 'pong') {
      cancelIdle();
      cancelIdle = clock.after(limits.idleMs, () => end(ENDINGS.idle));
    }
    receive(taken.message);
  });
  socket.on('close', () => end(ENDINGS.done));
  return { id, recorder, end };
}
