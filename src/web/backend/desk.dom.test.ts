import { createClient } from '@supabase/supabase-js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { DeskError, getDeskProblem, isRefusal, type DeskProblem } from './desk-error.ts';
import { connectDeskServer } from './desk-server.ts';
import { connectDesk } from './desk.ts';
import { storeSession, STUB_CONFIG } from './testing/stub-server.ts';

const supabase = createClient(STUB_CONFIG.supabaseUrl, STUB_CONFIG.supabaseKey, { auth: { autoRefreshToken: false } });
const backend = { config: STUB_CONFIG, supabase };
const signal = new AbortController().signal;

afterEach(() => vi.unstubAllGlobals());

function answering(answer: () => Response | Promise<Response>) {
  storeSession();
  const called = vi.fn(async () => answer());
  vi.stubGlobal('fetch', called);
  return called;
}

const ignored = (): void => undefined;
const refused = (status: number, code: string) => () => Response.json({ code, message: 'x' }, { status });

describe('desk: what the database refuses, in words that a screen can act on', () => {
  test.each([
    ['somebody else was faster', refused(409, 'PT409'), 'conflict'],
    ['no such contribution', refused(404, 'PT404'), 'missing'],
    ['no administrator', refused(403, '42501'), 'refused'],
    ['no longer logged in', refused(401, 'PGRST301'), 'refused'],
    ['values it does not take', refused(400, '22023'), 'invalid'],
    ['something it did not expect', refused(500, 'XX000'), 'failed'],
    ['a gateway’s page', () => new Response('<html>', { status: 502 }), 'unreachable'],
    ['another answer than agreed on', () => Response.json({ items: 7 }), 'unreachable'],
    ['no answer', () => Promise.reject(new TypeError('Failed to fetch')), 'unreachable'],
  ] as const)('%s', async (_name, answer, problem) => {
    answering(answer);
    const reported: DeskProblem[] = [];
    const error = await connectDesk(backend, (one) => reported.push(one))
      .inbox({}, signal)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DeskError);
    expect(getDeskProblem(error)).toBe(problem);
    expect(reported.filter(isRefusal)).toEqual(problem === 'refused' ? ['refused'] : []);
  });

  test('whatever else went wrong is a failure', () => {
    expect(getDeskProblem(new Error('x'))).toBe('failed');
  });
});

describe('desk: our own server', () => {
  test('is shown who asks, and asked by its contract', async () => {
    const called = answering(() => Response.json({ open: [], receipts: [], next: null }));
    await connectDeskServer(backend, ignored).erasures('a b', signal);
    const [url, init] = called.mock.calls[0] as unknown as [string, { method: string; headers: Headers }];
    expect([init.method, url]).toEqual(['GET', '/v1/desk/erasures?after=a+b']);
    expect(init.headers.get('authorization')).toMatch(/^Bearer ey/);
  });

  test.each([
    [
      'a fault of the catalogue',
      () => Response.json({ error: { code: 'last_admin', message: 'x' } }, { status: 409 }),
      'last_admin',
    ],
    [
      'no administrator any more',
      () => Response.json({ error: { code: 'not_admin', message: 'x' } }, { status: 403 }),
      'not_admin',
    ],
    [
      'a fault nobody knows',
      () => Response.json({ error: { code: 'new', message: 'x' } }, { status: 409 }),
      'unreachable',
    ],
    ['a gateway’s page', () => new Response('<html>', { status: 502 }), 'unreachable'],
    ['another answer than agreed on', () => Response.json({ url: 1 }), 'unreachable'],
    ['no answer', () => Promise.reject(new TypeError('Failed to fetch')), 'unreachable'],
  ] as const)('%s', async (_name, answer, problem) => {
    answering(answer);
    const reported: DeskProblem[] = [];
    const error = await connectDeskServer(backend, (one) => reported.push(one))
      .ticket('/v1/desk/contributions/1/archive')
      .catch((caught: unknown) => caught);
    expect(getDeskProblem(error)).toBe(problem);
    expect(reported).toEqual([problem]);
  });
});
