import type { Query } from '@tanstack/react-query';

export const POLLING_MS = 15_000;
const MAX_MS = 8 * POLLING_MS;

/** Options of a query that asks again while the page is visible, and at once when it is shown again. */
export const POLLING = { refetchInterval: choosePause, refetchOnWindowFocus: 'always', retry: false } as const;

type PolledState = Pick<Query['state'], 'status' | 'dataUpdatedAt' | 'errorUpdatedAt'>;

/** After a failure the pause is as long as the outage so far. */
export function choosePause({ state }: Readonly<{ state: PolledState }>): number {
  const { status, dataUpdatedAt, errorUpdatedAt } = state;
  if (status !== 'error') return POLLING_MS;
  const outage = dataUpdatedAt === 0 ? 0 : errorUpdatedAt - dataUpdatedAt;
  return Math.min(MAX_MS, Math.max(2 * POLLING_MS, outage));
}
