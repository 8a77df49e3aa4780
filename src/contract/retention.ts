const DAY_MS = 86_400_000;

/** When a contribution is erased: `days` after it was begun or completed, whichever came last. ISO 8601. */
export function getDeletionDate(createdAt: string, completedAt: string | null, days: number): string {
  const last = Math.max(Date.parse(createdAt), completedAt === null ? 0 : Date.parse(completedAt));
  return new Date(last + days * DAY_MS).toISOString();
}
