/** What an attack tried and how the server answered. */
export type Tally = Readonly<{
  /** Counts one attempt. `answer` is an HTTP status, or a word where there was none (`cut`, `open`). */
  count: (answer: number | string) => void;
  /** States a broken claim: the attack then fails whatever the figures say. */
  fail: (claim: string) => void;
  attempts: () => number;
  /** Attempts answered with 2xx or 101. */
  accepted: () => number;
  /** Everything else, by status. */
  refused: () => string;
  /** Each broken claim once. */
  failures: () => readonly string[];
}>;

export function createTally(): Tally {
  const counts = new Map<string, number>();
  const failures = new Set<string>();
  const sum = (isWanted: (answer: string) => boolean): number =>
    [...counts].filter(([answer]) => isWanted(answer)).reduce((total, [, count]) => total + count, 0);
  return {
    count: (answer) => void counts.set(String(answer), (counts.get(String(answer)) ?? 0) + 1),
    fail: (claim) => void failures.add(claim),
    attempts: () => sum(() => true),
    accepted: () => sum(isAccepted),
    refused: () => {
      const refused = [...counts]
        .filter(([answer]) => !isAccepted(answer))
        .toSorted(([one], [other]) => one.localeCompare(other));
      return refused.map(([answer, count]) => `${count} × ${answer}`).join(', ') || '–';
    },
    failures: () => [...failures],
  };
}

function isAccepted(answer: string): boolean {
  return /^(2\d\d|101)$/.test(answer);
}
