import type { AppConfig } from '#contract/app-config.ts';
import { storedUser } from '#web/backend/stored-session.ts';
import { DEVICE_OWNER } from './entry.ts';

/** Whose outbox counts in this browser now. */
export function ownerHere({ supabaseUrl }: AppConfig): string {
  return storedUser(supabaseUrl)?.id ?? DEVICE_OWNER;
}
