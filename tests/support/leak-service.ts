import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopServer } from './stop-server.ts';

export type LeakService = Readonly<{
  url: string;
  /** Puts a password among the leaked ones. */
  leak: (password: string) => void;
  /** 'hang': takes the question and says nothing. */
  behave: (how: 'well' | 'badly' | 'hang') => void;
  /** What was asked: path and headers. */
  asked: { path: string; padded: boolean }[];
  stop: () => Promise<void>;
}>;

const digest = (password: string): string => createHash('sha1').update(password).digest('hex').toUpperCase();

/** Have I Been Pwned's range protocol on the loopback address. */
export async function startLeakService(): Promise<LeakService> {
  const leaked = new Set<string>();
  const asked: LeakService['asked'] = [];
  let behaviour: 'well' | 'badly' | 'hang' = 'well';
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push({ path, padded: request.headers['add-padding'] === 'true' });
    if (behaviour === 'hang') return;
    if (behaviour === 'badly') {
      response.writeHead(503).end('kaputt');
      return;
    }
    const prefix = path.split('/').at(-1) ?? '';
    const known = [...leaked].filter((digest) => digest.startsWith(prefix)).map((digest) => `${digest.slice(5)}:42`);
    // Padding: digests that were never seen.
    response.end([...known, `${'0'.repeat(35)}:0`, `${digest('nie gesehen').slice(5)}:0`].join('\r\n'));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leak: (password) => void leaked.add(digest(password)),
    behave: (how) => void (behaviour = how),
    asked,
    stop: () => stopServer(server),
  };
}
