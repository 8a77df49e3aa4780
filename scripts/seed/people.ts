import { randomBytes } from 'node:crypto';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { REVIEW_KEY_HEADER } from '#contract/review.ts';
import type { Role } from '#contract/roles.ts';

export type People = Readonly<{
  /** The official client of the first account with that role, or of a guest who holds a new interview key (D9). */
  openClient: (by: Role | 'guest') => Promise<SupabaseClient>;
  /** The client of a browser that has opened a review link. */
  reviewerWith: (key: string) => SupabaseClient;
  service: SupabaseClient;
  leave: () => Promise<void>;
}>;

export type Place = Readonly<{ url: string; publicKey: string; secretKey: string }>;

const NO_SESSION = { auth: { persistSession: false, autoRefreshToken: false } } as const;
const KEY_BYTES = 32;

export async function openPeople({ url, publicKey, secretKey }: Place): Promise<People> {
  const service = createClient(url, secretKey, NO_SESSION);
  const members = new Map<Role, SupabaseClient>();
  const bearer = (header: string, key: string): SupabaseClient =>
    createClient(url, publicKey, { ...NO_SESSION, global: { headers: { [header]: key } } });
  const enter = async (role: Role): Promise<SupabaseClient> => {
    const client = members.get(role) ?? (await signIn(service, createClient(url, publicKey, NO_SESSION), role));
    members.set(role, client);
    return client;
  };
  return {
    openClient: async (by) =>
      by === 'guest' ? bearer('x-interview-key', randomBytes(KEY_BYTES).toString('base64url')) : enter(by),
    reviewerWith: (key) => bearer(REVIEW_KEY_HEADER, key),
    service,
    leave: async () => {
      for (const client of members.values()) await client.auth.signOut({ scope: 'local' });
    },
  };
}

/** By a login link that the service makes: nobody but the account knows its password. */
async function signIn(service: SupabaseClient, client: SupabaseClient, role: Role): Promise<SupabaseClient> {
  const { data: row, error: unknown } = await service
    .from('user_roles')
    .select('user_id')
    .eq('role', role)
    .limit(1)
    .maybeSingle();
  if (unknown !== null) throw unknown;
  if (row === null) throw new Error(`No account has the role ${role}: npm run user -- add NAME@beispiel.test ${role}`);
  const { data: account, error: missing } = await service.auth.admin.getUserById(row.user_id);
  if (missing !== null) throw missing;
  const link = await service.auth.admin.generateLink({ type: 'magiclink', email: account.user.email ?? '' });
  if (link.error !== null) throw link.error;
  const { error } = await client.auth.verifyOtp({ token_hash: link.data.properties.hashed_token, type: 'magiclink' });
  if (error !== null) throw error;
  return client;
}
