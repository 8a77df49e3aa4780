import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Replaces a file that only its owner may read. Afterwards the whole new content survives a power cut. */
export async function writeDurably(file: string, content: string | Buffer): Promise<void> {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.draft`);
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await renameDurably(draft, file);
}

/** Does nothing where the file is missing. */
export async function removeDurably(file: string): Promise<void> {
  await rm(file, { force: true });
  await syncFolder(path.dirname(file));
}

/** Afterwards the new name survives a power cut. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(path.dirname(to));
}

/** Flushes the names in a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
