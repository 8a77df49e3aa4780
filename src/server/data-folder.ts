import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { access, constants, mkdir, realpath, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readJsonFile, removeDurably, writeDurably } from '#lib/durable-file.ts';

/** Held by the server that works on a data folder. The operating system releases it with the process. */
export type FolderLock = Readonly<{ release: () => Promise<void> }>;

export class FolderInUseError extends Error {
  constructor(folder: string) {
    super(`Auf ${folder} arbeitet schon ein Server. Halte ihn an, oder wähle mit DATA_DIR einen anderen Ordner.`);
    this.name = 'FolderInUseError';
  }
}

/**
 * Throws FolderInUseError. Locks with a socket: unlike a file, a killed process cannot leave it behind. Containers that
 * share a folder share no such names, so a socket in the folder itself answers, too (decision 0387).
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await access(folder, constants.W_OK);
  const held = [await take(await getLockAddress(folder), folder)];
  const release = async (): Promise<void> => {
    for (const server of held) await new Promise((resolve) => void server.close(resolve));
  };
  try {
    held.push(await take(path.join(folder, 'server.sock'), folder));
  } catch (error) {
    // Not every volume takes sockets, nor every length of path.
    if (!(error instanceof FolderInUseError)) return { release };
    await release();
    throw error;
  }
  return { release };
}

async function take(address: string, folder: string): Promise<Server> {
  let server = await listen(address);
  if (server === undefined) {
    if (await isAnswering(address)) throw new FolderInUseError(folder);
    await unlink(address).catch(() => undefined);
    server = await listen(address);
  }
  if (server === undefined) throw new FolderInUseError(folder);
  return server;
}

async function getLockAddress(folder: string): Promise<string> {
  const digest = createHash('sha256')
    .update(await realpath(folder))
    .digest('hex')
    .slice(0, 24);
  // Abstract sockets of Linux need no file and end with their process.
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

function isAnswering(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });
}

const ServerFileSchema = z.object({ url: z.string(), pid: z.number(), databaseUrl: z.string() });

/** Tells commands on this machine where the running server's database is. Readable for its owner only. */
export type ServerFile = z.infer<typeof ServerFileSchema>;

const getServerFile = (folder: string): string => path.join(folder, 'server.json');

export function writeServerFile(folder: string, content: ServerFile): Promise<void> {
  return writeDurably(getServerFile(folder), `${JSON.stringify(content, null, 2)}\n`);
}

export function removeServerFile(folder: string): Promise<void> {
  return removeDurably(getServerFile(folder));
}

/** undefined where it is missing or damaged. A killed server leaves its file behind. */
export function readServerFile(folder: string): Promise<ServerFile | undefined> {
  return readJsonFile(getServerFile(folder), ServerFileSchema);
}

/** Exists from the first to the last step of a restore; `backup/journal.ts` writes it. */
export const journalFile = (dataDir: string): string => path.join(dataDir, 'restore.unfinished');

/** Throws where a restore into the folder was cut short, because the installation is incomplete. */
export function refuseHalfRestored(dataDir: string): void {
  if (!existsSync(journalFile(dataDir))) return;
  throw new Error(
    `Eine Wiederherstellung in ${dataDir} ist abgebrochen. Starte \`npm run restore -- DATEI\` noch einmal: Es räumt die Reste weg.`,
  );
}

const OWN_MIGRATIONS = fileURLToPath(new URL('../../supabase/migrations/', import.meta.url));

/** Throws where `folder` (SUPABASE_DIR) is an earlier version's copy. Another project has none of our migrations. */
export function requireMigrations(folder: string): void {
  const own = readdirSync(OWN_MIGRATIONS).filter((name) => name.endsWith('.sql'));
  const missing = own.filter((name) => !existsSync(`${folder}/migrations/${name}`));
  if (missing.length === 0 || missing.length === own.length) return;
  throw new Error(
    `In ${folder} (SUPABASE_DIR) fehlen Migrationen dieser Version, wie ${missing[0]}. ` +
      'Ersetze dort migrations und replaced durch Verweise auf die Ordner neben dem Programm.',
  );
}
