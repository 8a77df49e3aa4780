import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBackendClient, fetchInProcess } from './backend-client.ts';

let app: FastifyInstance;
beforeEach(() => {
  app = fastify();
});
afterEach(() => app.close());

const URL = 'http://127.0.0.1:1';

test('Answers without a connection, with method, address, headers and body as sent', async () => {
  app.all('/rest/*', (request, reply) =>
    reply.code(418).header('x-seen', String(request.headers.authorization)).send({
      method: request.method,
      url: request.url,
      host: request.host,
      body: request.body,
    }),
  );
  const answer = await fetchInProcess(app)(`${URL}/rest/v1/x?a=%26`, {
    method: 'POST',
    headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
    body: '{"grüße":1}',
  });
  expect([answer.status, answer.headers.get('x-seen')]).toEqual([418, 'Bearer t']);
  expect(await answer.json()).toEqual({
    method: 'POST',
    url: '/rest/v1/x?a=%26',
    host: '127.0.0.1:1',
    body: { grüße: 1 },
  });
});

test('Works as the fetch of the official client, also for an empty answer', async () => {
  app.get('/rest/v1/roles', (request) => [{ key: request.headers['apikey'], by: request.headers.authorization }]);
  app.post('/rest/v1/rpc/touch', (_request, reply) => reply.code(204).send());
  const client = createBackendClient({ url: URL, fetch: fetchInProcess(app) }, 'key', 'token');
  expect(await client.from('roles').select()).toMatchObject({ data: [{ key: 'key', by: 'Bearer token' }] });
  expect(await client.rpc('touch', {})).toMatchObject({ error: null, status: 204 });
});

test('Is unavailable (503) once the server is closed, as over the network', async () => {
  const call = fetchInProcess(app);
  await app.ready();
  await app.close();
  expect((await call(`${URL}/x`)).status).toBe(503);
});

test('Gives up when the caller does', async () => {
  app.get('/slow', () => new Promise(() => undefined));
  const stop = new AbortController();
  const call = fetchInProcess(app)(`${URL}/slow`, { signal: stop.signal });
  stop.abort();
  await expect(call).rejects.toThrow(/abort/i);
});
