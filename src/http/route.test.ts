import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { HttpError, isRequestError, answerErrors } from './errors.ts';
import { createRouteKind } from './route.ts';

const Body = z.object({ name: z.string().optional() });
type Context = Readonly<{ steps: string[] }>;

const memberRoute = createRouteKind<Context, string, unknown, { at: number }>({
  caller: 'member',
  admit: async ({ context, request, spec }, run) => {
    if (spec.limit === 'none-left') throw new HttpError(429, 'too_many', 'Too many requests');
    context.steps.push('caller');
    if (request.headers.authorization === undefined) throw new HttpError(401, 'no_member', 'No member');
    return run('mara', { at: 7 });
  },
  parseBody: (schema, body) => {
    const result = z.safeParse(schema, body);
    if (result.success) return result.data;
    throw new HttpError(400, 'invalid', 'The body is not valid', { cause: result.error });
  },
});

let app: FastifyInstance;
let context: Context;
let logged: unknown[];
beforeEach(() => {
  app = fastify();
  context = { steps: [] };
  logged = [];
  answerErrors<HttpError>(app, {
    convert: (thrown) => {
      if (thrown instanceof HttpError) return thrown;
      return new HttpError(isRequestError(thrown) ? thrown.statusCode : 500, 'other', 'Other', { cause: thrown });
    },
    answer: ({ code, status }) => ({ body: { code }, headers: status === 429 ? { 'retry-after': 3 } : {} }),
    log: ({ code }, { status, thrown }) => void logged.push([code, status, thrown instanceof Error]),
  });
});
afterEach(() => app.close());

const MEMBER = { authorization: 'Bearer x' };

test('Hands caller, validated body and more input to the handler, and answers with the declared status', async () => {
  memberRoute({ method: 'POST', url: '/a', body: Body, status: 201 }, async ({ body, at }, caller) => {
    return { body, at, caller };
  }).mount(app, context);
  const answer = await app.inject({ method: 'POST', url: '/a', body: { name: 'x', more: 1 }, headers: MEMBER });
  expect([answer.statusCode, answer.json()]).toEqual([201, { body: { name: 'x' }, at: 7, caller: 'mara' }]);
});

test('Answers 204 without a body where the handler returns nothing', async () => {
  memberRoute({ method: 'DELETE', url: '/a', status: 204 }, async () => undefined).mount(app, context);
  const answer = await app.inject({ method: 'DELETE', url: '/a', headers: MEMBER });
  expect([answer.statusCode, answer.payload]).toEqual([204, '']);
});

test('Refuses the caller before the body, and the body before the handler', async () => {
  const handle = async ({ context }: { context: Context }): Promise<object> => {
    context.steps.push('handler');
    return {};
  };
  memberRoute({ method: 'POST', url: '/a', body: Body }, handle).mount(app, context);
  const post = (headers: Record<string, string>) =>
    app.inject({ method: 'POST', url: '/a', body: { name: 1 }, headers });
  expect((await post({})).json()).toEqual({ code: 'no_member' });
  expect((await post(MEMBER)).json()).toEqual({ code: 'invalid' });
  expect(context.steps).toEqual(['caller', 'caller']);
});

test.each([
  ['optional', 200],
  [undefined, 400],
] as const)('Takes a missing body for {} only where it is optional: %s', async (presence, status) => {
  const spec = { method: 'POST', url: '/a', body: Body, ...(presence === undefined ? {} : { presence }) } as const;
  memberRoute(spec, async ({ body }) => body).mount(app, context);
  expect((await app.inject({ method: 'POST', url: '/a', headers: MEMBER })).statusCode).toBe(status);
});

test('Answers errors in the form of the protocol and logs them, but not those that refuse access', async () => {
  memberRoute({ method: 'GET', url: '/limited', limit: 'none-left' }, async () => ({})).mount(app, context);
  memberRoute({ method: 'POST', url: '/broken' }, async () => {
    throw new TypeError('secret');
  }).mount(app, context);
  const limited = await app.inject({ url: '/limited' });
  expect([limited.statusCode, limited.headers['retry-after'], limited.json()]).toEqual([
    429,
    '3',
    { code: 'too_many' },
  ]);
  const broken = { method: 'POST', url: '/broken' } as const;
  expect((await app.inject({ ...broken, headers: MEMBER })).payload).toBe('{"code":"other"}');
  expect((await app.inject(broken)).statusCode).toBe(401);
  const json = { ...MEMBER, 'content-type': 'application/json' };
  expect((await app.inject({ ...broken, payload: '{', headers: json })).statusCode).toBe(400);
  expect(logged).toEqual([
    ['too_many', 429, true],
    ['other', 500, true],
    ['other', 400, true],
  ]);
});

test('Names an error by its class, so that a log shows the protocol', () => {
  class DeskError extends HttpError<'gone'> {}
  const cause = new Error('why');
  const error = new DeskError(410, 'gone', 'It is gone', { cause });
  expect([error.name, error.status, error.code, error.message, error.cause]).toEqual([
    'DeskError',
    410,
    'gone',
    'It is gone',
    cause,
  ]);
});
