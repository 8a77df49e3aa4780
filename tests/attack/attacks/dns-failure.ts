import { projectFolder } from '#tests/support/project-folder.ts';
import { inParallel, type Attack } from '../attack.ts';

/** By RFC 6761 no resolver knows a name under `.invalid`. */
const SECTIONS = `[auth.external.keycloak]
enabled = true
client_id = "client"
secret = "secret"
url = "https://anmeldung.invalid/realms/firma"
`;

/** Nobody is logged in, and the provider's name cannot be looked up. */
export const dnsFailure: Attack = {
  name: 'dns-failure',
  about: 'sign-in by a provider whose name cannot be looked up, 60 times',
  arrange: async () => {
    const project = await projectFolder(SECTIONS);
    return {
      env: { SUPABASE_DIR: project.folder, AUTH_RATE_LIMIT: '100000' },
      close: project.remove,
      run: async (target, tally) => {
        const headers = { ...target.guest(), 'content-type': 'application/json' };
        const body = JSON.stringify({ provider: 'keycloak', id_token: unsignedToken() });
        await inParallel(30, 5, async () => {
          const token = await target.call({
            method: 'POST',
            path: '/auth/v1/token?grant_type=id_token',
            headers,
            body,
          });
          const authorize = await target.call({ path: '/auth/v1/authorize?provider=keycloak' });
          for (const { status } of [token, authorize]) {
            tally.count(status);
            if (status === 'cut') tally.fail('a connection was cut');
          }
        });
      },
    };
  },
};

function unsignedToken(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: 'https://anmeldung.invalid/realms/firma', aud: 'client', sub: 'x', exp: 4_000_000_000 };
  return `${part({ alg: 'RS256', kid: 'x' })}.${part(claims)}.c2lnbmF0dXJl`;
}
