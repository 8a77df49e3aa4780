import { readFileSync } from 'node:fs';
import { cleanFilePath } from '#contract/desk-files.ts';
import { createUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import { deskApi } from '#tests/support/desk-calls.ts';
import { expect, test } from './application.ts';
import { encodePng, picture } from './desk.ts';
import { choose } from './files.ts';
import { expectAccessible } from './findings.ts';

const MARKUP = '<script>fetch("/polyglot")</script>';
const SIDE = 10_000;

/** An Exif segment of noise right behind the beginning of a picture that is whole otherwise. */
function breakExif(): Buffer {
  const plain = readFileSync('tests/fixtures/media/picture.jpg');
  const noise = Buffer.concat([Buffer.from('Exif\0\0'), Buffer.alloc(400, 0xa7)]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(noise.length + 2, 2);
  return Buffer.concat([plain.subarray(0, 2), head, noise, plain.subarray(2)]);
}

const GIVEN = [
  { name: 'exif-kaputt.jpg', mimeType: 'image/jpeg', buffer: breakExif() },
  // One bit a point: 100 megapixels in a file of a few kilobytes.
  {
    name: 'hundert-megapixel.png',
    mimeType: 'image/png',
    buffer: encodePng(SIDE, SIDE, [1, 0], Buffer.alloc((SIDE / 8 + 1) * SIDE)),
  },
  {
    name: 'zwitter.png',
    mimeType: 'image/png',
    buffer: Buffer.concat([picture(64, 48, [46, 96, 160]), Buffer.from(MARKUP)]),
  },
];

test('bad input: broken Exif, 100 megapixels and a polyglot arrive whole, and leave as plain pictures', async ({
  page,
  server,
}) => {
  await page.goto('/upload');
  await choose(page, GIVEN);
  for (const { name } of GIVEN) await expect(page.getByText(name).first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Hochladen', exact: true }).click();
  await expect(page).toHaveURL('/thank-you');
  for (const { name } of GIVEN) await expect(page.getByText(name).first()).toBeVisible();

  const stored = await asOwner(server.databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string; interview_id: string; file_size: string; original_name: string }>(
      `select m.id, m.interview_id, m.original_name, o.metadata ->> 'size' as file_size
        from public.media_uploads m join storage.objects o on o.name = m.file_path
        where m.original_name = any($1) order by m.id`,
      [GIVEN.map(({ name }) => name)],
    );
    return rows;
  });
  expect(stored.map(({ file_size: size }) => Number(size))).toEqual(GIVEN.map(({ buffer }) => buffer.length));
  const call = await deskApi(server.url, await createUser(server, { role: 'admin' }));
  for (const [at, { id, interview_id: contribution }] of stored.entries()) {
    const copy = await call('GET', cleanFilePath(Number(contribution), Number(id)));
    expect(copy.status).toBe(200);
    expect(copy.bytes.includes('Exif') || copy.bytes.includes('script')).toBe(false);
    expect(copy.bytes.subarray(0, 2).equals(GIVEN[at]?.buffer.subarray(0, 2) ?? Buffer.alloc(0))).toBe(true);
  }
});
