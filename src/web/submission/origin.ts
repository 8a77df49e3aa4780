import type { AreaId } from '#contract/areas.ts';
import { TOPICS } from '#contract/topics.ts';
import type { Origin } from '#web/backend/origins.ts';
import { kindOfLocalId, type ContentKind } from './local-id.ts';

/** What the desk is told of a contribution begun in this step. Of an upload its files say more. */
export function originOf(area: AreaId, kind: ContentKind): Origin {
  if (kind === 'voice') return { area, kind: 'voice_message' };
  const topic = TOPICS.find((candidate) => candidate === kind);
  return topic === undefined ? { area } : { area, kind: 'interview', topic };
}

/** The same for one that was begun on the device, when its local id is exchanged for the database's. */
export function originOfLocal(area: AreaId, localId: string): Origin {
  return originOf(area, kindOfLocalId(localId));
}
