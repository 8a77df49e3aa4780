import { readFileSync } from 'node:fs';
import { readdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import {
  BACKUP_OVERDUE_DAYS,
  type BackupRecord,
  type CheckedPart,
  type PartCheck,
  type PartState,
  type SetupParts,
} from '#contract/setup-parts.ts';
import { getMinimumFreeBytes } from '#backend/index.ts';
import type { Env } from '../env.ts';
import { getSender } from '../mail/index.ts';

export type PartsDeps = Readonly<{
  env: Env;
  /** Without one a hosted project's storage cannot be tried, no mail of the desk is sent and nothing is erased. */
  serviceKey: string | undefined;
  findTranscription: () => Promise<SetupParts['transcription']['by']>;
  findVoiceEngine: (hasModel: boolean) => SetupParts['voice']['engine'];
  readBackups: () => Promise<Readonly<{ last: BackupRecord | null; failed: BackupRecord | null }>>;
  readDatabaseVersion: (() => Promise<string>) | undefined;
}>;

type DescribeChecked = (part: CheckedPart, lacks: readonly string[]) => ReturnType<typeof describeChecked>;
type ReadCheck = (part: CheckedPart) => Readonly<{ isChecking: boolean; check: PartCheck | null }>;

const DAY_MS = 24 * 3_600_000;
const { version: VERSION } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')));

/** What each part can do now. Shows hosts and names of the configuration, never a key, a password or a query. */
export async function describeParts(deps: PartsDeps, read: ReadCheck): Promise<SetupParts> {
  const { env } = deps;
  const by = await deps.findTranscription();
  const key = deps.serviceKey === undefined ? ['SUPABASE_SERVICE_KEY'] : [];
  const checked: DescribeChecked = (part, lacks) => describeChecked(read(part), lacks);
  return {
    address: { ...checked('address', listAddressLacks(env)), publicUrl: hideCredentials(env.PUBLIC_URL) },
    mail: {
      ...checked('mail', [...(env.SMTP_URL === undefined ? ['SMTP_URL'] : []), ...key]),
      host: getHost(env.SMTP_URL),
      sender: getSender(env),
    },
    transcription: { ...describePart(by === 'nothing' ? ['TRANSCRIPTION_URL'] : []), by },
    'language-model': {
      ...checked('language-model', env.LLM_URL === undefined ? ['LLM_URL'] : []),
      host: getHost(env.LLM_URL),
      model: env.LLM_MODEL,
    },
    voice: {
      ...checked('voice', listVoiceLacks(env, by !== 'nothing')),
      engine: deps.findVoiceEngine(by === 'model'),
      host: getHost(env.VOICE_AGENT_URL ?? env.TTS_URL),
    },
    storage: await describeStorage(deps, checked),
    backup: describeBackup(await deps.readBackups(), env.SUPABASE_URL !== undefined, read('backup')),
    retention: {
      ...checked('retention', [...(env.RETENTION_DAYS === undefined ? ['RETENTION_DAYS'] : []), ...key]),
      days: env.RETENTION_DAYS ?? null,
    },
    'second-factors': describeSecondFactors(env, checked),
    versions: await describeVersions(deps),
  };
}

/** A hosted project's database knows nothing of this server's environment. */
function describeSecondFactors({ SUPABASE_URL: hosted, MFA_REQUIRED_ROLES: roles }: Env, checked: DescribeChecked) {
  const lacks = hosted !== undefined || roles.includes('admin') ? [] : ['MFA_REQUIRED_ROLES'];
  return { ...checked('second-factors', lacks), roles: hosted === undefined ? roles : null };
}

async function describeVersions({ env, readDatabaseVersion }: PartsDeps): Promise<SetupParts['versions']> {
  return {
    ...describePart([]),
    application: VERSION,
    node: process.versions.node,
    database: (await readDatabaseVersion?.()) ?? null,
    migration: env.SUPABASE_URL === undefined ? await findNewestMigration(env.SUPABASE_DIR) : null,
  };
}

type Part = { state: PartState; lacks: string[] };

function describePart(lacks: readonly string[], isBroken = false): Part {
  return { state: isBroken ? 'broken' : lacks.length > 0 ? 'missing' : 'ready', lacks: [...lacks] };
}

/** What failed when it was tried is broken until it is tried again. */
function describeChecked(last: ReturnType<ReadCheck>, lacks: readonly string[]): Part & ReturnType<ReadCheck> {
  return { ...last, ...describePart(lacks, last.check !== null && last.check.code !== null) };
}

/** A public address needs TLS, and a proxy before this server that is believed. */
function listAddressLacks({ PUBLIC_URL: url, TRUST_PROXY: proxies }: Env): string[] {
  if (url === undefined || !url.startsWith('https:')) return ['PUBLIC_URL'];
  return proxies === false ? ['TRUST_PROXY'] : [];
}

function listVoiceLacks(env: Env, transcribes: boolean): string[] {
  if (env.VOICE_AGENT_URL !== undefined)
    return Object.keys(env.VOICE_AGENT_IDS).length === 0 ? ['VOICE_AGENT_IDS'] : [];
  return [...(env.TTS_URL === undefined ? ['TTS_URL'] : []), ...(transcribes ? [] : ['TRANSCRIPTION_URL'])];
}

async function describeStorage(
  { env, serviceKey }: PartsDeps,
  checked: DescribeChecked,
): Promise<SetupParts['storage']> {
  const kind = env.SUPABASE_URL !== undefined ? 'hosted' : env.S3_BUCKET !== undefined ? 's3' : 'disk';
  // The disk that uploads need: parts of an upload to S3 are temporary files.
  const { bavail, blocks, bsize } = await statfs(kind === 's3' ? tmpdir() : env.DATA_DIR);
  const [freeBytes, totalBytes] = [bavail * bsize, blocks * bsize];
  const minimumFreeBytes = getMinimumFreeBytes(
    { bytes: env.FREE_DISK_BYTES, percent: env.FREE_DISK_PERCENT },
    totalBytes,
  );
  const part = checked('storage', serviceKey === undefined ? ['SUPABASE_SERVICE_KEY'] : []);
  return {
    ...part,
    ...(kind !== 'hosted' && freeBytes < minimumFreeBytes ? { state: 'broken' } : {}),
    kind,
    freeBytes,
    totalBytes,
    minimumFreeBytes,
  };
}

/** A hosted project is backed up by its own means, which this server does not see. */
function describeBackup(
  { last, failed }: Awaited<ReturnType<PartsDeps['readBackups']>>,
  isHosted: boolean,
  tried: ReturnType<ReadCheck>,
): SetupParts['backup'] {
  const isOverdue = last !== null && Date.now() - Date.parse(last.at) > BACKUP_OVERDUE_DAYS * DAY_MS;
  if (isHosted) return { ...describePart([]), ...tried, isHosted, isOverdue: false, last: null, failed: null };
  const isRefused = tried.check !== null && tried.check.code !== null;
  const isBroken = failed !== null || isOverdue || isRefused || last?.result === 'incomplete';
  const state = isBroken ? 'broken' : last === null ? 'missing' : 'ready';
  return { state, lacks: [], ...tried, isHosted, isOverdue, last, failed };
}

async function findNewestMigration(folder: string): Promise<string | null> {
  const names = await readdir(path.join(folder, 'migrations')).catch(() => []);
  return (
    names
      .filter((name) => name.endsWith('.sql'))
      .toSorted()
      .at(-1) ?? null
  );
}

function getHost(address: string | undefined): string | null {
  return address === undefined ? null : new URL(address).host;
}

function hideCredentials(address: string | undefined): string | null {
  if (address === undefined) return null;
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/\/+$/, '');
}
