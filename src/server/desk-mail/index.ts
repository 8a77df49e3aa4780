import type { FastifyBaseLogger } from 'fastify';
import type { Env } from '../env.ts';
import type { Post } from '../post.ts';
import { letterOf } from './letter.ts';
import { openQueue } from './queue.ts';
import { createSender, type DeskMail } from './sender.ts';

export type { DeskMail } from './sender.ts';

export type DeskMailDeps = Readonly<{
  env: Env;
  post: Post;
  log: FastifyBaseLogger;
  /** Where the backend is, this very server's own or a hosted project's. */
  backendUrl: string;
  /** Without one nobody may take mails out of the queue, and none are put in. */
  serviceKey: string | undefined;
  /** Where users reach the application. */
  origin: string;
}>;

/** Mails of the desk: to the team when a contribution is complete, to its contributor for review and when it is published. */
export function openDeskMail({ env, post, log, backendUrl, serviceKey, origin }: DeskMailDeps): DeskMail | undefined {
  if (serviceKey === undefined) {
    log.info('desk mails: off, because SUPABASE_SERVICE_KEY is not given');
    return undefined;
  }
  const place = { origin, product: env.BRAND_PRODUCT };
  return createSender({
    queue: openQueue(backendUrl, serviceKey),
    post,
    team: env.DESK_MAIL_TO,
    pauseS: env.DESK_MAIL_PAUSE_S,
    letterOf: (mail) => letterOf(mail, place),
    log,
  });
}
