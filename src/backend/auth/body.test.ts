import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { useEnvelope } from './body.ts';
import { ERRORS } from './errors.ts';

async function answer(error: () => Error): Promise<{ status: number; body: unknown; lines: string[] }> {
  const lines: string[] = [];
  const app = fastify({ logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } } });
  await app.register(async (scope) => {
    useEnvelope(scope);
    scope.get('/', async () => {
      throw error();
    });
  });
  const { statusCode, json } = await app.inject('/');
  return { status: statusCode, body: json(), lines };
}

test('Tells a client that too many log in at once, without a line in the log (decision 0330)', async () => {
  const { status, body, lines } = await answer(ERRORS.loginsBusy);
  expect([status, lines]).toEqual([503, []]);
  expect(body).toMatchObject({ code: 503, error_code: 'over_request_rate_limit' });
});

test('Logs an error of its own with the id that the answer names, without its text', async () => {
  const { status, body, lines } = await answer(() => Object.assign(new Error('row of Ada'), { code: '23505' }));
  expect([status, lines.length]).toEqual([500, 1]);
  expect(lines[0]).toContain((body as { error_id: string }).error_id);
  expect(lines[0]).not.toContain('Ada');
  const place = expect.stringMatching(/^at .*body\.test\.ts/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ stack: expect.arrayContaining([place]) });
});
