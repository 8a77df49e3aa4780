import type { IdentityRow } from './repository/identities.ts';
import type { FactorSummary, UserRow } from './repository/users.ts';

/** The user object of all answers (supabase-contract §1.2): empty values have no key. */
export function userJson(user: UserRow, identities: readonly IdentityRow[]): Record<string, unknown> {
  return {
    id: user.id,
    aud: user.aud ?? '',
    role: user.role ?? '',
    email: user.email ?? '',
    ...present({ email_confirmed_at: user.email_confirmed_at, invited_at: user.invited_at }),
    phone: user.phone ?? '',
    ...present({
      phone_confirmed_at: user.phone_confirmed_at,
      confirmation_sent_at: user.confirmation_sent_at,
      confirmed_at: user.confirmed_at,
      recovery_sent_at: user.recovery_sent_at,
      new_email: user.email_change,
      email_change_sent_at: user.email_change_sent_at,
      new_phone: user.phone_change,
      phone_change_sent_at: user.phone_change_sent_at,
      reauthentication_sent_at: user.reauthentication_sent_at,
      last_sign_in_at: user.last_sign_in_at,
    }),
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    ...(user.factors.length === 0 ? {} : { factors: user.factors.map(factorJson) }),
    identities: identities.filter((identity) => identity.user_id === user.id).map(identityJson),
    created_at: user.created_at,
    updated_at: user.updated_at,
    ...present({ banned_until: user.banned_until, deleted_at: user.deleted_at }),
    is_anonymous: user.is_anonymous,
  };
}

/** The factor object of all answers. */
export function factorJson(factor: FactorSummary): Record<string, unknown> {
  return {
    id: factor.id,
    created_at: toIso(factor.created_at),
    updated_at: toIso(factor.updated_at),
    status: factor.status,
    factor_type: factor.factor_type,
    ...present({
      friendly_name: factor.friendly_name,
      phone: factor.phone,
      last_challenged_at: factor.last_challenged_at === null ? null : toIso(factor.last_challenged_at),
    }),
  };
}

/** The database returns times in another time zone. */
function toIso(time: string): string {
  return new Date(time).toISOString();
}

function identityJson(identity: IdentityRow): Record<string, unknown> {
  return {
    identity_id: identity.id,
    id: identity.provider_id,
    user_id: identity.user_id,
    identity_data: identity.identity_data,
    provider: identity.provider,
    last_sign_in_at: identity.last_sign_in_at,
    created_at: identity.created_at,
    updated_at: identity.updated_at,
    ...present({ email: identity.email }),
  };
}

function present(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''));
}
