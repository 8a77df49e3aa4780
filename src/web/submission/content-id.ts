import { type Area, type AreaId, type Topic, TOPICS } from '#contract/areas.ts';
import type { BackendClient } from '#web/backend/client.ts';
import { connectContribution } from '#web/backend/connect.ts';
import { BackendError } from '#web/backend/errors.ts';
import { createInterview, hasLostRights, type Origin, recordOrigin } from '#web/backend/interviews.ts';
import { type BackendStatus, getStatus, probeBackend } from '#web/backend/status.ts';
import { exchangeLocalId, getContributionClient } from './contribution-client.ts';
import { keepKey } from './keys.ts';
import { beginKey, endKey, makeKey } from './new-key.ts';
import { isLocalId, randomHex } from './local-id.ts';
import { DEVICE_OWNER } from './outbox/entry.ts';
import { countKept, type SubmissionStore } from './store.ts';

type ContentIdInput = Readonly<{
  fromState: string | undefined;
  stored: string | undefined;
  requireNew: boolean;
  status: BackendStatus;
}>;

export type ContentIdDecision =
  | Readonly<{ step: 'use' | 'exchange'; id: string; source: 'state' | 'session' }>
  | Readonly<{ step: 'create' | 'local' | 'wait' }>;

/**
 * §4 'Interview id resolution', the four steps in their order. 'wait': the backend's status is not known yet.
 * 'exchange': the backend answers, so a local id is needed no longer (§3).
 */
export function decideContentId({ fromState, stored, requireNew, status }: ContentIdInput): ContentIdDecision {
  const id = fromState ?? (requireNew ? undefined : stored);
  const source = fromState === undefined ? 'session' : 'state';
  if (id !== undefined && !isLocalId(id)) return { step: 'use', id, source };
  if (status === 'checking') return { step: 'wait' };
  if (id !== undefined) return { step: status === 'unavailable' ? 'use' : 'exchange', id, source };
  return { step: status === 'unavailable' ? 'local' : 'create' };
}

/** `source` 'local' calls for §8's 'Hinweis'. */
export type ContentId = Readonly<{ id: string; source: 'state' | 'session' | 'created' | 'local' }>;

export type ContentIdDeps = Readonly<{
  area: Area;
  backend: BackendClient;
  store: SubmissionStore;
  /** Who works here: another person's login must not make the row its own. */
  owner?: string;
  /** Answers with a status other than 'checking'. */
  checkStatus?: () => Promise<BackendStatus>;
  now?: () => Date;
}>;

type ContentIdRequest = Readonly<{
  fromState: string | undefined;
  kind: ContentKind;
  requireNew: boolean;
  /** The way that the screen belongs to: a picture, a film and a document are of one kind. */
  way?: string | undefined;
}>;

/** What fails because a reload broke it off says nothing about the backend. */
let isLeft = false;
if ('document' in globalThis)
  for (const type of ['pagehide', 'pageshow']) window.addEventListener(type, () => (isLeft = type === 'pagehide'));

/**
 * Carries the decision out and keeps the id for the area. A failed insert ends in a local id (§8). Throws where the
 * login has ended: what was made waits on its screen for the next one; and where a request failed because the page is
 * being left.
 */
export async function resolveContentId(deps: ContentIdDeps, request: ContentIdRequest): Promise<ContentId> {
  const before = countKept(deps.area.storageKeys);
  const known = { fromState: request.fromState, stored: deps.store.interviewId(), requireNew: request.requireNew };
  // 'checking' stands for not asked yet: an id that is known needs no request to the backend.
  let decision = decideContentId({ ...known, status: 'checking' });
  if (decision.step === 'wait') decision = decideContentId({ ...known, status: await look(deps) });
  if (decision.step === 'exchange') {
    const row = await exchangeLocalId(deps, decision.id);
    const origin = getOrigin(deps.area.id, kindOfLocalId(decision.id), request.way);
    if (row !== undefined) void recordOrigin(row.client, row.id, origin);
    return { id: row === undefined ? decision.id : String(row.id), source: decision.source };
  }
  const content = decision.step === 'use' ? decision : await makeContentId(deps, request, decision.step === 'create');
  // A contribution that was begun meanwhile is the newer one.
  if (countKept(deps.area.storageKeys) === before) deps.store.keepInterviewId(content.id);
  // It has no owner, so what the same person hands in after a login must not be added to it (decision 0393).
  if (decision.step !== 'use' && deps.owner === DEVICE_OWNER) deps.store.keepDescribed(content.id);
  if (content.source === 'created') {
    const client = getContributionClient(deps.backend, content.id);
    void recordOrigin(client, Number(content.id), getOrigin(deps.area.id, request.kind, request.way));
  }
  return { id: content.id, source: content.source };
}

/** Twice where no answer came in time: on a slow line the first look is spent on the connection alone. */
async function look({ backend, checkStatus }: ContentIdDeps): Promise<BackendStatus> {
  const check = checkStatus ?? (async () => getStatus(await probeBackend(backend)));
  const status = await check();
  return status === 'unavailable' && navigator.onLine ? check() : status;
}

async function makeContentId(deps: ContentIdDeps, request: ContentIdRequest, inDatabase: boolean): Promise<ContentId> {
  const now = deps.now?.() ?? new Date();
  const localId = makeLocalId(deps.area, request.kind, now.getTime());
  if (!inDatabase && isLeft) throw new BackendError('aborted', 'the page is being left');
  if (!inDatabase) return { id: localId, source: 'local' };
  const chosen = chooseKey(deps, `${request.kind} ${request.way ?? ''}`);
  try {
    const id = await createInterview(connectContribution(deps.backend, chosen.key, deps.owner), now);
    storeContributionKey(deps, id, chosen);
    return { id, source: 'created' };
  } catch (error) {
    console.warn('interviews: not created', error instanceof Error ? error.name : '');
    if (isLeft || hasLostRights(error)) throw error;
    // The row may exist although no answer came; the outbox then finds it by this key.
    storeContributionKey(deps, localId, chosen);
    return { id: localId, source: 'local' };
  } finally {
    inserting.delete(chosen.key);
  }
}

/** What this page inserts, by its key: the kind and the way. */
const inserting = new Map<string, string>();

type ChosenKey = Readonly<{ key: string; isPending: boolean }>;

/** A screen entered again finds its first row by the same key; what another one begins meanwhile gets its own. */
function chooseKey({ area, store }: ContentIdDeps, what: string): ChosenKey {
  const pending = store.isCurrent() ? beginKey(area.id) : makeKey();
  const isPending = (inserting.get(pending) ?? what) === what;
  const key = isPending ? pending : makeKey();
  inserting.set(key, what);
  return { key, isPending };
}

/** After a logout, the key under way in this area may be another person's. */
function storeContributionKey({ area, store }: ContentIdDeps, id: string, { key, isPending }: ChosenKey): void {
  const isCurrent = store.isCurrent();
  keepKey(id, key, isCurrent);
  if (isCurrent && isPending) endKey(area.id);
}

const UPLOADS = ['video', 'image', 'document'] as const;

/** The origin of a contribution begun in this step. Without a way the files of an upload say more. */
export function getOrigin(area: AreaId, kind: ContentKind, way?: string): Origin {
  if (kind === 'voice') return { area, kind: 'voice_message' };
  const topic = TOPICS.find((candidate) => candidate === kind);
  if (topic !== undefined) return { area, kind: 'interview', topic };
  const upload = UPLOADS.find((candidate) => candidate === way);
  return upload === undefined ? { area } : { area, kind: upload };
}

/** The same for one that was begun on the device, when its local id is exchanged for the database's. */
export function originOfLocal(area: AreaId, localId: string): Origin {
  return getOrigin(area, kindOfLocalId(localId));
}

/** Which step of a flow needed an id; names the variant of a local id (§3 'Local interview ids'). */
export type ContentKind = 'voice' | 'image-interview' | 'plain' | Topic;

const PART_OF_KIND: Readonly<Record<ContentKind, string>> = {
  plain: '',
  voice: 'voice_',
  'engineering-path': 'engineering_',
  'behind-scenes': 'behind_scenes_',
  'tech-dive': 'tech_dive_',
  'free-topic': 'free_topic_',
  'image-interview': 'image_interview_',
};

const RANDOM_BYTES = 8;

/** `local_voice_1763673600000_9f2c…`; in the test area `testnormec_voice_…`. `now` in ms. */
export function makeLocalId(area: Area, kind: ContentKind, now: number): string {
  return `${area.localIdPrefix}${PART_OF_KIND[kind]}${now}_${randomHex(RANDOM_BYTES)}`;
}

/** The variant a local id was made for. */
export function kindOfLocalId(id: string): ContentKind {
  const kinds: readonly ContentKind[] = ['voice', 'image-interview', ...TOPICS];
  return kinds.find((kind) => new RegExp(`^[a-z]+_${PART_OF_KIND[kind]}\\d`).test(id)) ?? 'plain';
}
