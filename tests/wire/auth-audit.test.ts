import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AUDIT_ACTIONS, type AuditAction } from '#backend/auth/repository/audit.ts';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { CALLBACK_URL, comeBack, externalConfig } from '#tests/support/auth-external.ts';
import { mailTo } from '#tests/support/auth-mails.ts';
import { startOpenidProvider, type OpenidProvider } from '#tests/support/openid-provider.ts';
import { addPerson } from '#tests/support/people.ts';
import { createSamlIdp } from '#tests/support/saml-idp.ts';
import { getCode, enrolApp, enter, proveApp, type SignedIn } from '#tests/support/second-factors.ts';

/** The audit log of security events: each of upstream's events and ours, in upstream's shape (decision 0090). */
let openid: OpenidProvider;
let server: AuthBackend;
beforeAll(async () => {
  openid = await startOpenidProvider(CALLBACK_URL);
  server = await bootAuthBackend({
    auth: (auth) => ({
      ...mailing(auth),
      enable_manual_linking: true,
      internal_hosts: [openid.host],
      external: { keycloak: externalConfig(openid.config) },
      saml: { ...auth.saml, enabled: true },
      refresh_token_reuse_interval: 0,
      email: { ...auth.email, enable_confirmations: true, max_frequency: '1ms' },
    }),
  });
});
afterAll(async () => {
  await server.stop();
  await openid.stop();
});

const ADMINISTRATION = '00000000-0000-0000-0000-000000000000';
const fresh = (): string => `${randomUUID()}@beispiel.test`;
const password = 'ein ganz langes Kennwort';
const admin = async (method: string, path: string, body?: object): Promise<{ id: string }> => {
  const headers = { authorization: `Bearer ${server.backend.keys.secretKey}` };
  return (await (await server.call(method, path, body, headers)).json()) as { id: string };
};

/** By whom or on whom, and what the entry tells beside that. */
type Noted = Readonly<{ who: string; traits?: object; by?: 'administration' }>;

async function linked({ client }: SignedIn): Promise<void> {
  const subject = randomUUID();
  openid.addAccount(subject, { email: fresh(), email_verified: true });
  const options = { skipBrowserRedirect: true, queryParams: { login_hint: subject } };
  const { data } = await client.auth.linkIdentity({ provider: 'keycloak', options });
  await comeBack(server, await openid.signIn(data.url ?? ''));
}

async function withApp(): Promise<SignedIn & { traits: object; app: { factorId: string; secret: string } }> {
  const me = await enter(server);
  const app = await enrolApp(me);
  return { ...me, app, traits: { factor_id: app.factorId, factor_type: 'totp' } };
}

async function idp(): Promise<string> {
  const own = await (await server.call('GET', '/sso/saml/metadata')).text();
  return (await admin('POST', '/admin/sso/providers', { type: 'saml', metadata_xml: createSamlIdp(own).metadata })).id;
}

async function registered(): Promise<{ email: string; id: string }> {
  const email = fresh();
  await server.client().auth.signUp({ email, password });
  const [row] = await server.sql('select id from auth.users where email = $1', [email]);
  return { email, id: String(row?.['id']) };
}

const email = { provider: 'email' };

/** What makes each event happen; the type asks for every one. */
const EVENTS: Readonly<Record<AuditAction, () => Promise<Noted>>> = {
  login: async () => ({ who: (await enter(server)).id, traits: email }),
  login_failed: async () => {
    const me = await addPerson(server);
    await server.client().auth.signInWithPassword({ email: me.email, password: 'falsch' });
    return { who: me.id };
  },
  logout: async () => {
    const me = await enter(server);
    await me.client.auth.signOut();
    return { who: me.id };
  },
  invite_accepted: async () => {
    const to = fresh();
    const { data } = await server.service().auth.admin.inviteUserByEmail(to);
    const { code } = await mailTo(server, to);
    await server.client().auth.verifyOtp({ email: to, token: code, type: 'invite' });
    return { who: data.user?.id ?? '', traits: email };
  },
  user_signedup: async () => {
    const { email: to, id } = await registered();
    await server.client().auth.verifyOtp({ email: to, token: (await mailTo(server, to)).code, type: 'signup' });
    return { who: id, traits: email };
  },
  user_invited: async () => {
    const { data } = await server.service().auth.admin.inviteUserByEmail(fresh());
    return { who: data.user?.id ?? '', by: 'administration' };
  },
  user_deleted: async () => {
    const { id } = await addPerson(server);
    await server.service().auth.admin.deleteUser(id);
    return { who: id, by: 'administration' };
  },
  token_refreshed: async () => {
    const me = await enter(server);
    await me.client.auth.refreshSession();
    return { who: me.id };
  },
  token_revoked: async () => {
    const me = await enter(server);
    const stolen = { refresh_token: me.session.refresh_token };
    await me.client.auth.refreshSession();
    await me.client.auth.refreshSession();
    await server.client().auth.refreshSession(stolen);
    return { who: me.id };
  },
  user_modified: async () => {
    const { id } = await addPerson(server);
    await server.service().auth.admin.updateUserById(id, { user_metadata: { farbe: 'blau' } });
    return { who: id, by: 'administration' };
  },
  user_updated_password: async () => {
    const me = await enter(server);
    await me.client.auth.updateUser({ password });
    return { who: me.id };
  },
  user_recovery_requested: async () => {
    const me = await addPerson(server);
    await server.client().auth.resetPasswordForEmail(me.email);
    await mailTo(server, me.email);
    return { who: me.id };
  },
  user_confirmation_requested: async () => ({ who: (await registered()).id, traits: email }),
  user_reauthenticate_requested: async () => {
    const me = await enter(server);
    await me.client.auth.reauthenticate();
    return { who: me.id };
  },
  user_repeated_signup: async () => {
    const me = await addPerson(server);
    await server.client().auth.signUp({ email: me.email, password });
    return { who: me.id, traits: email };
  },
  identity_linked: async () => {
    const me = await enter(server);
    await linked(me);
    return { who: me.id, traits: { provider: 'keycloak', identity_id: expect.any(String) } };
  },
  identity_unlinked: async () => {
    const me = await enter(server);
    await linked(me);
    const { data } = await me.client.auth.getUserIdentities();
    const identity = data?.identities.find(({ provider }) => provider === 'keycloak');
    if (identity !== undefined) await me.client.auth.unlinkIdentity(identity);
    return { who: me.id, traits: { provider: 'keycloak', identity_id: identity?.identity_id } };
  },
  factor_in_progress: async () => {
    const { id, traits } = await withApp();
    return { who: id, traits };
  },
  factor_unenrolled: async () => {
    const { id, client, app, traits } = await withApp();
    await client.auth.mfa.unenroll({ factorId: app.factorId });
    return { who: id, traits };
  },
  factor_updated: async () => {
    const { id, app, traits } = await withApp();
    await admin('PUT', `/admin/users/${id}/factors/${app.factorId}`, { friendly_name: 'Tablet' });
    return { who: id, traits, by: 'administration' };
  },
  factor_deleted: async () => {
    const { id, app, traits } = await withApp();
    await server.service().auth.admin.mfa.deleteFactor({ id: app.factorId, userId: id });
    return { who: id, traits, by: 'administration' };
  },
  challenge_created: async () => {
    const { id, client, app, traits } = await withApp();
    const { data } = await client.auth.mfa.challenge({ factorId: app.factorId });
    return { who: id, traits: { ...traits, challenge_id: data?.id } };
  },
  verification_attempted: async () => {
    const me = await withApp();
    await proveApp(server, me, me.app);
    return { who: me.id, traits: { ...me.traits, challenge_id: expect.any(String) } };
  },
  verification_failed: async () => {
    const { id, client, app, traits } = await withApp();
    await client.auth.mfa.challengeAndVerify({ factorId: app.factorId, code: getCode(server, app.secret, 9) });
    return { who: id, traits: { ...traits, challenge_id: expect.any(String) } };
  },
  sso_provider_created: async () => ({ who: await idp(), by: 'administration' }),
  sso_provider_modified: async () => {
    const id = await idp();
    await admin('PUT', `/admin/sso/providers/${id}`, { disabled: true });
    return { who: id, by: 'administration' };
  },
  sso_provider_deleted: async () => {
    const id = await idp();
    await admin('DELETE', `/admin/sso/providers/${id}`);
    return { who: id, by: 'administration' };
  },
};

test.each(Object.entries(EVENTS))('audit log: %s', async (action, happen) => {
  const { who, traits = {}, by } = await happen();
  const rows = await server.sql(
    `select payload, ip_address from auth.audit_log_entries
     where payload ->> 'action' = $1 and payload::text like '%' || $2 || '%'`,
    [action, who],
  );
  const whom = action.startsWith('sso_provider') ? { sso_provider_id: who } : { user_id: who };
  const all = { ...(by === undefined ? {} : whom), ...traits };
  const payload = {
    action,
    actor_id: by === undefined ? who : ADMINISTRATION,
    actor_username: by === undefined ? '' : 'service_role',
    actor_via_sso: false,
    log_type: AUDIT_ACTIONS[action as AuditAction],
    ...(Object.keys(all).length === 0 ? {} : { traits: all }),
  };
  expect(rows).toContainEqual({ payload, ip_address: '127.0.0.1' });
});

test('audit log: contains no names and cannot be read through the API', async () => {
  const rows = await server.sql('select payload::text as text from auth.audit_log_entries');
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter(({ text }) => /beispiel\.test|Kennwort|[A-Z2-7]{32}/.test(String(text)))).toEqual([]);
  const { error } = await server.service().schema('auth').from('audit_log_entries').select('id');
  expect(error?.code).toBe('PGRST106');
});
