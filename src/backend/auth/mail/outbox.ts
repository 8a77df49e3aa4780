import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { writeDurably } from '#lib/durable-file.ts';
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
      await writeDurably(path.join(route.folder, `${name}.eml`), messageOf(mail, { from, at, id }));
      route.written?.();
    },
  };
}
