import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOutbound, isPublicAddress, OutboundError, type Resolve } from './outbound.ts';

/** An internal service that must not be reached from outside. */
let hits = 0;
const inside = createServer((request, response) => {
  hits += 1;
  if (request.url === '/away') return void response.writeHead(302, { location: '/secret' }).end();
  if (request.url === '/long') return void response.end(Buffer.alloc(2_000_000));
  return void response.writeHead(200, { 'content-type': 'text/plain' }).end(`${request.method} ${request.url}`);
});
let port: number;
beforeAll(async () => {
  await new Promise<void>((resolve) => void inside.listen(0, '127.0.0.1', resolve));
  port = (inside.address() as AddressInfo).port;
});
afterAll(() => void inside.close());
beforeEach(() => void (hits = 0));

const found = (...addresses: string[]) =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('threat 19 requests to internal addresses', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'https://127.0.0.1:PORT/',
    'https://localhost:PORT/',
    'https://[::1]:PORT/',
    'https://2130706433:PORT/',
    'https://0x7f.1:PORT/',
    'https://0/',
    'https://[::ffff:127.0.0.1]:PORT/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'ftp://beispiel.test/',
    'file:///etc/passwd',
    'javascript:1',
    '//127.0.0.1',
    '',
    'https://user:password@beispiel.test/',
  ])('%s is refused', async (address) => {
    const outbound = createOutbound({ internalHosts: [] });
    await expect(outbound(address.replace('PORT', String(port)))).rejects.toThrow(OutboundError);
    expect(hits).toBe(0);
  });

  test('Refuses a name with an internal address', async () => {
    for (const addresses of [found('127.0.0.1'), found('9.9.9.9', '10.0.0.1'), found('::1'), found()]) {
      const outbound = createOutbound({ internalHosts: [], resolve: (_name, done) => done(null, addresses) });
      await expect(outbound(`https://innen.beispiel.test:${port}/`)).rejects.toThrow('inside this network');
    }
    expect(hits).toBe(0);
  });

  test('Resolves a name once, so that a changed address reaches no internal host', async () => {
    let asked = 0;
    const rebinding: Resolve = (_name, done) => {
      asked += 1;
      done(null, found(asked === 1 ? '192.31.196.1' : '127.0.0.1'));
    };
    const outbound = createOutbound({ internalHosts: [], resolve: rebinding, timeoutMs: 300 });
    await expect(outbound(`https://dreht.beispiel.test:${port}/`)).rejects.toThrow(OutboundError);
    expect([asked, hits]).toEqual([1, 0]);
    await expect(outbound(`https://dreht.beispiel.test:${port}/`)).rejects.toThrow('inside this network');
    expect([asked, hits]).toEqual([2, 0]);
  });
});

test('A name that cannot be resolved is an error, not a crash (threat 19)', async () => {
  // As node:dns does it: the error alone, without a list.
  const resolve: Resolve = (_name, done) => done(new Error('ENOTFOUND'));
  const outbound = createOutbound({ internalHosts: [], resolve });
  await expect(outbound('https://niemand.beispiel.test/')).rejects.toThrow('unknown');
});

describe('hosts the operator listed', () => {
  test('Returns their answers, redirects included', async () => {
    const outbound = createOutbound({ internalHosts: [`127.0.0.1:${port}`] });
    const response = await outbound(`http://127.0.0.1:${port}/x`, {
      method: 'POST',
      body: new URLSearchParams({ a: 'b' }),
    });
    expect([response.status, await response.text()]).toEqual([200, 'POST /x']);
    const away = await outbound(`http://127.0.0.1:${port}/away`);
    expect([away.status, hits]).toEqual([302, 2]);
  });

  test('Allows the listed port only', async () => {
    const outbound = createOutbound({ internalHosts: ['127.0.0.1:1'] });
    await expect(outbound(`http://127.0.0.1:${port}/`)).rejects.toThrow(OutboundError);
    expect(hits).toBe(0);
  });

  test('Cuts off an endless answer', async () => {
    const outbound = createOutbound({ internalHosts: ['127.0.0.1'] });
    await expect(outbound(`http://127.0.0.1:${port}/long`)).rejects.toThrow('too long');
  });
});

test.each([
  '9.9.9.9',
  '93.184.216.34',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.0.1',
  '2620:fe::fe',
  '2a00:1450:4001::1',
])('threat 19 %s is public', (address) => expect(isPublicAddress(address)).toBe(true));

test.each([
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '203.0.113.9',
  '::1',
  '::',
  '::ffff:10.0.0.1',
  '::ffff:9.9.9.9',
  '64:ff9b::a00:1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd12::1',
  'ff02::1',
  '2001::1',
  '2001:db8::1',
  '2002:a00:1::',
  'localhost',
  '',
  '2130706433',
  '0x7f.1',
])('threat 19 %s is not', (address) => expect(isPublicAddress(address)).toBe(false));
