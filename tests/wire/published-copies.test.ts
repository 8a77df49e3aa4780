import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archivePath, cleanFilePath, filePath, postPackagePath } from '#contract/desk-files.ts';
import { PostSchema, type Post } from '#contract/posts.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { deskApi, handIn, must, type DeskCall, type Handed } from '#tests/support/desk-calls.ts';
import { listLocatedFiles, TRACES } from '#tests/support/located-media.ts';
import { sendForReview } from '#tests/support/posts.ts';
import { unzip } from '#tests/support/unzip.ts';

let server: TestServer;
let admin: TestUser;
let call: DeskCall;
let handed: Handed;
let post: Post;
const located = listLocatedFiles();
/** A picture in name only: nothing says where its place would stand. */
const unknown = { type: 'image/tiff', extension: 'tif', bytes: Buffer.from('II*\0 anything at all') };

beforeAll(async () => {
  server = await bootServer();
  admin = await createUser(server, { role: 'admin' });
  call = await deskApi(server.url, admin);
  const member = await createUser(server, { role: 'firma_a' });
  handed = await handIn(member, { files: [...located, unknown] });
  const pictures = handed.files.map(({ id }) => ({ upload: id, alt: 'Eine Pumpe', used: true }));
  const added = { contribution: handed.id, channel: 'linkedin', body: 'Läuft.', pictures };
  post = PostSchema.parse(await must(admin.client.rpc('desk_post_add', added)));
});
afterAll(() => server.stop());

const findTraces = (bytes: Buffer): string[] => TRACES.filter((trace) => bytes.includes(trace)).map(String);

test("A post's package tells neither place nor device, and names what could not be cleaned (published copies)", async () => {
  const answer = await call('GET', postPackagePath(handed.id, post.id));
  const files = await unzip(answer.bytes);
  const pictures = [...files].filter(([name]) => /^\d\d_/.test(name));
  expect(pictures.length).toBe(located.length);
  for (const [name, { bytes }] of pictures) expect([name, findTraces(bytes)]).toEqual([name, []]);
  const missing = files.get('fehlend.txt')?.bytes.toString() ?? '';
  expect(missing).toMatch(/\.tif: konnte nicht von Orts- und Gerätedaten bereinigt werden/);
  const [first] = pictures;
  const sum = createHash('sha256')
    .update(first?.[1].bytes ?? '')
    .digest('hex');
  expect(files.get('pruefsummen.txt')?.bytes.toString()).toContain(`${sum}  ${first?.[0]}`);
});

test('The desk downloads a picture without place and device, and the original where it wants it (published copies)', async () => {
  for (const [at, { name, type, bytes }] of located.entries()) {
    const { id } = handed.files[at] ?? { id: 0 };
    const ticket = await call('POST', '/v1/desk/tickets', { path: cleanFilePath(handed.id, id) });
    const { url } = ticket.body as { url: string };
    const copy = await fetch(`${server.url}${url}`);
    const content = Buffer.from(await copy.arrayBuffer());
    expect([name, copy.status, copy.headers.get('content-type'), findTraces(content)]).toEqual([name, 200, type, []]);
    expect(Number(copy.headers.get('content-length'))).toBe(content.length);
    expect((await call('GET', filePath(handed.id, id))).bytes.equals(bytes)).toBe(true);
  }
});

test('A file that cannot be cleaned is refused before the download begins (published copies)', async () => {
  const path = cleanFilePath(handed.id, handed.files.at(-1)?.id ?? 0);
  const refused = { status: 422, code: 'file_not_cleanable' };
  expect(await call('POST', '/v1/desk/tickets', { path })).toMatchObject(refused);
  expect(await call('GET', path)).toMatchObject(refused);
});

test('The archive of a contribution keeps what was handed in (published copies)', async () => {
  const files = await unzip((await call('GET', archivePath(handed.id))).bytes);
  const [picture] = [...files].filter(([name]) => name.startsWith('01_'));
  expect(picture?.[1].bytes.equals(located[0]?.bytes ?? Buffer.alloc(0))).toBe(true);
});

test('A review shows and gives out clean copies alone (published copies)', async () => {
  const { key } = await sendForReview(server, admin.client, handed.id, [post]);
  const listed = await fetch(`${server.url}/v1/review/pictures`, { method: 'POST', headers: { 'x-review-key': key } });
  const { pictures } = (await listed.json()) as { pictures: { path: string; url: string }[] };
  expect(pictures.map(({ path }) => path)).toEqual(handed.files.map(({ path }) => path));
  for (const [at, { path, url }] of pictures.entries()) {
    expect(url).not.toContain('/storage/');
    const answer = await fetch(`${server.url}${url}`);
    const cleanable = at < located.length;
    expect([path, answer.status]).toEqual([path, cleanable ? 200 : 422]);
    const content = Buffer.from(await answer.arrayBuffer());
    expect([path, findTraces(content)]).toEqual([path, []]);
    if (cleanable) expect(Number(answer.headers.get('content-length'))).toBe(content.length);
  }
  const forged = `${pictures[0]?.url.slice(0, -2)}AA`;
  for (const url of [forged, '/v1/review/pictures/x']) expect((await fetch(`${server.url}${url}`)).status).toBe(404);
  // They end with the link.
  await must(admin.client.rpc('desk_review_revoke', { contribution: handed.id }));
  expect((await fetch(`${server.url}${pictures[0]?.url}`)).status).toBe(404);
});
