import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { asOwner } from './callers.ts';

const BLOCK = Buffer.alloc(1024 * 1024);

/**
 * A stored and registered file of nothing but zeros, as if it had been uploaded to the disk store; costs no room on the
 * disk.
 */
export async function storeLargeFile(
  server: Readonly<{ dataDir: string; databaseUrl: string }>,
  contribution: number,
  size: number,
): Promise<string> {
  const version = randomUUID();
  const file = path.join(server.dataDir, 'files', 'objects', version.slice(0, 2), version);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, '');
  await truncate(file, size);
  const name = `${contribution}/${Date.now()}_${randomBytes(16).toString('hex')}.webm`;
  const metadata = { size, contentLength: size, mimetype: 'video/webm', eTag: `"${md5OfZeros(size)}"` };
  await asOwner(server.databaseUrl, async (client) => {
    await client.query(
      `insert into storage.objects (bucket_id, name, version, metadata) values ('Media', $1, $2, $3)`,
      [name, version, metadata],
    );
    await client.query(`insert into media_uploads (interview_id, file_path, file_type) values ($1, $2, 'video/webm')`, [
      contribution,
      name,
    ]);
  });
  return file;
}

function md5OfZeros(size: number): string {
  const md5 = createHash('md5');
  for (let left = size; left > 0; left -= BLOCK.length) md5.update(BLOCK.subarray(0, left));
  return md5.digest('hex');
}
