import { WebSocket } from 'ws';
import { z } from 'zod';
import { readJson } from '#http/limited-answer.ts';
import { requestService, SERVICE_LIMITS, ServiceError } from '../../service-request.ts';
import type { HostedService } from '../settings.ts';

const SignedUrlSchema = z.object({ signed_url: z.url({ protocol: /^wss?$/ }) });
const CONNECT_TIMEOUT_MS = 8_000;

/**
 * Opens a socket to the hosted service with the server's key. It is paused, so that no message comes before its reader.
 * Throws ServiceError, or what fetch and ws throw.
 */
export async function connectHosted(service: HostedService, agent: string, signal: AbortSignal): Promise<WebSocket> {
  const address = await fetchSignedUrl(service, agent, signal);
  const socket = new WebSocket(address, ['convai'], {
    handshakeTimeout: CONNECT_TIMEOUT_MS,
    maxPayload: SERVICE_LIMITS.hostedFrameBytes,
    perMessageDeflate: false,
  });
  signal.addEventListener('abort', () => socket.terminate(), { once: true });
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.pause();
      resolve(socket);
    });
    socket.once('unexpected-response', (_, response) => {
      reject(new ServiceError('hosted voice agent', response.statusCode ?? 0));
      socket.terminate();
    });
    socket.on('error', reject);
  });
}

/** The address of one conversation. Throws ServiceError, ZodError, or what fetch throws. */
export async function fetchSignedUrl(service: HostedService, agent: string, signal: AbortSignal): Promise<string> {
  const address = new URL('/v1/convai/conversation/get-signed-url', service.url);
  address.searchParams.set('agent_id', agent);
  const response = await requestService('hosted voice agent', address, {
    headers: { 'xi-api-key': service.key },
    signal: AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]),
  });
  return SignedUrlSchema.parse(await readJson(response.body, SERVICE_LIMITS.signedUrlBytes)).signed_url;
}
