import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from './config.ts';
import { noConnection, storeSession, STUB_CONFIG, stubServer } from '#tests/support/web/stub-server.ts';

const CONFIG = 'GET /config.json';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('asks the server', async () => {
  stubServer({ [CONFIG]: () => Response.json(STUB_CONFIG) });
  await expect(loadConfig()).resolves.toEqual(STUB_CONFIG);
});

it('a reload without network uses the last one seen', async () => {
  stubServer({ [CONFIG]: () => Response.json(STUB_CONFIG) });
  await loadConfig();
  stubServer({ [CONFIG]: noConnection });
  await expect(loadConfig()).resolves.toEqual(STUB_CONFIG);
});

it('is the newest one also on a device that has no space to keep it (§4)', async () => {
  stubServer({ [CONFIG]: () => Response.json(STUB_CONFIG) });
  await loadConfig();
  const full = () => {
    throw new DOMException('', 'QuotaExceededError');
  };
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(full);
  const newer = { ...STUB_CONFIG, supabaseKey: 'sb_publishable_newer' };
  stubServer({ [CONFIG]: () => Response.json(newer) });
  await expect(loadConfig()).resolves.toEqual(newer);
  localStorage.clear();
  await expect(loadConfig()).resolves.toEqual(newer);
});

describe('Where the browser lets no page keep anything (§4)', () => {
  const NAMES = ['localStorage', 'sessionStorage'];
  const given = NAMES.map((name) => Object.getOwnPropertyDescriptor(globalThis, name) ?? {});
  afterEach(() => NAMES.forEach((name, index) => Object.defineProperty(globalThis, name, given[index] ?? {})));

  it('all works until the page is closed', async () => {
    const get = () => {
      throw new DOMException('', 'SecurityError');
    };
    for (const name of NAMES) Object.defineProperty(globalThis, name, { get, configurable: true });
    vi.resetModules();
    const page = { ...(await import('./config.ts')), ...(await import('./stored-session.ts')) };
    stubServer({ [CONFIG]: () => Response.json(STUB_CONFIG) });
    await page.loadConfig();
    stubServer({ [CONFIG]: noConnection });
    await expect(page.loadConfig()).resolves.toEqual(STUB_CONFIG);
    expect(page.findAnySession(0)).toBe('none');
    storeSession();
    expect([page.findAnySession(0), Object.keys(localStorage).length]).toEqual(['live', 2]);
    localStorage.removeItem('app_config');
    expect(localStorage.getItem('app_config')).toBeNull();
    (await import('./browser-storage.ts')).clearUserData();
    expect(Object.keys(localStorage)).toEqual([]);
  });
});

it.each([
  ['no network', noConnection],
  ['an error', () => new Response('', { status: 502 })],
  ['another page', () => new Response('<html>', { status: 200 })],
  ['something else', () => Response.json({ hello: 1 })],
])('fails without a kept one on %s', async (_name, answer) => {
  stubServer({ [CONFIG]: answer });
  await expect(loadConfig()).rejects.toThrow();
});

it('a kept one that is damaged is none', async () => {
  localStorage.setItem('app_config', '{"brand":');
  stubServer({ [CONFIG]: noConnection });
  await expect(loadConfig()).rejects.toThrow('Failed to fetch');
});

it.each([
  ['the kept one after 5 s', true, 5_000],
  ['an error after 30 s where none is kept', false, 30_000],
])('On a line that hangs: %s (§4)', async (_name, kept, ms) => {
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort(new Error('timed out')));
  if (kept) localStorage.setItem('app_config', JSON.stringify(STUB_CONFIG));
  vi.stubGlobal('fetch', (_input: string, { signal }: RequestInit) =>
    // As the browser does: a request that never ends but by its signal.
    signal?.aborted === true ? Promise.reject(signal.reason) : new Promise(() => undefined),
  );
  if (kept) await expect(loadConfig()).resolves.toEqual(STUB_CONFIG);
  else await expect(loadConfig()).rejects.toThrow('timed out');
  expect(timeout).toHaveBeenCalledWith(ms);
});
