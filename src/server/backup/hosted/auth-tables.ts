import { PLAIN, type MovedTable } from './moved-table.ts';

/**
 * Accounts, as upstream's tables have them. What hangs on this server stays: sessions (only sums of their tokens are kept
 * here), links and codes under way, its log. What a login changes is carried but not compared, so that somebody may try the
 * other side out before the last run.
 */
export const AUTH_TABLES: readonly MovedTable[] = [
  {
    ...auth('users', ['id'], {
      // prettier-ignore
      compared: [
        'id', 'instance_id', 'aud', 'role', 'email', 'encrypted_password', 'email_confirmed_at', 'invited_at',
        'raw_app_meta_data', 'raw_user_meta_data', 'created_at', 'phone', 'phone_confirmed_at', 'banned_until',
        'is_sso_user', 'deleted_at', 'is_anonymous',
      ],
      carried: ['last_sign_in_at', 'updated_at'],
    }),
    // Upstream reads these as values that are never null; so it does with those under `read`.
    given: {
      confirmation_token: `''`,
      recovery_token: `''`,
      email_change_token_new: `''`,
      email_change: `''`,
      is_super_admin: 'false',
    },
  },
  auth('identities', ['id'], {
    compared: ['id', 'provider_id', 'user_id', 'identity_data', 'provider', 'created_at'],
    carried: ['last_sign_in_at', 'updated_at'],
  }),
  {
    ...auth('mfa_factors', ['id'], {
      compared: ['id', 'user_id', 'friendly_name', 'factor_type', 'status', 'created_at', 'phone'],
      carried: ['updated_at', 'secret', 'web_authn_credential', 'web_authn_aaguid'],
    }),
    rows: `status = 'verified'`,
    read: { friendly_name: `coalesce(friendly_name, '')`, secret: `coalesce(secret, '')` },
  },
  auth('sso_providers', ['id'], { compared: ['id', 'resource_id', 'created_at'], carried: ['updated_at', 'disabled'] }),
  auth('sso_domains', ['id'], { compared: ['id', 'sso_provider_id', 'domain', 'created_at'], carried: ['updated_at'] }),
  {
    ...auth('saml_providers', ['id'], {
      compared: ['id', 'sso_provider_id', 'entity_id', 'metadata_url', 'attribute_mapping', 'created_at'],
      carried: ['metadata_xml', 'updated_at', 'name_id_format'],
    }),
    read: { attribute_mapping: `coalesce(attribute_mapping, '{}')` },
  },
];

type Columns = Readonly<{ compared: readonly string[]; carried: readonly string[] }>;

function auth(name: string, key: readonly string[], { compared, carried }: Columns): MovedTable {
  return { ...PLAIN, schema: 'auth', name, key, compared, columns: [...compared, ...carried] };
}
