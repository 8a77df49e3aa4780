import { afterEach, expect, it, vi } from 'vitest';
import { loadConfig } from './config.ts';
import { noConnection, STUB_CONFIG, stubServer } from './testing/stub-server.ts';

const CONFIG = 'GET /config.json';

afterEach(() => vi.unstubAllGlobals());

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
