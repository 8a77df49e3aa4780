import type { BackendClient } from '#web/backend/client.ts';
import { connectContribution } from '#web/backend/connect.ts';
import { readKey } from './keys.ts';

/** The client for calls about this contribution: they carry its key, where this tab has it. */
export function getContributionClient(backend: BackendClient, interviewId: string | undefined): BackendClient {
  const key = readKey(interviewId);
  return key === undefined ? backend : connectContribution(backend, key);
}
