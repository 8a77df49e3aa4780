import { randomUUID } from 'node:crypto';
import { AUDIENCE } from '../accounts.ts';
import type { Metadata, UserRow } from '../records/users.ts';
import { userJson } from '../user-json.ts';

export type Invented = Readonly<{ email?: string; phone?: string; data: Metadata; at: Date }>;

/** The answer to who registers an address that has an account: a user who does not exist and names nobody. */
export function nobody({ email, phone, data, at }: Invented): Record<string, unknown> {
  const provider = email === undefined ? 'phone' : 'email';
  // prettier-ignore
  const empty: UserRow = {
    id: randomUUID(), aud: AUDIENCE, role: '', email: email ?? null, encrypted_password: null, email_confirmed_at: null,
    invited_at: null, confirmation_sent_at: at, recovery_sent_at: null, email_change: null, email_change_sent_at: null,
    email_change_confirm_status: null, last_sign_in_at: null, raw_app_meta_data: { provider, providers: [provider] },
    raw_user_meta_data: data, created_at: at, updated_at: at, phone: phone ?? null, phone_confirmed_at: null,
    phone_change: null, phone_change_sent_at: null, confirmed_at: null, banned_until: null,
    reauthentication_sent_at: null, is_sso_user: false, deleted_at: null, is_anonymous: false, factors: [],
  };
  return userJson(empty, []);
}
