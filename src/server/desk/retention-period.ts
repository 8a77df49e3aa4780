/** The configured retention period. */
export type Period = Readonly<{
  days: number;
  /** Contributions created before this time are due now. */
  dueBefore: () => string;
}>;

const DAY_MS = 86_400_000;

export function createPeriod(days: number | undefined): Period | undefined {
  if (days === undefined) return undefined;
  return { days, dueBefore: () => new Date(Date.now() - days * DAY_MS).toISOString() };
}
