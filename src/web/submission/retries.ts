import { UPLOAD_ATTEMPTS, UPLOAD_RETRY_DELAY_MS } from '#contract/limits.ts';
import { isWorthRetrying } from '#web/backend/errors.ts';

export type Sleep = (ms: number) => Promise<void>;

export const sleep: Sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * §9 'Upload and metadata retries': 3 attempts, 1 s apart; what cannot get better is not tried again. Throws the last
 * error.
 */
export async function withRetries<T>(attempt: () => Promise<T>, wait: Sleep = sleep): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (count === UPLOAD_ATTEMPTS || !isWorthRetrying(error)) throw error;
    }
    await wait(UPLOAD_RETRY_DELAY_MS);
  }
}
