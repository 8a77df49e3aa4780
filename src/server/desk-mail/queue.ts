import { createClient, type PostgrestError, type SupabaseClient } from '@supabase/supabase-js';
import { z } from 'zod';
import { DESK_MAILS } from '#contract/desk.ts';
import type { Delivery } from '../post.ts';

const OtherSchema = z.object({
  contribution: z.number(),
  area: z.string(),
  kind: z.string(),
});

const QueuedMailSchema = z.object({
  id: z.number(),
  claim: z.string(),
  mail: z.enum(DESK_MAILS),
  messageId: z.string(),
  createdAt: z.coerce.date(),
  to: z.string(),
  replyTo: z.nullable(z.string()),
  contribution: z.number(),
  area: z.string(),
  kind: z.string(),
  topic: z.nullable(z.string()),
  contributor: z.string(),
  firstName: z.nullable(z.string()),
  /** `for_review`: what the team wrote. `published`: the link. */
  text: z.nullable(z.string()),
  /** `new`: how many contributions the mail is about, and some of those besides `contribution`. */
  count: z.number().default(1),
  others: z.array(OtherSchema).default([]),
});

/** A mail that is to be sent, with what it is written from. It is this server's until it is settled, or for two minutes. */
export type QueuedMail = Readonly<z.infer<typeof QueuedMailSchema>>;

/** The queue in the database (`private.desk_mails`). Every function rejects where the backend does not do its part. */
export type Queue = Readonly<{
  /** Says that mails are sent from here, and how often the team is told. `false`: this backend has no desk. */
  open: (team: readonly string[], pauseS: number) => Promise<boolean>;
  claim: () => Promise<QueuedMail | undefined>;
  /** Rejects where the mail is not this server's any more. */
  begin: (mail: QueuedMail) => Promise<void>;
  settle: (mail: QueuedMail, delivery: Delivery) => Promise<void>;
}>;

/** Why the backend did not do its part: a code of the database or of the client. */
export class QueueFailure extends Error {
  override readonly name = 'QueueFailure';
  readonly code: string;
  constructor(code: string) {
    super(`the queue of mails: ${code}`);
    this.code = code;
  }
}

const NO_SUCH_FUNCTION = 'PGRST202';
const PATIENCE_MS = 10_000;

export function openQueue(url: string, serviceKey: string): Queue {
  const service = createClient(url, serviceKey, { auth: { persistSession: false, autoRefreshToken: false } });
  return {
    open: async (team, pauseS) => {
      const paused = await call(service, 'desk_mail_set_pause', { seconds: pauseS });
      // A hosted project without that migration tells of each contribution by itself.
      if (paused.error !== null && paused.error.code !== NO_SUCH_FUNCTION) throw new QueueFailure(paused.error.code);
      const { error } = await call(service, 'desk_mail_configure', { addresses: team });
      if (error === null) return true;
      if (error.code === NO_SUCH_FUNCTION) return false;
      throw new QueueFailure(error.code);
    },
    claim: async () => {
      const data = dataOf(await call(service, 'desk_mail_claim', {}));
      return data === null ? undefined : QueuedMailSchema.parse(data);
    },
    begin: async ({ id, claim }) => {
      if (dataOf(await call(service, 'desk_mail_begin', { id, claim })) !== true) throw new QueueFailure('lost');
    },
    settle: async ({ id, claim }, delivery) => {
      const outcome = delivery.result === 'away' ? 'later' : delivery.result;
      const answer = 'answer' in delivery ? String(delivery.answer) : null;
      dataOf(await call(service, 'desk_mail_settle', { id, claim, outcome, answer }));
    },
  };
}

type Answer = Readonly<{ data: unknown; error: PostgrestError | null }>;

async function call(service: SupabaseClient, name: string, args: object): Promise<Answer> {
  return service.rpc(name, args).abortSignal(AbortSignal.timeout(PATIENCE_MS));
}

function dataOf({ data, error }: Answer): unknown {
  if (error !== null) throw new QueueFailure(error.code);
  return data;
}
