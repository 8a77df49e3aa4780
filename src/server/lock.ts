import { createHash } from 'node:crypto';
import { mkdir, realpath, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Held by the one server that works on a data folder; the operating system frees it with the process. */
export type FolderLock = Readonly<{ release: () => Promise<void> }>;

export class FolderInUseError extends Error {
  constructor(folder: string) {
    super(`Another server already works on ${folder}. Stop it first, or set DATA_DIR to another folder.`);
    this.name = 'FolderInUseError';
  }
}

/** Throws FolderInUseError. A socket is the lock, since unlike a file it cannot be left behind by a killed process. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const address = await addressOf(folder);
  let server = await listen(address);
  if (server === undefined) {
    if (await answers(address)) throw new FolderInUseError(folder);
    await unlink(address).catch(() => undefined);
    server = await listen(address);
  }
  if (server === undefined) throw new FolderInUseError(folder);
  const held = server;
  return { release: () => new Promise((resolve) => void held.close(() => resolve())) };
}

async function addressOf(folder: string): Promise<string> {
  const digest = createHash('sha256')
    .update(await realpath(folder))
    .digest('hex')
    .slice(0, 24);
  // Linux keeps abstract sockets apart from files and drops them with their process.
  return process.platform === 'linux' ? `\0smca-${digest}` : path.join(tmpdir(), `smca-${digest}.sock`);
}

function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => resolve(server.unref()));
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });
}
