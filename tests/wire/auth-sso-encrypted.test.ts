import { generateKeyPairSync, verify, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSsoWorld, type SsoLanding, type SsoWorld } from '#tests/support/auth-sso.ts';
import { createSamlIdp, type IdpOptions } from '#tests/support/saml-idp.ts';

const key = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2_048 })
    .privateKey.export({ type: 'pkcs1', format: 'der' })
    .toString('base64');
const [old, fresh] = [key(), key()];

/** The same service before, while and after its key changes, and where encryption is off. */
const STAGES = {
  before: { private_key: old, allow_encrypted_assertions: true },
  during: { private_key: old, private_key_next: fresh, allow_encrypted_assertions: true },
  after: { private_key: fresh, private_key_next: old, allow_encrypted_assertions: true },
  later: { private_key: fresh, allow_encrypted_assertions: true },
  off: { private_key: old },
} as const;
const worlds = new Map<keyof typeof STAGES, SsoWorld>();
const world = (stage: keyof typeof STAGES): SsoWorld => {
  const found = worlds.get(stage);
  if (found === undefined) throw new Error('no such world');
  return found;
};
beforeAll(async () => {
  for (const stage of ['before', 'during', 'after', 'later', 'off'] as const)
    worlds.set(stage, await startSsoWorld(STAGES[stage]));
});
afterAll(() => Promise.all([...worlds.values()].map(({ server }) => server.stop())));

/** An identity provider that knows this service from the metadata of `known` sends somebody by itself. */
async function unasked(known: keyof typeof STAGES, at: keyof typeof STAGES, options: IdpOptions): Promise<SsoLanding> {
  const idp = createSamlIdp(world(known).ownMetadata, options);
  const on = world(at);
  await on.establish(idp);
  return on.post(await idp.unasked(on.fresh()));
}

const entered = ({ fragment }: SsoLanding): boolean => fragment.has('access_token');
const uses = (xml: string): string[] => [...xml.matchAll(/use="(\w+)"/g)].map(([, use]) => use ?? '');

describe('[auth.saml] allow_encrypted_assertions', () => {
  test('the metadata offer a certificate to encrypt for, and only then', () => {
    expect([uses(world('before').ownMetadata), uses(world('off').ownMetadata)]).toEqual([
      ['signing', 'encryption'],
      ['signing'],
    ]);
  });

  test.each<[string, IdpOptions]>([
    ['signed inside', { encrypts: 'usual' }],
    ['the response signed as a whole', { encrypts: 'usual', signs: 'message' }],
    ['not encrypted at all', {}],
  ])('%s: a session', async (_name, options) => {
    const on = world('before');
    const idp = createSamlIdp(on.ownMetadata, options);
    expect(entered(await on.signOn(on.fresh(), {}, idp, await on.establish(idp)))).toBe(true);
    expect(entered(await unasked('before', 'before', options))).toBe(true);
  });

  test('once only, as any other', async () => {
    const on = world('before');
    const idp = createSamlIdp(on.ownMetadata, { encrypts: 'usual' });
    await on.establish(idp);
    const form = await idp.unasked(on.fresh());
    expect(Buffer.from(form.SAMLResponse, 'base64').toString()).not.toContain('<saml:Subject>');
    expect([entered(await on.post(form)), entered(await on.post(form))]).toEqual([true, false]);
  });

  test.each<[string, keyof typeof STAGES, keyof typeof STAGES, IdpOptions]>([
    ['where it is off', 'before', 'off', { encrypts: 'usual' }],
    ['for another key', 'later', 'before', { encrypts: 'usual' }],
    ['with a padding that can be guessed (PKCS #1 v1.5)', 'before', 'before', { encrypts: 'weakly' }],
    ['signed inside with SHA-1', 'before', 'before', { encrypts: 'usual', algorithm: 'sha1' }],
    ['signed inside by somebody else', 'before', 'before', { encrypts: 'usual', key: 'another' }],
  ])('refused %s, in the same words', async (_name, known, at, options) => {
    const { status, query } = await unasked(known, at, options);
    expect([status, query.get('error_description')]).toEqual([303, 'SAML Assertion is not valid']);
  });
});

describe('[auth.saml] private_key_next: replaces a key without an interruption', () => {
  test('both are published for signatures, and asked for again soon', async () => {
    expect(uses(world('during').ownMetadata)).toEqual(['signing', 'signing', 'encryption']);
    const caches = ['before', 'during'].map(async (stage) => {
      const response = await world(stage as keyof typeof STAGES).server.call('GET', '/sso/saml/metadata');
      return response.headers.get('cache-control');
    });
    expect(await Promise.all(caches)).toEqual(['public, max-age=600', 'public, max-age=60']);
  });

  test.each<[keyof typeof STAGES, keyof typeof STAGES]>([
    ['before', 'during'],
    ['during', 'after'],
    ['after', 'later'],
  ])('a provider with the metadata of %s signs in %s', async (known, at) => {
    expect(entered(await unasked(known, at, { encrypts: 'usual' }))).toBe(true);
  });

  test('a provider with both keys accepts requests signed with the new one', async () => {
    const { search } = new URL(await world('after').departure());
    const [signed = '', signature = ''] = search.slice(1).split('&Signature=');
    const certificates = [...world('during').ownMetadata.matchAll(/use="signing"[\s\S]*?Certificate>([^<]+)</g)];
    const proves = certificates.map(([, body]) => {
      const { publicKey } = new X509Certificate(Buffer.from(body ?? '', 'base64'));
      return verify('sha256', Buffer.from(signed), publicKey, Buffer.from(decodeURIComponent(signature), 'base64'));
    });
    expect(proves).toEqual([false, true]);
  });
});
