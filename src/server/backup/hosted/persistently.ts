import { setTimeout as wait } from 'node:timers/promises';
import { MoveFault } from './faults.ts';

const PAUSES_MS = [500, 1_500, 3_000];

/** Tries again where the hosted project does not answer; a line that breaks off for a moment shall not end hours of work. */
export async function persistently<T>(
  { signal }: Readonly<{ signal: AbortSignal }>,
  work: () => Promise<T>,
): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof MoveFault && error.code === 'api_away')) throw error;
      await wait(pause, undefined, { signal });
    }
  }
  return work();
}
