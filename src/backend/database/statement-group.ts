import pg from 'pg';
import type { Encoded } from './encode-value.ts';
import { encodeMessages, type Message } from './statement-packet.ts';

export type Statement = Readonly<{
  text: string;
  values?: readonly Encoded[] | undefined;
  /** The connection keeps the statement prepared under this name; its result columns must never change. */
  name?: string | undefined;
}>;

export type StatementResult<Row> = Readonly<{ command: string; rowCount: number | null; rows: Row[] }>;

/** Receives the outcome of one statement; an error is also that of every statement behind it. */
type Receiver = Readonly<{ resolve: (result: StatementResult<never>) => void; reject: (error: unknown) => void }>;
export type Entry = Readonly<{ statement: Statement; receiver?: Receiver }>;

type Column = Readonly<{ name: string; parse: (text: string) => unknown }>;
type Columns = readonly Column[];

const findParser: (type: number, format: 'text') => Column['parse'] = pg.types.getTypeParser;

const DESCRIBE: Message = { kind: 'describe' };
const EXECUTE: Message = { kind: 'execute' };
const SYNC: Message = { kind: 'sync' };

/** The prepared statements of each connection, with the columns of their rows. */
const prepared = new WeakMap<pg.Connection, Map<string, Columns>>();

/**
 * Statements that leave in one packet and are answered in one packet. After a failed one PostgreSQL skips the rest.
 * Outside of a transaction block they are one transaction.
 */
export class StatementGroup implements pg.Submittable {
  readonly entries: readonly Entry[];
  readonly #onEnd: (error: unknown) => void;
  readonly #results: StatementResult<never>[] = [];
  #prepared = new Map<string, Columns>();
  #columns: Columns = [];
  #rows: never[] = [];
  #unreadable: unknown;

  /** `onEnd` is called once, before the receivers of the statements; with an error where one failed. */
  constructor(entries: readonly Entry[], onEnd: (error: unknown) => void) {
    this.entries = entries;
    this.#onEnd = onEnd;
  }

  /** Called by the client when the connection is free. */
  submit(connection: pg.Connection): void {
    this.#prepared = getPrepared(connection);
    const parsed = new Set<string>();
    const messages = this.entries.flatMap(({ statement }) => this.#listMessages(statement, parsed));
    if (connection.stream.writable) connection.stream.write(encodeMessages([...messages, SYNC]));
    this.#begin();
  }

  /** `parsed`: the names that this group has prepared already. */
  #listMessages({ text, values = [], name = '' }: Statement, parsed: Set<string>): Message[] {
    const isNamed = name !== '';
    const isPrepared = isNamed && this.#prepared.has(name);
    const messages: Message[] = [];
    if (!isPrepared && !parsed.has(name)) {
      // A group that failed may have left it behind; closing what does not exist is no error.
      if (isNamed) messages.push({ kind: 'close', name });
      messages.push({ kind: 'parse', name, text });
      if (isNamed) parsed.add(name);
    }
    messages.push({ kind: 'bind', name, values });
    if (!isPrepared) messages.push(DESCRIBE);
    messages.push(EXECUTE);
    return messages;
  }

  #begin(): void {
    const { name } = this.entries[this.#results.length]?.statement ?? {};
    this.#columns = (name === undefined ? undefined : this.#prepared.get(name)) ?? [];
    this.#rows = [];
  }

  handleRowDescription({ fields }: Readonly<{ fields: readonly pg.FieldDef[] }>): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: findParser(dataTypeID, 'text') }));
  }

  handleDataRow({ fields }: Readonly<{ fields: readonly (string | null)[] }>): void {
    const row: Record<string, unknown> = {};
    try {
      for (const [at, { name, parse }] of this.#columns.entries()) {
        const text = fields[at] ?? null;
        row[name] = text === null ? null : parse(text);
      }
      this.#rows.push(row as never);
    } catch (error) {
      this.#unreadable ??= error;
    }
  }

  handleCommandComplete({ text }: Readonly<{ text: string }>): void {
    const { name } = this.entries[this.#results.length]?.statement ?? {};
    if (name !== undefined) this.#prepared.set(name, this.#columns);
    this.#results.push({ ...parseCommand(text), rows: this.#rows });
    this.#begin();
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  handleReadyForQuery(): void {
    this.#end(this.#unreadable);
  }

  handleError(error: unknown): void {
    this.#end(error);
  }

  #end(error: unknown): void {
    this.#onEnd(error);
    for (const [at, { receiver }] of this.entries.entries()) {
      const result = this.#unreadable === undefined ? this.#results[at] : undefined;
      if (result === undefined) receiver?.reject(error);
      else receiver?.resolve(result);
    }
  }
}

function getPrepared(connection: pg.Connection): Map<string, Columns> {
  const known = prepared.get(connection);
  if (known !== undefined) return known;
  const none = new Map<string, Columns>();
  prepared.set(connection, none);
  return none;
}

/** `INSERT 0 1`, `SELECT 20`, `COMMIT`. */
const COMMAND = /^([A-Za-z]+)(?: \d+(?= \d))?(?: (\d+))?/;

function parseCommand(text: string): Pick<StatementResult<never>, 'command' | 'rowCount'> {
  const [, command = '', count] = COMMAND.exec(text) ?? [];
  return { command, rowCount: count === undefined ? null : Number(count) };
}
