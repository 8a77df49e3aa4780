import { afterAll, beforeAll, expect, test } from 'vitest';
import { postPackagePath } from '#contract/desk-files.ts';
import { PostSchema } from '#contract/posts.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { deskApi, handIn, must, type HandedFile } from '#tests/support/desk-calls.ts';
import { PNG } from '#tests/support/storage.ts';
import { unzip } from '#tests/support/unzip.ts';

let server: TestServer;
let admin: TestUser;
let member: TestUser;
beforeAll(async () => {
  server = await bootServer();
  admin = await createUser(server, { role: 'admin' });
  member = await createUser(server, { role: 'firma_a' });
});
afterAll(() => server.stop());

const picture: HandedFile = { type: 'image/png', extension: 'png', bytes: PNG };

async function makePost() {
  const { id } = await handIn(member, { files: [picture, picture, picture] });
  const uploads = await must(admin.client.from('media_uploads').select('id').eq('interview_id', id).order('id'));
  const [first, second, third] = uploads as { id: number }[];
  const pictures = [
    { upload: second?.id, alt: 'Die Pumpe', used: true },
    { upload: third?.id, alt: '', used: false },
    { upload: first?.id, alt: 'Die Halle', used: true },
  ];
  const added = admin.client.rpc('desk_post_add', {
    contribution: id,
    channel: 'instagram',
    body: 'Läuft. #Pumpe',
    pictures,
  });
  return { id, post: PostSchema.parse(await must(added)) };
}

test('Desk: a package has the text, the pictures in their order and their alternative texts (posts)', async () => {
  const { id, post } = await makePost();
  const call = await deskApi(server.url, admin);
  const answer = await call('GET', postPackagePath(id, post.id));
  expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
    200,
    expect.stringContaining(`post-instagram-${post.id}.zip`),
  ]);
  const files = await unzip(answer.bytes);
  const names = [...files.keys()];
  expect(names).toEqual([
    'text.txt',
    'alternativtexte.txt',
    expect.stringMatching(/^01_Bild_.*\.png$/),
    expect.stringMatching(/^02_Bild_.*\.png$/),
    'pruefsummen.txt',
  ]);
  expect(files.get('text.txt')?.bytes.toString()).toBe('Läuft. #Pumpe');
  expect(files.get('alternativtexte.txt')?.bytes.toString()).toBe(
    `${names[2]}\nDie Pumpe\n\n${names[3]}\nDie Halle\n\n`,
  );
  expect(files.get(names[2] ?? '')?.bytes.equals(PNG)).toBe(true);
});

test('Desk: a package is opened once by a ticket, and not through another contribution (posts)', async () => {
  const { id, post } = await makePost();
  const other = await makePost();
  const call = await deskApi(server.url, admin);
  const ticket = await call('POST', '/v1/desk/tickets', { path: postPackagePath(id, post.id) });
  const { url } = JSON.parse(ticket.bytes.toString());
  expect((await fetch(`${server.url}${url}`)).status).toBe(200);
  expect((await fetch(`${server.url}${url}`)).status).toBe(401);
  expect((await call('GET', postPackagePath(other.id, post.id))).status).toBe(404);
  expect((await call('POST', '/v1/desk/tickets', { path: postPackagePath(other.id, post.id) })).status).toBe(404);
  const stranger = await deskApi(server.url, member);
  expect((await stranger('GET', postPackagePath(id, post.id))).status).toBe(403);
});
