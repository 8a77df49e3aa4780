import { afterAll, beforeAll, expect, test } from 'vitest';
import { DeskContributionSchema } from '#contract/desk.ts';
import { archivePath } from '#contract/desk-files.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { newKey } from '#tests/support/callers.ts';
import { deskApi, must } from '#tests/support/desk-calls.ts';
import { PNG } from '#tests/support/storage.ts';
import { unzip } from '#tests/support/unzip.ts';

let server: TestServer;
let admin: TestUser;
beforeAll(async () => {
  server = await bootServer();
  admin = await createUser(server, { role: 'admin' });
});
afterAll(() => server.stop());

test('A guest says who can be recognised, changes it until the end, the desk afterwards (image rights)', async () => {
  const guest = server.client({ headers: { 'x-interview-key': newKey() } });
  const made = (await must(guest.from('interviews').insert({}).select('id').single())) as { id: number };
  const path = `${made.id}/1_a.png`;
  await must(guest.storage.from('Media').upload(path, PNG, { contentType: 'image/png', upsert: true }));
  const row = { interview_id: made.id, file_path: path, file_type: 'image/png', image_rights: 'unknown' };
  await must(guest.from('media_uploads').insert(row));
  expect((await guest.from('media_uploads').insert({ ...row, image_rights: 'agreed' })).error?.code).toBe('23505');
  const tell = (rights: string) => guest.rpc('answer_image_rights', { path, rights });
  expect(await must(tell('agreed'))).toBe(true);
  const contact = { contact_first_name: 'Ada', contact_last_name: 'B', contact_email: 'ada@b.de' };
  await must(guest.from('interviews').update(contact).eq('id', made.id));
  expect(await must(tell('nobody'))).toBe(false);
  expect((await guest.from('media_uploads').update({ image_rights: 'nobody' }).eq('file_path', path)).status).toBe(401);

  const shown = DeskContributionSchema.parse(await must(admin.client.rpc('desk_contribution', { id: made.id })));
  expect(shown.fileList).toMatchObject([{ path, imageRights: 'agreed' }]);
  const upload = shown.fileList[0]?.id;
  const changed = await must(admin.client.rpc('desk_image_rights', { upload, rights: 'nobody' }));
  expect(DeskContributionSchema.parse(changed).fileList).toMatchObject([{ path, imageRights: 'nobody' }]);
  const archive = await (await deskApi(server.url, admin))('GET', archivePath(made.id));
  const report = (await unzip(archive.bytes)).get('beitrag.json')?.bytes.toString() ?? '';
  expect(JSON.parse(report)).toMatchObject({ files: [{ path, imageRights: 'nobody' }] });
});

test('IMAGE_RIGHTS=false asks nobody (image rights)', async () => {
  const asked = async (url: string) =>
    ((await (await fetch(`${url}/config.json`)).json()) as { imageRights: unknown }).imageRights;
  expect(await asked(server.url)).toBe(true);
  const other = await bootServer({ IMAGE_RIGHTS: 'false' });
  try {
    expect(await asked(other.url)).toBe(false);
  } finally {
    await other.stop();
  }
});
