import { randomUUID } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from './message.ts';
import type { Mailer, MailRoute } from './mailer.ts';

/** Writes each mail durably as one file that appears whole or not at all. */
export function createOutbox(route: MailRoute, ownAddress: string, now: () => number): Mailer {
  const from = route.from ?? ownAddress;
  return {
    send: async (mail) => {
      const at = new Date(now());
      const id = randomUUID();
      const name = `${at.toISOString().replaceAll(/[:.]/g, '-')}_${id}`;
      await mkdir(route.folder, { recursive: true, mode: 0o700 });
      const draft = path.join(route.folder, `.${name}.draft`);
      await writeDurably(draft, messageOf(mail, { from, at, id }));
      await rename(draft, path.join(route.folder, `${name}.eml`));
      await syncFolder(route.folder);
      route.written?.();
    },
  };
}

async function writeDurably(file: string, content: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
