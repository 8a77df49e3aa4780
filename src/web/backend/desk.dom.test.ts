import { createClient } from '@supabase/supabase-js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { connectDesk, DeskError, type DeskProblem, getDeskProblem, isRefusal } from './desk.ts';
import { connectDeskServer } from './desk-server.ts';
import { connectPosts, type PostDraft, type Posts } from './posts.ts';
import { deskPost } from '#tests/support/web/desk-items.ts';
import { storeSession, STUB_CONFIG } from '#tests/support/web/stub-server.ts';

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

describe('Desk: codes for refusals of the database', () => {
  test.each([
    ['a conflict', refused(409, 'PT409'), 'conflict'],
    ['no such contribution', refused(404, 'PT404'), 'missing'],
    ['not an administrator', refused(403, '42501'), 'refused'],
    ['an expired session', refused(401, 'PGRST301'), 'refused'],
    ['invalid values', refused(400, '22023'), 'invalid'],
    ['an internal error', refused(500, 'XX000'), 'failed'],
    ['a gateway’s page', () => new Response('<html>', { status: 502 }), 'unreachable'],
    ['an answer outside the contract', () => Response.json({ items: 7 }), 'unreachable'],
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

  test('Maps every other error to failed', () => {
    expect(getDeskProblem(new Error('x'))).toBe('failed');
  });
});

describe('Desk: a hosted project that does not compare yet what was seen', () => {
  const seen = { ...deskPost(), version: 1 };
  const draft: PostDraft = { body: 'Neu.', pictures: [], origin: 'person', model: null };

  test.each([
    ['saves a post', (posts: Posts) => posts.save(seen, draft)],
    ['moves a post', (posts: Posts) => posts.move(seen, { state: 'declined' })],
  ])('%s (posts)', async (_name, call) => {
    const called = vi.fn(async (_url: string, { body }: { body: string }) =>
      body.includes('"seen"') ? refused(404, 'PGRST202')() : Response.json(deskPost({ version: 2 })),
    );
    storeSession();
    vi.stubGlobal('fetch', called);
    expect((await call(connectPosts(backend, ignored))).version).toBe(2);
    expect(called).toHaveBeenCalledTimes(2);
  });
});

describe('Desk: own server', () => {
  test('Sends the access token and the query', async () => {
    const called = answering(() => Response.json({ open: [], receipts: [], next: null }));
    await connectDeskServer(backend, ignored).erasures('a b', signal);
    const [url, init] = called.mock.calls[0] as unknown as [string, { method: string; headers: Headers }];
    expect([init.method, url]).toEqual(['GET', '/v1/desk/erasures?after=a+b']);
    expect(init.headers.get('authorization')).toMatch(/^Bearer ey/);
  });

  test.each([
    [
      'an error of the catalogue',
      () => Response.json({ error: { code: 'last_admin', message: 'x' } }, { status: 409 }),
      'last_admin',
    ],
    [
      'a revoked administrator',
      () => Response.json({ error: { code: 'not_admin', message: 'x' } }, { status: 403 }),
      'not_admin',
    ],
    [
      'an unknown error code',
      () => Response.json({ error: { code: 'new', message: 'x' } }, { status: 409 }),
      'unreachable',
    ],
    ['a gateway’s page', () => new Response('<html>', { status: 502 }), 'unreachable'],
    ['an answer outside the contract', () => Response.json({ url: 1 }), 'unreachable'],
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
