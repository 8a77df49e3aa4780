import { fullName, type Loading, type Table } from '#backend/maintenance.ts';
import type { ArchivePart } from './archive/reader.ts';
import type { Manifest } from './archive/manifest.ts';
import { BackupFault } from './faults.ts';
import { tableIndex, unpack } from './table-parts.ts';

export type SkippedTable = Readonly<{ name: string; rows: number }>;

export type TableFiller = Readonly<{
  take: (part: ArchivePart) => Promise<void>;
  /** No more tables may come. Throws BackupFault `damaged` where rows are missing. */
  complete: () => Promise<void>;
  skipped: () => SkippedTable[];
}>;

type Filled = Manifest['tables'][number];
type Running = Readonly<{ index: number; write: (piece: Buffer) => Promise<void>; end: () => Promise<number> }>;

/** Lets the pieces of one table after the other flow into the database. */
export function createTableFiller(loading: Loading, manifest: Manifest, archive: string): TableFiller {
  const made = new Map(loading.tables.map((table) => [fullName(table), table]));
  const counted = new Map<number, number>();
  let running: Running | undefined;
  let completed = false;
  const endRunning = async (): Promise<void> => {
    if (running !== undefined) counted.set(running.index, await running.end());
    running = undefined;
  };
  const isSkipped = (table: Filled): boolean => !made.has(fullName(table));
  return {
    take: async ({ name, content }) => {
      const index = tableIndex(name);
      const table = index === undefined ? undefined : manifest.tables[index];
      if (index === undefined || table === undefined || completed) throw new BackupFault('damaged', archive);
      if (isSkipped(table)) return;
      if (running?.index !== index) {
        await endRunning();
        if (counted.has(index)) throw new BackupFault('damaged', archive);
        running = run(loading, table, index);
      }
      await running.write(
        await unpack(content).catch((cause: unknown) => {
          throw cause instanceof BackupFault ? cause : new BackupFault('damaged', archive, { cause });
        }),
      );
    },
    complete: async () => {
      completed = true;
      await endRunning();
      const whole = manifest.tables.every(
        (table, index) => isSkipped(table) || (counted.get(index) ?? 0) === table.rows,
      );
      if (!whole) throw new BackupFault('damaged', archive);
    },
    skipped: () =>
      manifest.tables
        .filter((table) => isSkipped(table) && table.rows > 0)
        .map((table) => ({ name: fullName(table), rows: table.rows })),
  };
}

function run(loading: Loading, table: Table, index: number): Running {
  const { sink, rows } = loading.copyIn(table);
  // The database's refusal comes as an event, at whatever we are waiting for.
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => undefined);
  sink.on('error', refused.reject);
  const done = (start: (tell: (error?: Error | null) => void) => void): Promise<void> =>
    Promise.race([
      refused.promise,
      new Promise<void>((resolve, reject) => start((error) => (error ? reject(error) : resolve()))),
    ]);
  return {
    index,
    write: (piece) => done((tell) => void sink.write(piece, tell)),
    end: async () => {
      await done((tell) => void sink.end(tell));
      return rows();
    },
  };
}
