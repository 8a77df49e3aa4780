import type { SupabaseClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CheckedPart, CheckFindings } from '#contract/setup-parts.ts';
import { createBackendClient, type BackendAddress } from '../backend-client.ts';
import type { Env } from '../env.ts';
import { chat, INTERVIEW_LIMITS, readLanguageModel } from '../language-model.ts';
import { sendTestMail } from '../mail/index.ts';
import { SetupError } from '../setup-error.ts';
import { checkAddress } from './check-address.ts';
import { CheckError, describeStatus } from './check-errors.ts';

export type CheckDeps = Readonly<{
  env: Env;
  backend: () => BackendAddress;
  serviceKey: string | undefined;
  /** Asks the configured voice for a few words; undefined where none is configured. */
  tryVoice: ((signal: AbortSignal) => Promise<CheckFindings>) | undefined;
  /** Looks at the end of the last backup; undefined where there is none. */
  tryBackup: () => Promise<TriedBackup | undefined>;
}>;

/** What the end of the last backup shows. */
type TriedBackup =
  | Readonly<{ moved: true }>
  | Readonly<{ files: number; bytes: number }>
  | Readonly<{ damage: string }>;

/** Who presses: `client` asks in the administrator's own name. */
type Presser = Readonly<{ client: SupabaseClient; readAddress: () => Promise<string> }>;

/** Tries a part for real. */
type Check = (signal: AbortSignal, presser: Presser) => Promise<CheckFindings>;

/**
 * The check of a part. It contacts configured addresses only, never one of the request. Throws SetupError
 * `not_configured`.
 */
export async function findCheck(part: CheckedPart, deps: CheckDeps): Promise<Check> {
  const check = await CHECKS[part](deps);
  if (check === undefined) throw new SetupError('not_configured');
  return check;
}

const CHECKS: Readonly<Record<CheckedPart, (deps: CheckDeps) => Check | undefined | Promise<Check | undefined>>> = {
  address: ({ env: { PUBLIC_URL: url, LIMIT_RECORDING_BYTES: bytes } }) =>
    url === undefined ? undefined : (signal) => checkAddress(url, bytes, signal),
  mail: ({ env }) =>
    env.SMTP_URL === undefined
      ? undefined
      : async (signal, { readAddress }) => {
          const recipient = await readAddress();
          await sendTestMail(env, recipient, signal);
          return { recipient };
        },
  'language-model': ({ env }) => (env.LLM_URL === undefined ? undefined : (signal) => checkLanguageModel(env, signal)),
  voice: ({ tryVoice }) => tryVoice,
  storage: ({ backend, serviceKey }) =>
    serviceKey === undefined ? undefined : (signal) => checkStorage(backend(), serviceKey, signal),
  backup: async ({ tryBackup }) => {
    const tried = await tryBackup();
    return tried && (async () => readTriedBackup(tried));
  },
  retention: ({ env: { RETENTION_DAYS: days } }) =>
    days === undefined ? undefined : (_signal, { client }) => countDue(client, days),
  'second-factors': ({ backend, serviceKey }) =>
    serviceKey === undefined ? undefined : () => countFactors(createBackendClient(backend(), serviceKey)),
};

const PROMPT = 'Antworte mit einem kurzen deutschen Satz: Bist du bereit?';
const ANSWER_CHARACTERS = 200;

async function checkLanguageModel(env: Env, signal: AbortSignal): Promise<CheckFindings> {
  const service = readLanguageModel(env);
  if (service === undefined) throw new SetupError('not_configured');
  let text = '';
  const limits = { ...INTERVIEW_LIMITS, firstWordMs: 30_000, totalMs: 45_000 };
  for await (const event of chat(service, { messages: [{ role: 'user', content: PROMPT }], limits, signal })) {
    if (event.kind === 'text') text += event.text;
  }
  if (text.trim() === '') throw new CheckError('empty_answer');
  return { text: text.trim().slice(0, ANSWER_CHARACTERS) };
}

const BUCKET = 'Media';
const PROBE_BYTES = 1_024;

/** Writes, reads and removes a file through the same routes as every upload. */
async function checkStorage(backend: BackendAddress, serviceKey: string, signal: AbortSignal): Promise<CheckFindings> {
  const files = createBackendClient(backend, serviceKey).storage.from(BUCKET);
  const name = `setup-check/${randomUUID()}.txt`;
  const content = randomUUID()
    .repeat(PROBE_BYTES / 32)
    .slice(0, PROBE_BYTES);
  requireSuccess(await files.upload(name, content, { contentType: 'text/plain' }));
  try {
    const { data } = requireSuccess(await files.download(name, {}, { signal }));
    if ((await data?.text()) !== content) throw new CheckError('wrong_content');
  } finally {
    requireSuccess(await files.remove([name]));
  }
  return { bytes: PROBE_BYTES };
}

/** A backup that was moved to another machine is not lost. */
function readTriedBackup(tried: TriedBackup): CheckFindings {
  if ('damage' in tried) throw new CheckError('backup_damaged', tried.damage);
  return tried;
}

const DAY_MS = 86_400_000;
const DueSchema = z.object({ total: z.number() });

/** As the desk's own preview; erases nothing. */
async function countDue(client: SupabaseClient, days: number): Promise<CheckFindings> {
  const before = new Date(Date.now() - days * DAY_MS).toISOString();
  const answer = requireSuccess(await client.rpc('desk_retention', { before, after: null }));
  return { due: DueSchema.parse(answer.data).total };
}

/** Who is locked signs in with nothing at all. */
async function countFactors(service: SupabaseClient): Promise<CheckFindings> {
  const { data } = requireSuccess(await service.from('user_roles').select('user_id').eq('role', 'admin'));
  const found = { administrators: 0, withoutFactor: 0 };
  for (const { user_id: id } of data ?? []) {
    const { data: answer } = requireSuccess(await service.auth.admin.getUserById(String(id)));
    const { factors = [], banned_until: lockedUntil = '' } = answer.user ?? {};
    if (Date.parse(lockedUntil) > Date.now()) continue;
    found.administrators += 1;
    if (!factors.some(({ status }) => status === 'verified')) found.withoutFactor += 1;
  }
  return found;
}

function requireSuccess<Answer extends Readonly<{ error: object | null }>>(answer: Answer): Answer {
  const { error } = answer;
  if (error === null) return answer;
  const { code, reason } = describeStatus('status' in error && typeof error.status === 'number' ? error.status : 0);
  throw new CheckError(code === 'not_the_service' ? 'unreachable' : code, reason);
}
