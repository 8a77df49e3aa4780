/** The configured retention period. */
export type Period = Readonly<{
  days: number;
  /** What was handed in before this time is due now. */
  dueBefore: () => string;
}>;

const DAY_MS = 86_400_000;

export function periodOf(days: number | undefined): Period | undefined {
  if (days === undefined) return undefined;
  return { days, dueBefore: () => new Date(Date.now() - days * DAY_MS).toISOString() };
}
