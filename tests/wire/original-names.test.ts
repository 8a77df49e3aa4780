import { afterAll, beforeAll, expect, test } from 'vitest';
import { DeskContributionSchema } from '#contract/desk.ts';
import { archivePath, cleanFilePath, filePath, postPackagePath } from '#contract/desk-files.ts';
import { PostSchema } from '#contract/posts.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { newKey } from '#tests/support/callers.ts';
import { deskApi, must } from '#tests/support/desk-calls.ts';
import { PNG } from '#tests/support/storage.ts';
import { unzip } from '#tests/support/unzip.ts';

const NAME = 'Prüfstand – Kühlung (2).PNG';

let server: TestServer;
let admin: TestUser;
beforeAll(async () => {
  server = await bootServer();
  admin = await createUser(server, { role: 'admin' });
});
afterAll(() => server.stop());

async function handIn(original: string, type = 'image/png') {
  const guest = server.client({ headers: { 'x-interview-key': newKey() } });
  const made = (await must(guest.from('interviews').insert({}).select('id').single())) as { id: number };
  const path = `${made.id}/1700000000000_${'a'.repeat(32)}.png`;
  await must(guest.storage.from('Media').upload(path, PNG, { contentType: 'image/png' }));
  const row = { interview_id: made.id, file_path: path, file_type: type, original_name: original };
  return { guest, id: made.id, path, answer: await guest.from('media_uploads').insert(row) };
}

test('The desk sees what the contributor calls a file, in the list, the file and the archive (findings U14)', async () => {
  const { guest, id, path, answer } = await handIn(NAME);
  expect(answer.error).toBeNull();
  expect(await must(guest.from('media_uploads').select('original_name'))).toEqual([{ original_name: NAME }]);
  const shown = DeskContributionSchema.parse(await must(admin.client.rpc('desk_contribution', { id })));
  expect(shown.fileList).toMatchObject([{ path, name: NAME }]);

  const call = await deskApi(server.url, admin);
  const { bytes } = await call('GET', archivePath(id));
  const packed = await unzip(bytes);
  expect([...packed.keys()]).toContain('01_Prüfstand – Kühlung (2).png');
  const report: unknown = JSON.parse(packed.get('beitrag.json')?.bytes.toString() ?? '');
  expect(report).toMatchObject({ files: [{ path, originalName: NAME }] });

  const one = await call('GET', filePath(id, shown.fileList[0]?.id ?? 0));
  expect(one.headers.get('content-disposition')).toContain(encodeURIComponent('Prüfstand – Kühlung '));
});

test("A copy for publication does not keep the contributor's name of the file (published copies)", async () => {
  const { id } = await handIn('Anna Muster in der Reha.png', 'image/png; name="Ünfall"\u2028');
  const rows = await must(admin.client.from('media_uploads').select('id').eq('interview_id', id));
  const upload = (rows as { id: number }[])[0]?.id ?? 0;
  const call = await deskApi(server.url, admin);
  const copy = await call('GET', cleanFilePath(id, upload));
  expect([copy.status, copy.headers.get('content-type')]).toEqual([200, 'image/png']);
  const added = {
    contribution: id,
    channel: 'linkedin',
    body: 'Läuft.',
    pictures: [{ upload, alt: 'Halle', used: true }],
  };
  const post = PostSchema.parse(await must(admin.client.rpc('desk_post_add', added)));
  const packed = await unzip((await call('GET', postPackagePath(id, post.id))).bytes);
  const names = [copy.headers.get('content-disposition'), ...packed.keys()].join('\n');
  expect(names).toMatch(/\n01_Bild_.*\.png\n/);
  expect(names).not.toMatch(/Anna/);
});

test.each(['', 'a'.repeat(256), 'halle/bild.png', 'halle\\bild.png', 'bild\n.png', '\u202Egnp.exe'])(
  'A name that hides something is refused (%j)',
  async (original) => {
    expect((await handIn(original)).answer.error?.code).toBe('23514');
  },
);
