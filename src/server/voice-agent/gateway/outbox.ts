import { WebSocket } from 'ws';

/** What goes to one client, in order, the metadata first. */
export type Outbox = Readonly<{
  put: (message: Readonly<{ type?: unknown }>) => void;
  /** Sends what waits, at once. */
  flush: () => void;
}>;

/** A client that reads nothing: what waits for it is this much at most. */
const UNREAD_MAX = 4 * 1024 * 1024;
/** The official client listens anew once it has the metadata; where both arrive together, it misses what follows. */
const AFTER_METADATA_MS = 30;

export function createOutbox(socket: WebSocket): Outbox {
  let introduced = false;
  let waiting: string[] | undefined;

  const send = (text: string): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(text);
    if (socket.bufferedAmount > UNREAD_MAX) socket.terminate();
  };

  const flush = (): void => {
    const texts = waiting ?? [];
    waiting = undefined;
    for (const text of texts) send(text);
  };

  const introduce = (metadata: string): void => {
    introduced = true;
    send(metadata);
    waiting = [];
    // The wall's time, not the conversation's: this is about packets.
    setTimeout(flush, AFTER_METADATA_MS);
  };

  return {
    put: (message) => {
      const text = JSON.stringify(message);
      if (message.type === 'conversation_initiation_metadata') introduce(text);
      // Whatever comes before the metadata would be swallowed by the client, and its start would hang.
      else if (!introduced) return;
      else if (waiting === undefined) send(text);
      else waiting.push(text);
    },
    flush,
  };
}
