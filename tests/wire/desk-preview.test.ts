import { afterAll, beforeAll, expect, test } from 'vitest';
import { filePath, previewPath } from '#contract/desk-files.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { deskApi, handIn, must, type Handed } from '#tests/support/desk-calls.ts';
import { acceptEveryType } from '#tests/support/storage.ts';

let server: TestServer;
let admin: TestUser;
let handed: Handed;
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n');
const PAGE = Buffer.from('<script>alert(1)</script>');

beforeAll(async () => {
  server = await bootServer();
  admin = await createUser(server, { role: 'admin' });
  await acceptEveryType(server);
  handed = await handIn(await createUser(server, { role: 'firma_a' }), {
    files: [
      { type: 'application/pdf', extension: 'pdf', bytes: PDF },
      { type: 'text/html', extension: 'html', bytes: PAGE },
    ],
  });
});
afterAll(() => server.stop());

const preview = (file: number): string => previewPath(handed.id, handed.files[file]?.id ?? 0);

test('Desk: previews a PDF in a frame of the application', async () => {
  const answer = await (await deskApi(server.url, admin))('GET', preview(0));
  expect([answer.status, answer.bytes]).toEqual([200, PDF]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': 'inline',
    'content-length': String(PDF.length),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "frame-ancestors 'self'",
    'accept-ranges': 'none',
    'cache-control': 'no-store',
  });
});

test('Desk: previews no other type', async () => {
  const call = await deskApi(server.url, admin);
  expect(await call('GET', preview(1))).toMatchObject({ status: 400, code: 'invalid_request' });
  expect(await call('GET', previewPath(handed.id, 999_999))).toMatchObject({ status: 404, code: 'file_not_found' });
});

test('Desk: opens a preview once per ticket and logs it', async () => {
  const reader = await createUser(server, { role: 'admin' });
  const made = await (await deskApi(server.url, reader))('POST', '/v1/desk/tickets', { path: preview(0) });
  const { url } = made.body as { url: string };
  const link = await deskApi(server.url);
  expect((await link('GET', url)).status).toBe(200);
  expect(await link('GET', url)).toMatchObject({ status: 401, code: 'ticket_invalid' });
  const log = await must(admin.client.from('desk_audit_log').select('what, interview_id, detail').eq('by', reader.id));
  expect(log).toEqual([{ what: 'file', interview_id: handed.id, detail: { file: handed.files[0]?.id } }]);
});

test('Desk: previews no lost file', async () => {
  const path = handed.files[0]?.path ?? '';
  await must(server.service().storage.from('Media').remove([path]));
  const call = await deskApi(server.url, admin);
  expect(await call('GET', preview(0))).toMatchObject({ status: 410, code: 'file_missing' });
  expect(await call('GET', filePath(handed.id, handed.files[0]?.id ?? 0))).toMatchObject({ code: 'file_missing' });
});
