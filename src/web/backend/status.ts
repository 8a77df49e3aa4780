import { type BackendClient, BUCKET } from './client.ts';
import { within } from './time-limits.ts';

/** §4 'Backend status'. */
export type BackendStatus = 'checking' | 'ready' | 'limited' | 'unavailable';

/** What a probe found out; a part is available when it answers without an error, rows or not. */
export type Probe = Readonly<{ interviews: boolean; media: boolean; bucket: boolean }>;

export type StatusState = Readonly<{ status: BackendStatus; probe?: Probe }>;
export type StatusEvent = Readonly<{ type: 'probed'; probe: Probe } | { type: 'disconnected' }>;

export const INITIAL_STATUS: StatusState = { status: 'checking' };
const NOTHING_AVAILABLE: Probe = { interviews: false, media: false, bucket: false };
const PROBE_TIMEOUT_MS = 4_000;
/** On a slow line the client's code takes its time. */
const CLIENT_TIMEOUT_MS = 15_000;

/** ready: both tables and the bucket · limited: some of them · unavailable: none. */
export function getStatus(probe: Probe): BackendStatus {
  const parts = [probe.interviews, probe.media, probe.bucket];
  if (parts.every(Boolean)) return 'ready';
  return parts.some(Boolean) ? 'limited' : 'unavailable';
}

/** A known status stays until the next probe has answered, so that nothing flickers. */
export function reduceStatus(_state: StatusState, event: StatusEvent): StatusState {
  const probe = event.type === 'probed' ? event.probe : NOTHING_AVAILABLE;
  return { status: getStatus(probe), probe };
}

/**
 * §7: `select id limit 1` on both tables and the bucket. Never throws; a silent backend counts as unavailable after 4
 * s.
 */
export async function probeBackend(backend: BackendClient): Promise<Probe> {
  const [interviews, media, bucket] = await Promise.all([
    answers(tableAnswers(backend, 'interviews')),
    answers(tableAnswers(backend, 'media_uploads')),
    answers(bucketAnswers(backend)),
  ]);
  return { interviews, media, bucket };
}

async function tableAnswers(backend: BackendClient, table: 'interviews' | 'media_uploads'): Promise<boolean> {
  const { error, status } = await backend.supabase
    .from(table)
    .select('id')
    .limit(1)
    .abortSignal(AbortSignal.timeout(PROBE_TIMEOUT_MS))
    // A missing answer is a result; the caller asks again.
    .retry(false);
  // The token has ended, though not by the clock of this device.
  if (status === 401) void backend.recheck?.();
  return error === null;
}

async function bucketAnswers(backend: BackendClient): Promise<boolean> {
  const { error } = await backend.supabase.storage.getBucket(BUCKET);
  return error === null;
}

/** The same for a client that may still be on its way. */
export async function probeByLoader(loadBackend: () => Promise<BackendClient>): Promise<Probe> {
  const backend = await within(CLIENT_TIMEOUT_MS, loadBackend()).catch(() => undefined);
  return backend === undefined ? NOTHING_AVAILABLE : probeBackend(backend);
}

/** storage-js takes no signal, so the time-out is raced for all three alike. */
function answers(part: Promise<boolean>): Promise<boolean> {
  return within(PROBE_TIMEOUT_MS, part).catch(() => false);
}
