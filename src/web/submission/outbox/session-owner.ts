import type { SessionState } from '#web/backend/session-state.ts';
import { DEVICE_OWNER } from './entry.ts';

/** Whose outbox counts in this session; nobody's while it is looked up. */
export function ownerOf(session: SessionState): string | undefined {
  if (session.status === 'initialising') return undefined;
  return session.status === 'signed-in' ? session.user.id : DEVICE_OWNER;
}
