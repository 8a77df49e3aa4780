import fastify from 'fastify';
import { expect, test } from 'vitest';
import { readEnv } from '../env.ts';
import { securityText } from './index.ts';

async function ask(source: Record<string, string>): Promise<{ status: number; type: string; text: string }> {
  const app = fastify();
  securityText.mount(app, { env: readEnv(source) });
  const answer = await app.inject('/.well-known/security.txt');
  await app.close();
  return { status: answer.statusCode, type: String(answer.headers['content-type']), text: answer.body };
}

test('RFC 9116: names contact, end and address', async () => {
  const { status, type, text } = await ask({ SECURITY_CONTACT: 'meldung@beispiel.test', PUBLIC_URL: 'https://b.test' });
  expect([status, type]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toContain('Contact: mailto:meldung@beispiel.test\n');
  expect(text).toContain('Canonical: https://b.test/.well-known/security.txt\n');
  const end = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '');
  expect(end).toBeGreaterThan(Date.now());
  expect(end).toBeLessThan(Date.now() + 365 * 24 * 3_600_000);
});

test('Takes a page as a contact, and tells nothing of an address that is not configured', async () => {
  const { text } = await ask({ SECURITY_CONTACT: 'https://beispiel.test/melden' });
  expect(text).toContain('Contact: https://beispiel.test/melden\n');
  expect(text).not.toContain('Canonical');
});

test('Without a contact → 404', async () => {
  expect((await ask({})).status).toBe(404);
});

test.each(['javascript:alert(1)', 'kein Kontakt', 'a@b.test\nContact: c@d.test', 'http://beispiel.test'])(
  'Refuses %j as a contact at the start',
  (contact) => {
    expect(() => readEnv({ SECURITY_CONTACT: contact })).toThrow('SECURITY_CONTACT');
  },
);
