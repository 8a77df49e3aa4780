import { readdir } from 'node:fs/promises';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootHosted, bootServer, type TestServer } from '#tests/support/boot.ts';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer({ TRUST_PROXY: 'true' });
});
afterAll(() => server.stop());

const FOREIGN = { origin: 'https://elsewhere.test' };
const PREFLIGHT = {
  ...FOREIGN,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization',
};

describe('Headers that keep answers out of caches and out of guesses (ASVS 14.3.2)', () => {
  test.each(['/rest/v1/interviews?select=id', '/rest/v1/nothing', '/rest/v1/', '/rest/v1/a/b', '/rest/v1/rpc/nothing'])(
    'GET %s is neither stored nor sniffed',
    async (path) => {
      const { headers } = await fetch(`${server.url}${path}`, {
        headers: { apikey: server.backend.keys.publishableKey },
      });
      expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff']);
    },
  );

  test.each(['/auth/v1/user', '/v1/desk/people', '/v1/accounts', '/v1/convai/ticket', '/nothing/v1', '/config.json'])(
    'GET %s is not sniffed',
    async (path) => {
      const { headers } = await fetch(`${server.url}${path}`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );
});

describe('Files of the application (decision 0306)', () => {
  const open = (path: string, encoding: string) =>
    fetch(`${server.url}${path}`, { headers: { ...FOREIGN, 'accept-encoding': encoding } });
  const findFile = async (ending: RegExp): Promise<string> => {
    const names = await readdir(new URL('../../dist/web/assets/', import.meta.url));
    return `/assets/${names.find((name) => ending.test(name)) ?? expect.fail(String(ending))}`;
  };

  test('A script comes as it was compressed by the build, and is kept for every encoding apart', async () => {
    const path = await findFile(/^client-.*\.js$/);
    const plain = await open(path, 'identity');
    const text = await plain.text();
    expect(plain.headers.get('content-encoding')).toBeNull();
    for (const encoding of ['br', 'gzip']) {
      const answer = await open(path, encoding);
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(answer.headers.get('content-type')).toBe(plain.headers.get('content-type'));
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(answer.headers.get('vary')).toBe('accept-encoding');
      expect(await answer.text()).toBe(text);
    }
  });

  test('Each first screen names its files, the start page too (decision 0284)', async () => {
    const filesOf = async (path: string) => (await open(path, 'br')).headers.get('link') ?? '';
    expect(await filesOf('/')).toContain('</assets/start-');
    expect(await filesOf('/firma-a/upload')).toContain('</assets/contributor-upload-');
    expect(await filesOf('/firma-a/upload')).not.toContain('</assets/client-');
  });

  test('A file of another version is missing: as a page, the service worker would keep it as the script', async () => {
    for (const file of ['client-00000000.js', 'start-00000000.css', 'inter-00000000.woff2']) {
      const answer = await open(`/assets/${file}`, 'br');
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    }
    expect((await open('/upload', 'br')).headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  test('HEAD says of a page what GET says (RFC 9110 §9.3.2)', async () => {
    for (const path of ['/', '/upload', '/assets/client-00000000.js', '/auth/v1/nothing']) {
      const [get, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => fetch(`${server.url}${path}`, { method, headers: FOREIGN })),
      );
      const said = (answer?: Response) => [answer?.status, answer?.headers.get('content-type')];
      expect([path, ...said(head)]).toEqual([path, ...said(get)]);
    }
  });

  test('The page and the worker have the policy of pages; a script has what browsers read of scripts', async () => {
    const policyOf = async (path: string) => (await open(path, 'br')).headers.get('content-security-policy');
    expect(await policyOf('/upload')).toContain("script-src 'self'");
    expect(await policyOf(await findFile(/worker-.*\.js$/))).toContain("script-src 'self'");
    const widget = await policyOf('/captcha.html');
    expect(widget, 'of no use to anybody where no captcha is asked for').toContain("frame-ancestors 'none'");
    expect(widget).not.toContain('http');
    const { headers } = await open(await findFile(/^client-.*\.js$/), 'br');
    expect([headers.get('content-security-policy'), headers.get('access-control-allow-origin')]).toEqual([null, null]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  test('Under another name than PUBLIC_URL the page reaches its backend, too (decision 0395)', async () => {
    const named = await bootServer({ PUBLIC_URL: 'https://beitrag.test' });
    const { supabaseUrl } = await fetch(`${named.url}/config.json`).then((answer) => answer.json());
    const policy = (await fetch(named.url)).headers.get('content-security-policy');
    await named.stop();
    expect(policy).toContain(`connect-src 'self' ${supabaseUrl};`);
  });

  test('A backend elsewhere comes with a new service worker, which fetches the page with its policy again', async () => {
    const hosted = await bootHosted(server);
    const [own, own2, moved] = await Promise.all(
      [server, server, hosted].map(({ url }) => fetch(`${url}/sw.js`).then((answer) => answer.text())),
    );
    const etag = (await fetch(`${server.url}/sw.js`)).headers.get('etag') ?? '';
    const again = await fetch(`${server.url}/sw.js`, { headers: { 'if-none-match': etag } });
    await hosted.stop();
    const revision = (worker = '') => /"index\.html",revision:"([^"]{40,})"/.exec(worker)?.[1] ?? expect.fail(worker);
    expect([own2, again.status]).toEqual([own, 304]);
    expect(revision(moved)).not.toBe(revision(own));
  });

  test('Chats, tabs and home screens have the name of the product before any script has run (D8)', async () => {
    const product = 'Werkstatt & Co. <Köln> $&';
    const named = await bootServer({ BRAND_PRODUCT: product });
    const [page, manifest, worker] = await Promise.all(
      ['/upload', '/manifest.webmanifest', '/sw.js'].map((path) => fetch(`${named.url}${path}`).then((a) => a.text())),
    );
    await named.stop();
    const read = (path: string) => open(path, 'br').then((answer) => answer.text());
    expect(page).toContain('<title>Werkstatt &amp; Co. &lt;Köln> $&amp;</title>');
    const about = JSON.parse(manifest ?? '');
    expect(about).toMatchObject({ name: product, short_name: product, start_url: '/' });
    expect(page, 'and what it is for').toContain(`<meta name="description" content="${about.description}" />`);
    expect(worker, 'is another one, which fetches the page again').not.toBe(await read('/sw.js'));
    const usual = JSON.parse(await read('/manifest.webmanifest'));
    expect(usual).toMatchObject({ name: 'Social-Media-Content-Assistent', short_name: 'Content' });
  });

  test('The page is sent small, whatever its address', async () => {
    const plain = await (await open('/', 'identity')).text();
    for (const path of ['/', '/index.html', '/upload', '/firma-a/upload?x']) {
      const page = await open(path, 'gzip, deflate, br');
      const told = ['content-encoding', 'content-type', 'cache-control', 'vary'].map((name) => page.headers.get(name));
      expect([path, ...told]).toEqual([path, 'br', 'text/html; charset=utf-8', 'no-cache', 'accept-encoding']);
      expect(await page.text()).toBe(plain);
    }
  });
});

describe('Other origins (ASVS 3.4.2)', () => {
  test.each([
    '/v1/desk/people',
    '/v1/desk/erasures',
    '/v1/accounts',
    '/v1/accounts/nothing',
    '/v1/setup/parts',
    '/v1/setup/transcription',
  ])('%s answers the own origin alone', async (path) => {
    const answers = [
      await fetch(`${server.url}${path}`, { headers: FOREIGN }),
      await fetch(`${server.url}${path}`, { method: 'OPTIONS', headers: PREFLIGHT }),
    ];
    expect(answers.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual([null, null]);
  });

  test.each(['/auth/v1/user', '/rest/v1/interviews', '/storage/v1/bucket', '/v1/convai/ticket', '/config.json'])(
    '%s answers every origin, as the official clients need it (supabase-contract §0)',
    async (path) => {
      const answers = [
        await fetch(`${server.url}${path}`, { headers: FOREIGN }),
        await fetch(`${server.url}${path}`, { method: 'OPTIONS', headers: PREFLIGHT }),
      ];
      expect(answers.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual(['*', '*']);
    },
  );
});

describe('Services that are not served here', () => {
  test.each(['/realtime/v1/websocket', '/realtime/v1', '/functions/v1/hello', '/graphql/v1'])(
    'GET %s is 404 in JSON, never the application',
    async (path) => {
      const response = await fetch(`${server.url}${path}`, { headers: { accept: 'text/html' } });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
    },
  );

  test('The official client reports a function that does not exist', async () => {
    const client = createClient(server.url, server.backend.keys.publishableKey);
    const { error } = await client.functions.invoke('hello');
    expect(error).toMatchObject({ name: 'FunctionsHttpError', context: { status: 404 } });
  });
});

test('TRUST_PROXY=true counts a caller by the last address of X-Forwarded-For, whatever stands before it', async () => {
  const limited = await bootServer({ TRUST_PROXY: 'true', AUTH_RATE_LIMIT: '1' });
  const statuses = async (address: (at: number) => string): Promise<number[]> => {
    const calls = Array.from({ length: 40 }, (_, at) =>
      fetch(`${limited.url}/auth/v1/verify`, {
        method: 'POST',
        headers: { 'x-forwarded-for': address(at), 'content-type': 'application/json' },
        body: '{}',
      }),
    );
    return (await Promise.all(calls)).map(({ status }) => status);
  };
  expect(await statuses((at) => `203.0.113.${at}`)).not.toContain(429);
  expect(await statuses((at) => `203.0.113.${at}, 198.51.100.1`)).toContain(429);
  await limited.stop();
});
