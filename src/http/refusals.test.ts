import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { logRefusals } from './refusals.ts';
import { TokenError } from './tokens.ts';

const USER = 'b0ee8b4c-6f0c-4b6b-9b0f-3e3b7a1d2c3d';
let lines: Record<string, unknown>[] = [];
let app: FastifyInstance;
let finish: () => void;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  lines = [];
  const log: FastifyBaseLogger = pino(
    { level: 'info' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: true,
  });
  const keys = {
    roleOfKey: (key: string) => (key === 'secret' ? 'service_role' : undefined),
    verify: async (token: string) => {
      if (token === 'good') return { sub: USER, role: 'authenticated', email: 'mara@firma-a.example' };
      throw new TokenError('signature', 'no');
    },
  };
  logRefusals(app, keys, { network: 2, all: 3 });
  app.addHook('onResponse', async () => finish());
  app.post<{ Params: { status: string } }>('/answer/:status', (request, reply) =>
    reply.code(Number(request.params.status)).send(request.body),
  );
});
afterEach(async () => {
  await app.close();
  vi.useRealTimers();
});

/** Until the hooks after the answer have run, too. */
async function ask(status: number, body: object, headers: Record<string, string> = {}): Promise<void> {
  const over = new Promise<void>((resolve) => (finish = resolve));
  await app.inject({ method: 'POST', url: `/answer/${status}?name=mara`, body, headers });
  await over;
}

test.each([
  [{ code: '42501', message: 'mara@firma-a.example' }, 403, 403, '42501'],
  [{ code: 401, error_code: 'bad_jwt', msg: 'mara' }, 401, 401, 'bad_jwt'],
  [{ error: { code: 'not_authenticated', message: 'mara' } }, 401, 401, 'not_authenticated'],
  [{ statusCode: '403', error: 'Unauthorized', message: 'mara' }, 400, 403, 'Unauthorized'],
  [{ code: 'mara@firma-a.example' }, 403, 403, undefined],
])('Logs the refusal %j with ids and without personal data (ASVS 16.3.2)', async (body, answered, status, code) => {
  await ask(answered, body, { authorization: 'Bearer good' });
  expect(lines).toMatchObject([{ level: 30, msg: 'access refused', route: '/answer/:status', status, user: USER }]);
  expect([lines[0]?.['code'], lines[0]?.['reqId']]).toEqual([code, expect.any(String)]);
  expect(JSON.stringify(lines)).not.toContain('mara');
});

test('Says whether a refused call came with a key, and believes no invalid token (ASVS 16.3.2)', async () => {
  const callers = [{ 'x-interview-key': 'k' }, { apikey: 'secret' }, { authorization: 'Bearer forged' }, {}];
  for (const [at, headers] of callers.entries()) await ask(403, {}, { ...headers, 'x-forwarded-for': `192.0.2.${at}` });
  await vi.advanceTimersByTimeAsync(60_000);
  await ask(403, {});
  expect(lines.map(({ user }) => user)).toEqual(['key', 'key', 'none', undefined, 'none']);
});

test('Writes nothing of other answers', async () => {
  for (const status of [200, 400, 404, 429, 500]) await ask(status, { code: 'x', statusCode: 404 });
  expect(lines).toEqual([]);
});

test('Writes a limited number of lines a minute, by network and in all, and counts the others', async () => {
  const flood = async (network: string): Promise<void> => {
    for (let call = 0; call < 4; call += 1) await ask(403, {}, { 'x-forwarded-for': network });
  };
  await flood('192.0.2.1');
  expect(lines).toHaveLength(2);
  await flood('192.0.2.2');
  expect(lines).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines.slice(3)).toMatchObject([{ msg: 'access refused, further lines left out', skipped: 5 }]);
  await flood('192.0.2.1');
  expect(lines).toHaveLength(6);
});
