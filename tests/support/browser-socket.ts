import { WebSocket } from 'ws';

/**
 * Delivers each message in a task of its own, as browsers do. Node's own WebSocket delivers everything that one packet
 * holds at once: the official client then misses the first words, which follow the message that it waits for.
 */
export class BrowserSocket extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols, { allowSynchronousEvents: false });
  }
}
