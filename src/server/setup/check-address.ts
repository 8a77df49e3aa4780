import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { CheckFindings } from '#contract/setup-parts.ts';
import { TRANSCRIPTION_PATH } from '#contract/spoken.ts';
import { CONVERSATION_PATH } from '#contract/voice.ts';
import { readJson } from '#http/limited-answer.ts';
import { SERVICE_LIMITS } from '../service-request.ts';
import { CheckError } from './check-errors.ts';

const HealthSchema = z.object({ status: z.string(), database: z.string(), storage: z.string() });
const ADDRESS_MS = 15_000;
/** A proxy that accepts the size waits for the body, which is never sent. */
const LARGE_REQUEST_MS = 3_000;

/**
 * Asks this server under its public address, as browsers will: a small request, a large one, and a WebSocket. Many
 * proxies take no more than 1 MB and pass no WebSocket on until they are told to.
 */
export async function checkAddress(publicUrl: string, bytes: number, signal: AbortSignal): Promise<CheckFindings> {
  const url = new URL(publicUrl);
  const certificateUntil = url.protocol === 'https:' ? await readCertificateEnd(url, signal) : undefined;
  const response = await fetch(new URL(`${publicUrl}/health`), {
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(ADDRESS_MS)]),
  });
  const content = await readJson(response.body, SERVICE_LIMITS.errorBytes).catch(() => undefined);
  if (!HealthSchema.safeParse(content).success) throw new CheckError('other_server', `HTTP ${response.status}`);
  if ((await announceBody(publicUrl, bytes)) === 413) throw new CheckError('body_refused', 'HTTP 413');
  await openWebSocket(publicUrl);
  return certificateUntil === undefined ? {} : { certificateUntil };
}

/** Announces a body of this size without sending it. The answer's status; undefined if none came. */
async function announceBody(publicUrl: string, bytes: number): Promise<number | undefined> {
  const { request } = publicUrl.startsWith('https:') ? https : http;
  const options = { method: 'POST', headers: { 'content-length': bytes }, timeout: LARGE_REQUEST_MS };
  const asked = request(publicUrl + TRANSCRIPTION_PATH, options).on('error', () => undefined);
  asked.flushHeaders();
  const ends = [once(asked, 'response'), once(asked, 'timeout')];
  const answers: IncomingMessage[] = await Promise.race(ends).catch(() => []);
  asked.destroy();
  return answers[0]?.statusCode;
}

/** Without a ticket, so that no interview begins. Throws CheckError `websocket_refused`. */
async function openWebSocket(publicUrl: string): Promise<void> {
  const socket = new WebSocket(publicUrl.replace(/^http/, 'ws') + CONVERSATION_PATH, { handshakeTimeout: ADDRESS_MS });
  socket.on('error', () => undefined);
  await once(socket, 'open').catch((error: Error) => {
    throw new CheckError('websocket_refused', error.message);
  });
  socket.close();
}

/** Throws CheckError where browsers would not trust the certificate. */
export function readCertificateEnd(url: URL, signal: AbortSignal, ca?: string): Promise<string> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect({
      host,
      port: url.port === '' ? 443 : Number(url.port),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(ca === undefined ? {} : { ca }),
      timeout: ADDRESS_MS,
    });
    const end = (complete: () => void): void => {
      complete();
      socket.destroy();
    };
    socket.once('secureConnect', () =>
      end(() => resolve(new Date(socket.getPeerCertificate().valid_to).toISOString())),
    );
    socket.once('timeout', () => end(() => reject(new CheckError('timeout'))));
    socket.once('error', (error) => end(() => reject(error)));
    signal.addEventListener('abort', () => end(() => reject(signal.reason)), { once: true });
  });
}
