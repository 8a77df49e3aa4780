import type { Clock } from '../clock.ts';
import type { ServerMessage } from '../wire/messages.ts';

/** Pings a client and measures the way there and back. */
export type Heartbeat = Readonly<{ pong: (eventId: number) => void; stop: () => void }>;

const EVERY_MS = 5_000;

export function startHeartbeat(
  clock: Clock,
  nextEventId: () => number,
  send: (message: ServerMessage) => void,
): Heartbeat {
  const sent = new Map<number, number>();
  let pongs = 0;
  let latency: number | null = null;
  const beat = (): void => {
    const eventId = nextEventId();
    sent.clear();
    sent.set(eventId, clock.now());
    send({ type: 'ping', ping_event: { event_id: eventId, ping_ms: latency } });
    cancel = clock.after(EVERY_MS, beat);
  };
  let cancel = clock.after(0, beat);
  return {
    pong: (eventId) => {
      const at = sent.get(eventId);
      if (at === undefined) return;
      sent.delete(eventId);
      pongs += 1;
      // The first answer waits until the client has set itself up.
      if (pongs > 1) latency = Math.round(clock.now() - at);
    },
    stop: () => cancel(),
  };
}
