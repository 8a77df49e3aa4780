import { existsSync } from 'node:fs';
import path from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ROLES, type Role } from '#contract/roles.ts';
import type { Backend } from '#backend/index.ts';
import { isLoopback } from '#http/network.ts';
import { readJsonFile, removeDurably, writeDurably } from '#lib/durable-file.ts';
import { createBackendClient, getBackend } from '../backend-client.ts';
import type { Env } from '../env.ts';
import {
  AccountError,
  addAccount,
  changeLogin,
  countAccounts,
  generatePassword,
  knowsRoles,
  setRole,
} from './accounts.ts';
import { formatTable } from './commands.ts';

const CredentialsSchema = z.array(z.object({ email: z.string(), password: z.string(), role: z.enum(ROLES) }));
type Credentials = z.infer<typeof CredentialsSchema>;

const FIRST_ACCOUNTS: readonly Readonly<{ email: string; role: Role }>[] = [
  { email: 'admin@beispiel.test', role: 'admin' },
  { email: 'vdi-admin@beispiel.test', role: 'vdi_admin' },
  { email: 'firma-a@beispiel.test', role: 'firma_a' },
  { email: 'firma-b@beispiel.test', role: 'firma_b' },
  { email: 'testnormec@beispiel.test', role: 'testnormec' },
];

export type FirstAccountsDeps = Readonly<{
  env: Env;
  /** Without an embedded backend no account is created. */
  server: Readonly<{ app: FastifyInstance; backend: Pick<Backend, 'keys'> | undefined }>;
  print: (text: string) => void;
}>;

/**
 * Creates one account a role where there is no account and only this machine can reach the server. The passwords are in
 * DATA_DIR/zugangsdaten.json and nowhere else. The file is safe on disk before the first account is created, and a
 * marker tells the next start that a crash left some out.
 */
export async function makeFirstAccounts({ env, server, print }: FirstAccountsDeps): Promise<void> {
  const { app, backend } = server;
  if (!isLoopback(env.HOST) || backend === undefined) return;
  const file = path.join(env.DATA_DIR, 'zugangsdaten.json');
  const marker = path.join(env.DATA_DIR, 'zugangsdaten.unvollstaendig');
  // Over the network, the runtime's client of HTTP would take 15 MB that nothing else of a server at rest needs.
  const supabase = createBackendClient(getBackend(app, undefined), backend.keys.secretKey);
  const resuming = existsSync(marker);
  // Another project's folder (SUPABASE_DIR) may have no roles.
  if (!(await knowsRoles(supabase))) return;
  if (!resuming && (await countAccounts(supabase)) > 0) return;
  const credentials = (resuming ? await readJsonFile(file, CredentialsSchema) : undefined) ?? generateCredentials();
  await writeCredentials(file, credentials);
  await writeDurably(marker, '');
  const made = await makeAccounts(supabase, credentials, resuming);
  if (made.length < credentials.length) await writeCredentials(file, made);
  if (made.length > 0) print(formatAnnouncement(made, file));
  await removeDurably(marker);
}

const writeCredentials = (file: string, credentials: Credentials): Promise<void> =>
  writeDurably(file, `${JSON.stringify(credentials, null, 2)}\n`);

/**
 * At once, as most of the time goes into their hashes; a failure is thrown when none is being made any more. Returns
 * those that have the password of `credentials`.
 */
async function makeAccounts(
  supabase: SupabaseClient,
  credentials: Credentials,
  resuming: boolean,
): Promise<Credentials> {
  const results = await Promise.allSettled(credentials.map((account) => makeAccount(supabase, account, resuming)));
  return credentials.filter((_account, index) => {
    const result = results[index];
    if (result?.status === 'rejected') throw result.reason;
    return result?.value === true;
  });
}

/** False where another server that starts on the same database has made it. */
async function makeAccount(
  supabase: SupabaseClient,
  account: Credentials[number],
  resuming: boolean,
): Promise<boolean> {
  try {
    await addAccount(supabase, account);
  } catch (error) {
    if (!(error instanceof AccountError) || error.code !== 'email_exists') throw error;
    if (!resuming) return false;
    await changeLogin(supabase, account.email, { password: account.password });
    await setRole(supabase, account.email, account.role);
  }
  return true;
}

function generateCredentials(): Credentials {
  return FIRST_ACCOUNTS.map(({ email, role }) => ({ email, password: generatePassword(), role }));
}

/** Prints no passwords, because output stays in terminals and in logs of service managers. */
function formatAnnouncement(credentials: Credentials, file: string): string {
  const rows = credentials.map(({ email, role }) => [email, role]);
  const lines = formatTable(['E-Mail', 'Rolle'], rows).map((line) => `  ${line}`);
  const where = `  Die Passwörter stehen in ${file}`;
  const advice = '  Ändere sie nach der ersten Anmeldung unter „Konto“ und lösche die Datei.';
  return ['  Erste Konten:', '', ...lines, '', where, advice, '', ''].join('\n');
}
