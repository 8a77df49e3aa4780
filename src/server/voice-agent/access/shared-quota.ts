import { createHmac, hkdfSync, randomUUID } from 'node:crypto';
import type { Database, Tx } from '#backend/index.ts';
import type { Clock } from '../clock.ts';
import type { VoiceLimits } from '../settings.ts';
import { refusalOf, type Load, type Visit } from './load.ts';
import type { Quota } from './quota.ts';

export type SharedQuotaOptions = Readonly<{
  database: Database;
  /** Known to the servers of the installation only: what is stored of an address is a hash under it. */
  secret: string;
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
const CHARGE = `insert into private.voice_minutes (day, subject, guest, used_ms)
  select ${TODAY}, subject, bool_or(guest), sum(ms) from gone where paid group by subject
  on conflict (day, subject) do update set used_ms = voice_minutes.used_ms + excluded.used_ms`;
const MS = (until: string): string => `greatest(0, extract(epoch from ${until} - started_at) * 1000)::bigint as ms`;

/**
 * Counted in the database for all servers together. One write when somebody comes and one when somebody goes; in
 * between one a minute for everybody a server holds. What runs counts at its greatest length, so nothing is written as
 * it goes on.
 */
export function createSharedQuota(options: SharedQuotaOptions): Quota {
  const { database, limits, clock, onTrouble } = options;
  const hashNetwork = networkHash(options.secret);
  const held = new Map<string, Counted>();
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
    check: (visit) => database.asOwner(async (tx) => refusalOf(visit, await loadFor(tx, hashNetwork(visit)), limits)),
    enter: async (given) => {
      const id = randomUUID();
      const visit = hashNetwork(given);
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

/** A visit as it is stored: the network is known by its hash only. */
type Counted = Visit & Readonly<{ address: Buffer }>;

function networkHash(secret: string): (visit: Visit) => Counted {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'networks of voice sessions', 32));
  return (visit) => ({ ...visit, address: createHmac('sha256', key).update(visit.network).digest() });
}

async function enter(tx: Tx, id: string, visit: Counted, limits: VoiceLimits): Promise<ReturnType<typeof refusalOf>> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
  await sweep(tx);
  const why = refusalOf(visit, await loadFor(tx, visit), limits);
  if (why === undefined) {
    await tx.query(
      `insert into private.voice_sessions (id, subject, paid, guest, address, alive_until)
       values ($1, $2, $3, $4, $5, now() + ${ALIVE})`,
      [id, visit.subject, visit.paid, visit.guest, visit.address],
    );
  }
  return why;
}

/** What a server that has died held is over, and paid for until it was last seen; yesterday's figures go. */
async function sweep(tx: Tx): Promise<void> {
  await tx.query(
    `with gone as (
       delete from private.voice_sessions where alive_until < now() returning subject, paid, guest, ${MS('alive_until')}
     ) ${CHARGE}`,
  );
  await tx.query(`delete from private.voice_minutes where day < ${TODAY}`);
}

async function loadFor(tx: Tx, { subject, address }: Counted): Promise<Load> {
  const sessions = await tx.query<Load['open']>(
    `select count(*) filter (where subject = $1)::int as own, count(*)::int as all,
      count(*) filter (where paid)::int as paid,
       count(*) filter (where guest)::int as guests, count(*) filter (where guest and paid)::int as "paidGuests",
       count(*) filter (where guest and address = $2)::int as "guestsOfNetwork"
     from private.voice_sessions where alive_until > now()`,
    [subject, address],
  );
  const minutes = await tx.query<Load['usedMs']>(
    `select coalesce(sum(used_ms) filter (where subject = $1), 0)::float8 as own,
      coalesce(sum(used_ms), 0)::float8 as all,
       coalesce(sum(used_ms) filter (where guest), 0)::float8 as guests
     from private.voice_minutes where day = ${TODAY}`,
    [subject],
  );
  const none = { own: 0, all: 0, paid: 0, guests: 0, paidGuests: 0, guestsOfNetwork: 0 };
  return { open: sessions.rows[0] ?? none, usedMs: minutes.rows[0] ?? none };
}

/** A row that was taken for dead comes back; until then it has been paid for. */
async function keepAlive(tx: Tx, held: ReadonlyMap<string, Counted>): Promise<void> {
  const ids = [...held.keys()];
  const visits = [...held.values()];
  await tx.query(
    `insert into private.voice_sessions (id, subject, paid, guest, address, alive_until)
     select held.*, now() + ${ALIVE}
       from unnest($1::uuid[], $2::text[], $3::boolean[], $4::boolean[], $5::bytea[]) as held
     on conflict (id) do update set alive_until = excluded.alive_until`,
    [
      ids,
      visits.map(({ subject }) => subject),
      visits.map(({ paid }) => paid),
      visits.map(({ guest }) => guest),
      visits.map(({ address }) => address),
    ],
  );
}

async function settle(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `with gone as (delete from private.voice_sessions where id = $1
      returning subject, paid, guest, ${MS('now()')}) ${CHARGE}`,
    [id],
  );
}
