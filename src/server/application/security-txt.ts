import { createPlainRoute } from '#http/route.ts';
import type { Env } from '../env.ts';

const PATH = '/.well-known/security.txt';
/** RFC 9116 requires less than a year; each request renews it. */
const VALID_MS = 180 * 24 * 3_600_000;

type SecurityTextDeps = Readonly<{ env: Pick<Env, 'SECURITY_CONTACT' | 'PUBLIC_URL'> }>;

/** Contact for reports of vulnerabilities (RFC 9116); 404 without one. */
export const securityText = createPlainRoute<SecurityTextDeps>('anyone')(
  { method: 'GET', url: PATH },
  async ({ context: { env }, reply }) => {
    const contact = env.SECURITY_CONTACT;
    if (contact === undefined) return reply.code(404).type('text/plain; charset=utf-8').send('No contact is named.\n');
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${new Date(Date.now() + VALID_MS).toISOString()}`,
      'Preferred-Languages: de, en',
      ...(env.PUBLIC_URL === undefined ? [] : [`Canonical: ${env.PUBLIC_URL}${PATH}`]),
    ];
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`);
  },
);
