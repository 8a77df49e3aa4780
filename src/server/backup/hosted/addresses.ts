import { isIP } from 'node:net';
import { MoveFault } from './faults.ts';

export type Addresses = Readonly<{ url: string; serviceKey: string; databaseUrl: string }>;

/** What hosted Supabase's pooler calls its other mode: no session, so no lock and no temporary table. */
const TRANSACTION_POOLER_PORT = '6543';

/** Before anybody is spoken to: passwords and people's data only over encrypted lines, and both ends of one project. */
export function checkAddresses({ url, databaseUrl }: Addresses): void {
  const [api, database] = [new URL(url), new URL(databaseUrl)];
  if (api.protocol !== 'https:' && !isHere(api.hostname)) throw new MoveFault('not_secret', 'SUPABASE_URL');
  const host = database.searchParams.get('host') ?? database.hostname;
  const mode = database.searchParams.get('sslmode') ?? 'disable';
  if (['disable', 'allow', 'prefer'].includes(mode) && !isHere(host))
    throw new MoveFault('not_secret', 'SUPABASE_DB_URL');
  if (database.port === TRANSACTION_POOLER_PORT) throw new MoveFault('pooler');
  const project = /^([a-z0-9]{20})\.supabase\.co$/.exec(api.hostname)?.[1];
  const named = `${database.username}@${host}`;
  if (project !== undefined && /supabase\.(?:co|com)$/.test(host) && !named.includes(project))
    throw new MoveFault('other_project', project);
}

/** This machine, or a socket on it. */
function isHere(host: string): boolean {
  if (host.startsWith('/')) return true;
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}
