/** What one key (a row, a file) may hold: its last acknowledged content, or one sent later whose answer was lost. */
type Entry = Readonly<{ acknowledged: string | undefined; possible: ReadonlySet<string> }>;

export type Verdict = 'kept' | 'lost' | 'damaged' | 'not acknowledged';

/** Remembers what writers sent and what the server acknowledged. Contents are compared by their sha256. */
export type Ledger = Readonly<{
  /** Before a write is sent. */
  attempt: (key: string, content: string) => void;
  /** After its acknowledgement. */
  acknowledge: (key: string, content: string) => void;
  keys: () => readonly string[];
  acknowledged: () => number;
  /** What became of `key`, where `found` is its content now, undefined where there is none. */
  judge: (key: string, found: string | undefined) => Verdict;
}>;

export function createLedger(): Ledger {
  const entries = new Map<string, Entry>();
  const getEntry = (key: string): Entry => entries.get(key) ?? { acknowledged: undefined, possible: new Set() };
  return {
    attempt: (key, content) => {
      const { acknowledged, possible } = getEntry(key);
      entries.set(key, { acknowledged, possible: new Set([...possible, content]) });
    },
    acknowledge: (key, content) => void entries.set(key, { acknowledged: content, possible: new Set([content]) }),
    keys: () => [...entries.keys()],
    acknowledged: () => [...entries.values()].filter((entry) => entry.acknowledged !== undefined).length,
    judge: (key, found) => {
      const { acknowledged, possible } = getEntry(key);
      if (found === undefined) return acknowledged === undefined ? 'not acknowledged' : 'lost';
      return possible.has(found) ? 'kept' : 'damaged';
    },
  };
}
