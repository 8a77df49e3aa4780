import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { isConnectionError, isDeadlock } from './connection-errors.ts';
import type { Connections } from './connections.ts';
import { StatementGroup, type Entry, type Statement, type StatementResult } from './statement-group.ts';

/** How one kind of transaction begins. */
export type Opening = Readonly<{
  /** `begin` and what the rest of the transaction may look at. */
  begin: () => readonly Statement[];
  /**
   * If the first packet of a read-only transaction is also its last, PostgreSQL runs it as one implicit transaction: no
   * `begin`, no `commit`, read-only set by `set_config`.
   */
  inOnePacket?: () => readonly Statement[];
  /** The work may be run again even if the first run was committed. */
  retryable?: boolean;
  /** It ends with a rollback: nothing of it is stored. */
  dryRun?: boolean;
}>;

/** `endsTransaction`: see `QueryOptions` in database.ts. */
export type RunStatement = <Row>(statement: Statement, endsTransaction?: boolean) => Promise<StatementResult<Row>>;

/** The connection ended before the transaction did; `committing`: its outcome is unknown. */
class LostTransaction extends Error {
  readonly committing: boolean;
  constructor(cause: unknown, committing: boolean) {
    super('connection lost', { cause });
    this.committing = committing;
  }
}

/**
 * Runs the transaction once more where PostgreSQL has undone it: in a deadlock, or as its connection was lost before
 * `commit` was sent. After that its outcome is unknown, and the error is thrown unless the work may run again.
 */
export async function runTransaction<T>(
  from: Connections,
  opening: Opening,
  work: (run: RunStatement) => Promise<T>,
): Promise<T> {
  const attempt = (): Promise<T> => attemptTransaction(from, opening, work);
  const getCause = (error: unknown): never => {
    throw error instanceof LostTransaction ? error.cause : error;
  };
  return attempt().catch(async (error: unknown) => {
    // A repeat at once could take the locks again before the other transaction has woken up.
    if (isDeadlock(error)) await wait(50);
    const wasUndone = isDeadlock(error) || (error instanceof LostTransaction && !error.committing);
    return wasUndone ? attempt().catch(getCause) : getCause(error);
  });
}

async function attemptTransaction<T>(
  from: Connections,
  opening: Opening,
  work: (run: RunStatement) => Promise<T>,
): Promise<T> {
  const client = await from.acquire();
  const transaction = openTransaction(client, opening);
  let committing = false;
  let broken = false;
  try {
    const result = await work(transaction.query);
    committing = !mayRunAgain(opening);
    await transaction.commit();
    return result;
  } catch (error) {
    broken = !(await transaction.rollBack());
    if (broken) from.lost(client);
    if (broken && transaction.lost() !== undefined) throw new LostTransaction(transaction.lost(), committing);
    throw error;
  } finally {
    client.release(broken);
  }
}

const COMMIT: Statement = { text: 'commit', name: 'commit' };
const ROLLBACK: Statement = { text: 'rollback', name: 'rollback' };

function mayRunAgain({ inOnePacket, retryable = false, dryRun = false }: Opening): boolean {
  return inOnePacket !== undefined || retryable || dryRun;
}

function getEnd({ dryRun = false }: Opening): Statement {
  return dryRun ? ROLLBACK : COMMIT;
}

/** The statements of one transaction on a connection, until it is committed or rolled back. */
function openTransaction(client: pg.PoolClient, opening: Opening) {
  const { state, enqueue, dropWaiting, ...connection } = createQueue(client, opening);
  return {
    query: async (statement: Statement, endsTransaction?: boolean): Promise<StatementResult<never>> => {
      if (state() === 'over') throw new Error('the transaction has ended');
      return enqueue(statement, endsTransaction);
    },
    lost: connection.lost,
    commit: async (): Promise<void> => {
      if (state() === 'over') return;
      // A transaction that only reads cannot fail to commit; the next one on the connection waits for it.
      const isRead = opening.inOnePacket !== undefined && state() === 'open';
      const ended = enqueue(getEnd(opening));
      if (isRead) ended.catch(() => undefined);
      else if (opening.dryRun === true) await ended;
      else requireCommitted(await ended);
    },
    /** Resolves to whether the connection may be used again. */
    rollBack: async (): Promise<boolean> => {
      // Alone in its packet: PostgreSQL skips what stands behind a failed statement.
      dropWaiting();
      const isOpen = state() === 'open' && connection.lost() === undefined;
      if (isOpen) await enqueue(ROLLBACK).catch(connection.fail);
      connection.end();
      return connection.lost() === undefined;
    },
  };
}

type Waiting = Entry & Readonly<{ endsTransaction: boolean }>;

/** Statements of one turn leave together, the first ones behind `begin`. */
function createQueue(client: pg.PoolClient, opening: Opening) {
  const { send: sendGroup, isBusy, lost, fail } = createSender(client);
  let waiting: Waiting[] = [];
  /** 'over': nothing follows; the transaction has ended, or ends with what was sent. */
  let state: 'new' | 'open' | 'over' = 'new';
  const send = (): void => {
    if (waiting.length === 0 || isBusy()) return;
    const entries = waiting;
    waiting = [];
    const isLast = mayRunAgain(opening) && entries.at(-1)?.endsTransaction === true;
    const isOnly = isLast && state === 'new' && opening.inOnePacket !== undefined;
    const begin = state === 'new' ? ((isOnly ? opening.inOnePacket : opening.begin)?.() ?? []) : [];
    const needsEnd = isLast && !isOnly;
    state = isLast ? 'over' : 'open';
    const sent = needsEnd ? answerAtEnd(entries, getEnd(opening)) : entries;
    sendGroup([...begin.map(toEntry), ...sent], (failed) => {
      if (failed && needsEnd) state = 'open';
      send();
    });
  };
  return {
    state: () => state,
    lost,
    fail,
    enqueue: (statement: Statement, endsTransaction = false): Promise<StatementResult<never>> => {
      const { promise, resolve, reject } = Promise.withResolvers<StatementResult<never>>();
      if (waiting.push({ statement, receiver: { resolve, reject }, endsTransaction }) === 1) process.nextTick(send);
      return promise;
    },
    dropWaiting: (): void => {
      for (const { receiver } of waiting) receiver?.reject(new Error('the transaction was rolled back'));
      waiting = [];
    },
    end: () => void (state = 'over'),
  };
}

/** The last of the entries is answered only when the transaction has ended: a refused commit is its error. */
function answerAtEnd(entries: readonly Entry[], end: Statement): readonly Entry[] {
  const last = entries.at(-1);
  if (last?.receiver === undefined) return [...entries, toEntry(end)];
  const { receiver, statement } = last;
  let answer: StatementResult<never> | undefined;
  return [
    ...entries.slice(0, -1),
    { statement, receiver: { ...receiver, resolve: (result) => void (answer = result) } },
    { statement: end, receiver: { ...receiver, resolve: (result) => receiver.resolve(answer ?? result) } },
  ];
}

function toEntry(statement: Statement): Entry {
  return { statement };
}

/** PostgreSQL answers `commit` with ROLLBACK where a statement failed and `work` went on: nothing of it was stored. */
function requireCommitted({ command }: StatementResult<never>): void {
  if (command === 'ROLLBACK') throw new Error('the transaction was rolled back: a statement in it failed unnoticed');
}

/** Sends one group of statements at a time, and keeps the first error of the connection itself. */
function createSender(client: pg.PoolClient) {
  let busy = false;
  let lost: unknown;
  return {
    isBusy: () => busy,
    lost: () => lost,
    fail: (error: unknown) => void (lost ??= error),
    send: (entries: readonly Entry[], onEnd: (failed: boolean) => void): void => {
      busy = true;
      const group = new StatementGroup(entries, (error) => {
        busy = false;
        if (lost === undefined && isConnectionError(error)) lost = error;
        onEnd(error !== undefined);
      });
      client.query(group);
    },
  };
}
