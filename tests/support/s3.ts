import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from 's3rver';
import { listingParts } from './s3-parts.ts';

/** A loopback S3 server; `env` points the application at it. */
export type S3Server = Readonly<{
  env: Record<string, string>;
  /** Keys of all files in its bucket. */
  keys: () => Promise<string[]>;
  /** Where it keeps everything. */
  directory: string;
  stop: () => Promise<void>;
}>;

const BUCKET = 'files';
const SUFFIX = '._S3rver_object';

export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(path.join(tmpdir(), 'smca-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    allowMismatchedSignatures: true,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port: behind } = await server.run();
  const { port, stop } = await listingParts(behind);
  return {
    directory,
    env: {
      S3_BUCKET: BUCKET,
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    keys: async () => {
      const names = await readdir(path.join(directory, BUCKET), { recursive: true });
      return names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
    },
    stop: async () => {
      await stop();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
