import type { BackendClient } from '#web/backend/client.ts';
import { BackendError } from '#web/backend/errors.ts';
import { laterPart, loadAhead } from '#web/backend/later-part.ts';

type Sending = typeof import('./sending.ts');

const load = laterPart('sending', () => import('./sending.ts'));

/** What sends, with the client it needs. Throws BackendError where it cannot be loaded now. */
export async function loadSending(): Promise<Sending> {
  try {
    return await load();
  } catch {
    throw new BackendError('unreachable', 'what sends could not be loaded');
  }
}

/** The same with the client for calls about a contribution. */
export async function openSending(loadBackend: () => Promise<BackendClient>, interviewId: string | undefined) {
  const sending = await loadSending();
  return { ...sending, client: sending.getContributionClient(await loadBackend(), interviewId) };
}

/** Once the first screen is there: what sends, and what continues large files. */
export async function loadSendingAhead(): Promise<void> {
  await loadAhead(loadSending);
  const { loadTus } = await loadSending();
  await loadAhead(loadTus);
}
