import type { SupabaseClient } from '@supabase/supabase-js';
import { z } from 'zod';
import { ErasureReceiptSchema, type ErasureReceipt } from '#contract/desk-files.ts';
import { DeskFailure } from '../faults.ts';
import type { MailSubject } from '../../mail/index.ts';
import type { Period } from '../period.ts';

/** An erasure that this server has taken on. */
export type Claimed = Readonly<{ id: string; email: string | null; account: string | null }>;

const ClaimedSchema = z.object({ id: z.string(), email: z.string().nullable(), account: z.string().nullable() });
const Claim = z.object({ claimed: ClaimedSchema.nullable(), open: z.number() });

const Gone = z.object({ contributions: z.array(z.number()), letters: z.array(z.string()) });

/**
 * The steps of an erasure in the database, with the service key (see the migration). Each can be repeated. Throw
 * DeskFailure.
 */
export type Steps = Readonly<{
  /** This erasure, or the oldest that nobody works on; `open`: how many there are. */
  claim: (erasure?: string) => Promise<z.infer<typeof Claim>>;
  release: (erasure: string) => Promise<void>;
  /** A contribution that has to go; null: none is left. */
  next: (erasure: string) => Promise<number | null>;
  /** Ids of the mails that were written about it. */
  letters: (contribution: number) => Promise<readonly string[]>;
  /** Counts what goes; answers paths of files that are still stored. */
  begin: (erasure: string, contribution: number, mails: number) => Promise<readonly string[]>;
  removeRows: (contribution: number) => Promise<void>;
  beginPerson: (erasure: string, mails: number) => Promise<void>;
  removePerson: (erasure: string) => Promise<void>;
  /** Renews the planner's statistics of what was erased from. */
  forget: (erasure: string) => Promise<void>;
  finish: (erasure: string) => Promise<ErasureReceipt>;
  /** Paths of files that came in after their contribution was erased. */
  stragglers: () => Promise<readonly string[]>;
  /** What was erased lately, as mails would name it: one may have been written in the same moment. */
  gone: () => Promise<readonly MailSubject[]>;
  retain: (before: string, by: string) => Promise<string>;
  /** Once a day; null: not now, or nothing is due. */
  retainDaily: (period: Period) => Promise<string | null>;
}>;

export function createSteps(service: () => SupabaseClient): Steps {
  const call = async <T>(schema: z.core.$ZodType<T>, name: string, values: object = {}): Promise<T> => {
    const { data, error } = await service().rpc(name, values);
    if (error !== null) throw new DeskFailure('backend_failed', { cause: error });
    return z.parse(schema, data);
  };
  const done = z.unknown().transform(() => undefined);
  const texts = z.array(z.string());
  return {
    claim: (erasure) => call(Claim, 'desk_erasure_claim', { erasure: erasure ?? null }),
    release: (erasure) => call(done, 'desk_erasure_release', { erasure }),
    next: (erasure) => call(z.number().nullable(), 'desk_erasure_next', { erasure }),
    letters: (contribution) => call(texts, 'desk_erasure_letters', { contribution }),
    begin: (erasure, contribution, mails) => call(texts, 'desk_erasure_begin', { erasure, contribution, mails }),
    removeRows: (contribution) => call(done, 'desk_erasure_rows', { contribution }),
    beginPerson: (erasure, mails) => call(done, 'desk_erasure_begin_person', { erasure, mails }),
    removePerson: (erasure) => call(done, 'desk_erasure_person', { erasure }),
    forget: (erasure) => call(done, 'desk_erasure_forget', { erasure }),
    finish: (erasure) => call(ErasureReceiptSchema, 'desk_erasure_finish', { erasure }),
    stragglers: () => call(texts, 'desk_erasure_stragglers'),
    gone: async () => {
      const { contributions, letters } = await call(Gone, 'desk_erasure_gone');
      return [...contributions.map((contribution) => ({ contribution })), ...letters.map((letter) => ({ letter }))];
    },
    retain: (before, by) => call(z.string(), 'desk_retain', { before, by }),
    retainDaily: ({ days, dueBefore }) =>
      call(z.string().nullable(), 'desk_retain_daily', { days, before: dueBefore() }),
  };
}
