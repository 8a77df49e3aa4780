import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { parseJson } from '#lib/parse-json.ts';

/** A loopback 'hosted service': signed addresses, and a conversation that the test speaks for. */
export type HostedService = Readonly<{
  url: string;
  /** Each call for a signed address. */
  asked: { agent: string | null; key: string | undefined }[];
  /** Addresses (with query) under which sockets were opened. */
  opened: string[];
  received: Record<string, unknown>[];
  /** The newest connection, once the initiation has come. */
  connected: () => Promise<WebSocket>;
  say: (message: object) => void;
  stop: () => Promise<void>;
}> & {
  /** signed: status of the call for an address. socket: what becomes of the connection. */
  behaviour: { signed: number | 'hang'; socket: 'works' | 'silent' | 'refuses' };
};

export const UPSTREAM_METADATA = {
  type: 'conversation_initiation_metadata',
  conversation_initiation_metadata_event: {
    conversation_id: 'conv_of_the_service',
    agent_output_audio_format: 'pcm_16000',
    user_input_audio_format: 'pcm_16000',
  },
} as const;

export async function startHostedService(): Promise<HostedService> {
  const asked: HostedService['asked'] = [];
  const opened: string[] = [];
  const received: Record<string, unknown>[] = [];
  let newest: WebSocket | undefined;
  let initiated: ((socket: WebSocket) => void) | undefined;
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '/', 'http://x');
    asked.push({ agent: address.searchParams.get('agent_id'), key: getHeader(request) });
    if (service.behaviour.signed === 'hang') return;
    response.statusCode = service.behaviour.signed;
    const signed = `ws://127.0.0.1:${getPort()}/v1/convai/conversation?agent_id=geheim&token=abc`;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(response.statusCode === 200 ? { signed_url: signed } : { detail: 'GEHEIM' }));
  });
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'convai' });
  server.on('upgrade', (request, socket, head) => {
    if (service.behaviour.socket === 'refuses') {
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      return;
    }
    opened.push(request.url ?? '');
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      newest = accepted;
      accepted.on('message', (data: Buffer) => {
        const message = parseJson(data.toString('utf8')) as Record<string, unknown>;
        received.push(message);
        if (message['type'] !== 'conversation_initiation_client_data' || service.behaviour.socket === 'silent') return;
        initiated?.(accepted);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const getPort = (): number => (server.address() as AddressInfo).port;
  const service: HostedService = {
    url: `http://127.0.0.1:${getPort()}`,
    asked,
    opened,
    received,
    behaviour: { signed: 200, socket: 'works' },
    connected: () => new Promise((resolve) => void (initiated = resolve)),
    say: (message) => newest?.send(JSON.stringify(message)),
    stop: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return service;
}

function getHeader(request: IncomingMessage): string | undefined {
  const key = request.headers['xi-api-key'];
  return typeof key === 'string' ? key : undefined;
}
