import { createHmac, randomUUID } from 'node:crypto';
import type { Database, Tx } from '#backend/index.ts';
import { deriveKey } from '#lib/sealed.ts';
import type { Clock } from '../clock.ts';
import type { VoiceLimits } from '../settings.ts';
import { findRefusal, type Admission, type CountedSession, type Load, type Quota } from './quota.ts';

export type SharedQuotaOptions = Readonly<{
  database: Database;
  /** Keys the stored hashes of addresses; known only to the servers of the installation. */
  secret: string;
  limits: VoiceLimits;
  clock: Clock;
  onError: (error: unknown) => void;
}>;

/** Serializes the counting of all servers. */
const LOCK = 7_313_001;
const HEARTBEAT_MS = 60_000;
/** A server may miss two heartbeats before its sessions end. */
const ALIVE = "interval '150 seconds'";
const TODAY = "(now() at time zone 'utc')::date";
const CHARGE = `insert into private.voice_minutes (day, subject, guest, used_ms)
  select ${TODAY}, subject, bool_or(guest), sum(ms) from ended where paid group by subject
  on conflict (day, subject) do update set used_ms = voice_minutes.used_ms + excluded.used_ms`;
/** `limit`: a session is never longer (ms), whatever happens to the clock. */
const MS = (until: string, limit: string): string =>
  `least(${limit}::float8, greatest(0, extract(epoch from ${until} - started_at) * 1000))::bigint as ms`;

/**
 * Counts in the database for all servers together. Writes once at the start and once at the end of a session, and once
 * a minute for all sessions of a server. A running session counts at its greatest length, so its minutes need no
 * writes.
 */
export function createSharedQuota(options: SharedQuotaOptions): Quota {
  const { database, limits } = options;
  const hashNetwork = createNetworkHash(options.secret);
  const held = createHeldSessions(options);
  const admitting = new Set<Promise<Admission>>();
  const admit = async (given: CountedSession): Promise<Admission> => {
    await held.released(given);
    const id = randomUUID();
    const session = hashNetwork(given);
    const why = await database.asOwner((tx) => insertSession(tx, id, session, limits));
    return why === undefined ? { admitted: true, release: held.add(id, session) } : { admitted: false, why };
  };
  return {
    check: async (session) => {
      await held.released(session);
      return database.asOwner(async (tx) => findRefusal(session, await getLoad(tx, hashNetwork(session)), limits));
    },
    admit: (given) => {
      const admission = admit(given).finally(() => admitting.delete(admission));
      admitting.add(admission);
      return admission;
    },
    close: async () => {
      // A session that is admitted during the stop never becomes a conversation, which would release it.
      await Promise.allSettled(admitting);
      await held.releaseAll();
    },
  };
}

/** The sessions of this server, which it keeps alive. */
function createHeldSessions({ database, limits, clock, onError }: SharedQuotaOptions) {
  const held = new Map<string, StoredSession>();
  const releasing = new Map<Promise<void>, StoredSession>();
  let cancelHeartbeat: (() => void) | undefined;
  let heartbeat: Promise<unknown> = Promise.resolve();
  const sendHeartbeat = (): void => {
    cancelHeartbeat = undefined;
    if (held.size === 0) return;
    cancelHeartbeat = clock.after(HEARTBEAT_MS, sendHeartbeat);
    heartbeat = database.asOwner((tx) => keepAlive(tx, held)).catch(onError);
  };

  const release = (id: string, session: StoredSession): void => {
    if (!held.delete(id)) return;
    // A heartbeat that is under way would insert the row again. One that stays expires later and counts until then.
    const end = () => database.asOwner((tx) => endSession(tx, id, limits)).catch(onError);
    const released = heartbeat.then(end).finally(() => releasing.delete(released));
    releasing.set(released, session);
  };

  return {
    /** Returns its release. */
    add: (id: string, session: StoredSession): (() => void) => {
      held.set(id, session);
      cancelHeartbeat ??= clock.after(HEARTBEAT_MS, sendHeartbeat);
      return () => release(id, session);
    },
    /** Resolves when sessions that have ended here do not count any more against this subject or a guest's network. */
    released: async (next: CountedSession): Promise<void> => {
      await Promise.all([...releasing].flatMap(([released, ended]) => (countsAgainst(ended, next) ? [released] : [])));
    },
    releaseAll: async (): Promise<void> => {
      cancelHeartbeat?.();
      for (const [id, session] of held) release(id, session);
      await Promise.all(releasing.keys());
    },
  };
}

/** A guest has another key, so another subject, with each contribution. */
function countsAgainst(ended: CountedSession, next: CountedSession): boolean {
  return ended.subject === next.subject || (ended.guest && next.guest && ended.network === next.network);
}

/** A session as it is stored, with a hash of the network. */
type StoredSession = CountedSession & Readonly<{ address: Buffer }>;

function createNetworkHash(secret: string): (session: CountedSession) => StoredSession {
  const key = deriveKey(secret, 'networks of voice sessions');
  return (session) => ({ ...session, address: createHmac('sha256', key).update(session.network).digest() });
}

async function insertSession(
  tx: Tx,
  id: string,
  session: StoredSession,
  limits: VoiceLimits,
): Promise<ReturnType<typeof findRefusal>> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
  await endDeadSessions(tx, limits);
  const why = findRefusal(session, await getLoad(tx, session), limits);
  if (why === undefined) {
    await tx.query(
      `insert into private.voice_sessions (id, subject, paid, guest, address, alive_until)
       values ($1, $2, $3, $4, $5, now() + ${ALIVE})`,
      [id, session.subject, session.paid, session.guest, session.address],
    );
  }
  return why;
}

/** Ends the sessions of dead servers, charged until their last heartbeat, and deletes the minutes of past days. */
async function endDeadSessions(tx: Tx, { lengthMs }: VoiceLimits): Promise<void> {
  await tx.query(
    `with ended as (
       delete from private.voice_sessions where alive_until < now()
       returning subject, paid, guest, ${MS('alive_until', '$1')}
     ) ${CHARGE}`,
    [lengthMs],
  );
  await tx.query(`delete from private.voice_minutes where day < ${TODAY}`);
}

async function getLoad(tx: Tx, { subject, address }: StoredSession): Promise<Load> {
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

/** Restores a row that another server ended too early; its minutes until then are already charged. */
async function keepAlive(tx: Tx, held: ReadonlyMap<string, StoredSession>): Promise<void> {
  const sessions = [...held.values()];
  await tx.query(
    `insert into private.voice_sessions (id, subject, paid, guest, address, alive_until)
     select held.*, now() + ${ALIVE}
       from unnest($1::uuid[], $2::text[], $3::boolean[], $4::boolean[], $5::bytea[]) as held
     on conflict (id) do update set alive_until = excluded.alive_until`,
    [
      [...held.keys()],
      sessions.map(({ subject }) => subject),
      sessions.map(({ paid }) => paid),
      sessions.map(({ guest }) => guest),
      sessions.map(({ address }) => address),
    ],
  );
}

async function endSession(tx: Tx, id: string, { lengthMs }: VoiceLimits): Promise<void> {
  const sql = `with ended as (delete from private.voice_sessions where id = $1
    returning subject, paid, guest, ${MS('now()', '$2')}) ${CHARGE}`;
  await tx.query(sql, [id, lengthMs]);
}
