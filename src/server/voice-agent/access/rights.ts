import { AREAS, type AreaId } from '#contract/areas.ts';
import type { Clock } from '../clock.ts';
import type { TurnStore } from '../turns/store.ts';
import type { Holder } from './callers.ts';

/** §6: a login works in the areas of its role, as long as its session lives. A key is an authority of its own (D9). */
export async function mayEnter(store: TurnStore, holder: Holder, area: AreaId): Promise<boolean> {
  if (holder.userId === undefined) return true;
  const role = await store.roleOf(holder, holder.userId);
  const roles: readonly string[] = AREAS.find(({ id }) => id === area)?.roles ?? [];
  return role !== undefined && roles.includes(role);
}

/**
 * Asks now and every `everyMs`, and calls `onEnd` at the first no. Where the database does not answer it asks again
 * later.
 */
export function watchRights(
  { clock, everyMs }: Readonly<{ clock: Clock; everyMs: number }>,
  mayStay: () => Promise<boolean>,
  onEnd: () => void,
): () => void {
  let stopped = false;
  let cancel = (): void => undefined;
  const ask = async (): Promise<void> => {
    const stays = await mayStay().catch(() => true);
    if (!stays && !stopped) onEnd();
  };
  const check = (): void => {
    cancel = clock.after(everyMs, check);
    void ask();
  };
  check();
  return () => {
    stopped = true;
    cancel();
  };
}
