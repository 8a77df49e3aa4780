import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '#backend/index.ts';
import type { Clock } from '../clock.ts';
import type { VoiceLimits } from '../settings.ts';
import { refusalOf, type Load, type Visit } from './load.ts';
import type { Quota } from './quota.ts';

export type SharedQuotaOptions = Readonly<{
  database: Database;
  limits: VoiceLimits;
  clock: Clock;
  onTrouble: (error: unknown) => void;
}>;

/** All servers of an installation count one after the other. */
const LOCK = 7_313_001;
const BEAT_MS = 60_000;
/** Two beats may be missed before a server counts as dead. */
const ALIVE = "interval '150 seconds'";
const TODAY = "(now() at time zone 'utc')::date";
const CHARGE = `insert into private.voice_minutes (day, subject, used_ms)
  select ${TODAY}, subject, sum(ms) from gone where paid group by subject
  on conflict (day, subject) do update set used_ms = voice_minutes.used_ms + excluded.used_ms`;
const MS = (until: string): string => `greatest(0, extract(epoch from ${until} - started_at) * 1000)::bigint as ms`;

/**
 * Counted in the database for all servers together. One write when somebody comes and one when somebody goes; in between one
 * a minute for everybody a server holds. What runs counts at its greatest length, so nothing is written as it goes on.
 */
export function createSharedQuota({ database, limits, clock, onTrouble }: SharedQuotaOptions): Quota {
  const held = new Map<string, Visit>();
  const leaving = new Set<Promise<void>>();
  let cancelBeat: (() => void) | undefined;

  const beat = (): void => {
    cancelBeat = undefined;
    if (held.size === 0) return;
    cancelBeat = clock.after(BEAT_MS, beat);
    database.asOwner((tx) => keepAlive(tx, held)).catch(onTrouble);
  };

  const leave = (id: string): void => {
    if (!held.delete(id)) return;
    const left = database
      .asOwner((tx) => settle(tx, id))
      // The row ends by itself a little later, and counts until then.
      .catch(onTrouble)
      .finally(() => leaving.delete(left));
    leaving.add(left);
  };

  return {
    check: (visit) => database.asOwner(async (tx) => refusalOf(visit, await loadFor(tx, visit.subject), limits)),
    enter: async (visit) => {
      const id = randomUUID();
      const why = await database.asOwner((tx) => enter(tx, id, visit, limits));
      if (why !== undefined) return { admitted: false, why };
      held.set(id, visit);
      cancelBeat ??= clock.after(BEAT_MS, beat);
      return { admitted: true, leave: () => leave(id) };
    },
    close: async () => {
      cancelBeat?.();
      await Promise.all(leaving);
    },
  };
}

async function enter(tx: Tx, id: string, visit: Visit, limits: VoiceLimits): Promise<ReturnType<typeof refusalOf>> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
  await sweep(tx);
  const why = refusalOf(visit, await loadFor(tx, visit.subject), limits);
  if (why === undefined) {
    await tx.query(
      `insert into private.voice_sessions (id, subject, paid, alive_until) values ($1, $2, $3, now() + ${ALIVE})`,
      [id, visit.subject, visit.paid],
    );
  }
  return why;
}

/** What a server that has died held is over, and paid for until it was last seen; yesterday's figures go. */
async function sweep(tx: Tx): Promise<void> {
  await tx.query(
    `with gone as (
       delete from private.voice_sessions where alive_until < now() returning subject, paid, ${MS('alive_until')}
     ) ${CHARGE}`,
  );
  await tx.query(`delete from private.voice_minutes where day < ${TODAY}`);
}

async function loadFor(tx: Tx, subject: string): Promise<Load> {
  const sessions = await tx.query<{ own: number; all: number; paid: number }>(
    `select count(*) filter (where subject = $1)::int as own, count(*)::int as all, count(*) filter (where paid)::int as paid
     from private.voice_sessions where alive_until > now()`,
    [subject],
  );
  const minutes = await tx.query<{ own: number; all: number }>(
    `select coalesce(sum(used_ms) filter (where subject = $1), 0)::float8 as own, coalesce(sum(used_ms), 0)::float8 as all
     from private.voice_minutes where day = ${TODAY}`,
    [subject],
  );
  const none = { own: 0, all: 0, paid: 0 };
  return { open: sessions.rows[0] ?? none, usedMs: minutes.rows[0] ?? none };
}

/** A row that was taken for dead comes back; until then it has been paid for. */
async function keepAlive(tx: Tx, held: ReadonlyMap<string, Visit>): Promise<void> {
  const visits = [...held];
  await tx.query(
    `insert into private.voice_sessions (id, subject, paid, alive_until)
     select id, subject, paid, now() + ${ALIVE} from unnest($1::uuid[], $2::text[], $3::boolean[]) as held (id, subject, paid)
     on conflict (id) do update set alive_until = excluded.alive_until`,
    [visits.map(([id]) => id), visits.map(([, { subject }]) => subject), visits.map(([, { paid }]) => paid)],
  );
}

async function settle(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `with gone as (delete from private.voice_sessions where id = $1 returning subject, paid, ${MS('now()')}) ${CHARGE}`,
    [id],
  );
}
