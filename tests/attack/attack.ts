import type { Tally } from './tally.ts';
import type { Target } from './target.ts';

/** What an attack needs beside the server, and the attack itself. */
export type Arrangement = Readonly<{
  /** The server's environment. */
  env?: Readonly<Record<string, string>>;
  /** Attacks. Ends by itself within `limitMs`; what it leaves open stays open until `close`, past the server's stop. */
  run: (target: Target, tally: Tally) => Promise<void>;
  close?: () => Promise<void> | void;
}>;

export type Attack = Readonly<{
  /** For `--only`. */
  name: string;
  /** One line for the table. */
  about: string;
  /** MiB the server may grow by at most, at its peak. */
  memory?: number;
  limitMs?: number;
  arrange: () => Promise<Arrangement> | Arrangement;
}>;

/** Starts `count` pieces of work, at most `atOnce` at a time. */
export async function inParallel(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, worker));
}
