import { useEffect, type ReactNode } from 'react';
import { connectContribution, type BackendClient } from '#web/backend/client.ts';
import type { SessionState } from '#web/backend/session-state.ts';
import { useSession, useSessionStore } from '#web/backend/session.ts';
import { probeBackend, statusOf } from '#web/backend/status.ts';
import { startCourier, type Courier } from '#web/submission/outbox/courier.ts';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';

/** Sends what this user kept on this device, as long as the application is open. Shows nothing. */
export function OutboxCourier(): ReactNode {
  const session = useSession();
  const store = useSessionStore();
  const owner = ownerOf(session);
  useEffect(() => {
    if (owner === undefined) return undefined;
    const outbox = browserOutbox();
    let courier: Courier | undefined;
    let left = false;
    const kick = (): void => courier?.kick();
    const ended = outbox.onWork(kick);
    const seen = (): void => void (document.visibilityState === 'visible' && kick());
    window.addEventListener('online', kick);
    document.addEventListener('visibilitychange', seen);
    const currentOwner = (): string => ownerOf(store.getState()) ?? '';
    const start = async (): Promise<void> => {
      const backend = await store.backend();
      if (left) return;
      courier = startCourier({ ...browserDeps(backend), currentOwner }, owner);
      courier.kick();
    };
    start().catch(() => console.warn('outbox: the client could not be loaded'));
    return () => {
      left = true;
      courier?.stop();
      ended();
      window.removeEventListener('online', kick);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [owner, store]);
  return null;
}

export function ownerOf(session: SessionState): string | undefined {
  if (session.status === 'initialising') return undefined;
  return session.status === 'signed-in' ? session.user.id : DEVICE_OWNER;
}

function browserDeps(backend: BackendClient) {
  const outbox = browserOutbox();
  return {
    store: outbox.store,
    clientFor: (key: string) => connectContribution(backend, key),
    now: Date.now,
    changed: outbox.changed,
    onProgress: outbox.progressed,
    locks: 'locks' in navigator ? navigator.locks : undefined,
    reachable: async () => statusOf(await probeBackend(backend)) !== 'unavailable',
    later: (call: () => void, ms: number) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
  };
}
