import { existsSync } from 'node:fs';
import path from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import { z } from 'zod';
import { ErasureReceiptSchema, type ErasureReceipt } from '#contract/desk-files.ts';
import { removeDurably, writeDurably } from '#lib/durable-file.ts';
import type { MailSubject } from '../../mail/index.ts';
import { getData } from '../error.ts';
import { formatDay } from '../file-names.ts';

const ClaimedErasureSchema = z.object({ id: z.string(), email: z.string().nullable(), account: z.string().nullable() });
/** An erasure claimed by this server. */
export type ClaimedErasure = z.infer<typeof ClaimedErasureSchema>;

const Claim = z.object({ claimed: ClaimedErasureSchema.nullable(), open: z.number() });

const RecentlyErased = z.object({ contributions: z.array(z.number()), letters: z.array(z.string()) });

/** The steps of an erasure in the database, with the service key. Each can be repeated. All throw DeskError. */
export function createSteps(service: () => SupabaseClient) {
  const call = async <T>(schema: z.core.$ZodType<T>, name: string, values: object = {}): Promise<T> =>
    z.parse(schema, getData(await service().rpc(name, values)));
  const done = z.unknown().transform(() => undefined);
  const texts = z.array(z.string());
  return {
    /** Claims this erasure or the oldest unclaimed one; `open` counts the unfinished ones. */
    claim: (erasure?: string): Promise<z.infer<typeof Claim>> =>
      call(Claim, 'desk_erasure_claim', { erasure: erasure ?? null }),
    release: (erasure: string): Promise<void> => call(done, 'desk_erasure_release', { erasure }),
    /** Returns a contribution to erase; null if none is left. */
    next: (erasure: string): Promise<number | null> => call(z.number().nullable(), 'desk_erasure_next', { erasure }),
    /** Returns the ids of the mails about a contribution. */
    letters: (contribution: number): Promise<readonly string[]> =>
      call(texts, 'desk_erasure_letters', { contribution }),
    /** Counts what is erased; returns the paths of files that are still stored. */
    begin: (erasure: string, contribution: number, mails: number): Promise<readonly string[]> =>
      call(texts, 'desk_erasure_begin', { erasure, contribution, mails }),
    removeRows: (contribution: number): Promise<void> => call(done, 'desk_erasure_rows', { contribution }),
    beginPerson: (erasure: string, mails: number): Promise<void> =>
      call(done, 'desk_erasure_begin_person', { erasure, mails }),
    removePerson: (erasure: string): Promise<void> => call(done, 'desk_erasure_person', { erasure }),
    /** Renews the planner's statistics of the erased tables. */
    forget: (erasure: string): Promise<void> => call(done, 'desk_erasure_forget', { erasure }),
    finish: (erasure: string): Promise<ErasureReceipt> =>
      call(ErasureReceiptSchema, 'desk_erasure_finish', { erasure }),
    /** Returns paths of files that arrived after their contribution was erased. */
    lateUploads: (): Promise<readonly string[]> => call(texts, 'desk_erasure_stragglers'),
    /** Returns recently erased subjects, because a mail may have been written at the same moment. */
    recentlyErased: async (): Promise<readonly MailSubject[]> => {
      const { contributions, letters } = await call(RecentlyErased, 'desk_erasure_gone');
      return [...contributions.map((contribution) => ({ contribution })), ...letters.map((letter) => ({ letter }))];
    },
    recordRetention: (before: string, by: string): Promise<string> => call(z.string(), 'desk_retain', { before, by }),
    /** Records the daily retention erasure; null if it already ran or nothing is due. */
    recordDailyRetention: ({ days, dueBefore }: Period): Promise<string | null> =>
      call(z.string().nullable(), 'desk_retain_daily', { days, before: dueBefore() }),
  };
}

export type Steps = ReturnType<typeof createSteps>;

/** Removes deleted rows from the database's own files. */
export type Compaction = Readonly<{
  /** Marks the compaction as due, before rows are deleted. */
  schedule: () => Promise<void>;
  /** Compacts if it is due. Throws while the database is busy, and stays due. */
  run: () => Promise<void>;
}>;

/** The mark is a file, so the next start compacts after a crash or a stop while the database was busy. */
export const getCompactionFile = (dataDir: string): string => path.join(dataDir, 'erasure.unfinished');

type CompactionDeps = Readonly<{
  /** Undefined for a database on another server. */
  compact: (() => Promise<void>) | undefined;
  dataDir: string;
}>;

export function createCompaction({ compact, dataDir }: CompactionDeps): Compaction {
  if (compact === undefined) return { schedule: async () => undefined, run: async () => undefined };
  const file = getCompactionFile(dataDir);
  return {
    schedule: () => writeDurably(file, ''),
    run: async () => {
      if (!existsSync(file)) return;
      await compact();
      await removeDurably(file);
    },
  };
}

/** The configured retention period. */
export type Period = Readonly<{
  days: number;
  /** Contributions begun and completed before this time are due now: 'bis zum 10.' is over when that day is. */
  dueBefore: () => string;
}>;

const DAY_MS = 86_400_000;

export function createPeriod(days: number | undefined): Period | undefined {
  if (days === undefined) return undefined;
  return { days, dueBefore: () => new Date(startToday() - days * DAY_MS).toISOString() };
}

/** When today began in Germany, in summer or in winter. */
function startToday(): number {
  const day = formatDay(new Date());
  const inSummer = Date.parse(`${day}T00:00+02:00`);
  return formatDay(new Date(inSummer)) === day ? inSummer : Date.parse(`${day}T00:00+01:00`);
}
