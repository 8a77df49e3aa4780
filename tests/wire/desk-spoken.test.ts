import { afterAll, beforeAll, expect, test } from 'vitest';
import { archivePath } from '#contract/desk-files.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { deskApi, handIn } from '#tests/support/desk-calls.ts';
import { getRefusal } from '#tests/support/desk.ts';
import { unzip } from '#tests/support/unzip.ts';

let server: TestServer;
let member: TestUser;
let admin: TestUser;
const spoken = [{ start: 0, text: 'Guten Tag.' }];

beforeAll(async () => {
  server = await bootServer();
  member = await createUser(server, { role: 'firma_a' });
  admin = await createUser(server, { role: 'admin' });
});
afterAll(() => server.stop());

const recording = (id: number, name: string, times: unknown) =>
  member.client
    .from('media_uploads')
    .insert({ interview_id: id, file_path: `${id}/${name}.webm`, file_type: 'audio/webm', spoken: times });

test('Desk: stores the times of a recording from its contributor and exports them', async () => {
  const { id } = await handIn(member, { transcript: 'Guten Tag.' });
  expect((await recording(id, 'a', spoken)).error).toBeNull();
  const { data } = await admin.client.from('media_uploads').select('spoken').eq('interview_id', id);
  expect(data).toEqual([{ spoken }]);
  const stranger = await createUser(server, { role: 'firma_a' });
  expect((await stranger.client.from('media_uploads').select('spoken').eq('interview_id', id)).data).toEqual([]);
  const { bytes } = await (await deskApi(server.url, admin))('GET', archivePath(id));
  const report: unknown = JSON.parse((await unzip(bytes)).get('beitrag.json')?.bytes.toString() ?? '');
  expect(report).toMatchObject({ files: [{ path: `${id}/a.webm`, spoken }] });
});

test.each([
  ['no list', { start: 0, text: 'x' }],
  ['more than any recording says', [{ start: 0, text: 'x'.repeat(1_000_001) }]],
])('Desk: refuses %s', async (_name, times) => {
  const { id } = await handIn(member, {});
  expect(await getRefusal(recording(id, 'b', times))).toEqual({ status: 400, code: '23514' });
});
