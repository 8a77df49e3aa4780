import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { chat, INTERVIEW_LIMITS } from '#server/language-model.ts';
import { fetchSignedUrl } from '#server/voice-agent/engines/hosted-connection.ts';
import { synthesize, transcribe } from '#server/voice-agent/services.ts';

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const signal = new AbortController().signal;
const named = (url: string) => ({ url, key: 'geheim', model: 'm' });

test.each<[string, (url: string) => Promise<unknown>]>([
  ['model', (url) => chat(named(url), { messages: [], limits: INTERVIEW_LIMITS, signal }).next()],
  ['transcription', (url) => transcribe({ ...named(url), header: 'api-key' }, Buffer.alloc(2), signal)],
  ['voice', (url) => synthesize({ ...named(url), voice: 'v', sampleRate: 16_000 }, 'Guten Tag', signal).next()],
  ['hosted agent', (url) => fetchSignedUrl({ url, key: 'geheim', agents: {} }, 'agent', signal)],
])('A redirect takes neither key nor words of a %s to another host (threat 19)', async (_service, call) => {
  const reached: unknown[] = [];
  const other = await listen((request, response) => {
    reached.push(request.headers['api-key'] ?? request.headers['xi-api-key'] ?? request.url);
    response.end('{}');
  });
  const url = await listen((_request, response) => response.writeHead(307, { location: `${other}/innen` }).end());
  await expect(call(url)).rejects.toMatchObject({ name: 'ServiceError', status: 307 });
  expect(reached).toEqual([]);
});
