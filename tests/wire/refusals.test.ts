import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { createAccount, type Account } from '#tests/support/callers.ts';
import { fixture, postRecording, recordingForm } from '#tests/support/speech-app.ts';
import { loginHeaders, post, REQUEST } from '#tests/support/voice-client.ts';

/** Every service writes one line for a call that it refuses for want of rights (ASVS 16.3.2). */
let server: AuthBackend;
let account: Account;
let headers: Record<string, string>;
const written: string[] = [];
beforeAll(async () => {
  const sink = new Writable({ write: (chunk, _encoding, done) => (written.push(String(chunk)), done()) });
  server = await bootAuthBackend({ log: sink });
  account = await createAccount(server.backend.databaseUrl, 'firma_a');
  headers = await loginHeaders(server.backend.keys, account);
});
afterAll(() => server.stop());
beforeEach(() => void (written.length = 0));

/** Whatever was logged for a request. */
const lines = (): unknown[] =>
  written.map((line) => JSON.parse(line) as { reqId?: string }).filter(({ reqId }) => reqId !== undefined);

type Call = (headers: Record<string, string>) => Promise<Response>;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const TUS = {
  'tus-resumable': '1.0.0',
  'upload-length': '1',
  'upload-metadata': `bucketName ${base64('Media')},objectName ${base64('7/2_mara.png')},contentType ${base64('image/png')}`,
};

const CALLS: Readonly<Record<string, readonly [call: Call, line: object]>> = {
  rest: [
    (as) => post(`${server.url}/rest/v1/user_roles`, as, { user_id: account.id, role: 'admin' }),
    { route: '/rest/v1/:name', status: 403, code: '42501' },
  ],
  storage: [
    (as) =>
      fetch(`${server.url}/storage/v1/object/Media/7/2_mara.png`, {
        method: 'POST',
        headers: { ...as, 'content-type': 'image/png' },
        body: 'x',
      }),
    { route: '/storage/v1/object/:bucket/*', status: 403, code: 'AccessDenied' },
  ],
  'resumable uploads': [
    (as) => fetch(`${server.url}/storage/v1/upload/resumable`, { method: 'POST', headers: { ...as, ...TUS } }),
    { route: '/storage/v1/upload/resumable', status: 403 },
  ],
  auth: [(as) => fetch(`${server.url}/auth/v1/admin/users`, { headers: as }), { status: 403, code: 'not_admin' }],
  desk: [
    (as) => fetch(`${server.url}/v1/desk/tickets`, { method: 'POST', headers: as }),
    { route: '/v1/desk/tickets', status: 403 },
  ],
  accounts: [(as) => fetch(`${server.url}/v1/accounts`, { headers: as }), { route: '/v1/accounts', status: 403 }],
  voice: [
    (as) => post(`${server.url}/v1/convai/ticket`, as, { ...REQUEST, area: 'firma-b' }),
    { route: '/v1/convai/ticket', status: 403, code: 'forbidden' },
  ],
};

test.each(Object.entries(CALLS))(
  'Logs a refusal of %s once and with the user id (ASVS 16.3.2)',
  async (_name, [call, line]) => {
    const answer = await call(headers);
    expect(answer.ok).toBe(false);
    await expect
      .poll(lines)
      .toMatchObject([{ level: 30, msg: 'access refused', user: account.id, reqId: expect.any(String), ...line }]);
    expect(written.join('')).not.toContain(account.email);
  },
);

test('Logs a refusal of speech without a login once (ASVS 16.3.2)', async () => {
  await postRecording(server.url, recordingForm(await fixture('sprache.wav')), {});
  await expect.poll(lines).toMatchObject([{ status: 401, code: 'not_authenticated', user: 'none' }]);
});
