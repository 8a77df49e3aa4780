import { describe, expect, test } from 'vitest';
import { parseIdTokenProfile, withAppleName } from './openid-profile.ts';
import { getMainEmail, buildProfile, parseClaims } from './profile.ts';
import { fetchDiscordProfile, fetchUserinfoProfile, type Endpoints } from './providers.ts';

const claims = { iss: 'https://i.test', sub: 's', email: 'A@Beispiel.test', email_verified: true };
const openid = (issuer: string): Endpoints => ({ kind: 'openid', issuer });
const verified = (name: string, more: object, issuer = 'https://i.test'): boolean | undefined =>
  getMainEmail(parseIdTokenProfile({ name, endpoints: openid(issuer) }, { ...claims, ...more }))?.verified;

describe('contract §1.4 verified addresses', () => {
  const common = 'https://login.microsoftonline.com/common/v2.0';
  const tenant = 'https://login.microsoftonline.com/6a1c/v2.0';
  test.each([
    ['keycloak', {}, undefined, true],
    ['keycloak', { email_verified: 'true' }, undefined, true],
    ['keycloak', { email_verified: 'ja' }, undefined, false],
    ['keycloak', { email_verified: undefined }, undefined, false],
    ['apple', { email_verified: undefined }, undefined, true],
    ['azure', {}, common, false],
    ['azure', { xms_edov: '1' }, common, true],
    ['azure', { xms_edov: true }, common, true],
    ['azure', { xms_edov: false }, common, false],
    ['azure', {}, tenant, true],
    ['azure', { xms_edov: false }, tenant, false],
    ['kakao', { email_verified: undefined }, undefined, true],
  ] as const)('%s %j at %s: %s', (name, more, issuer, expected) => {
    expect(verified(name, more, issuer)).toBe(expected);
  });
});

describe('contract §1.2 identity_data', () => {
  test('Keeps claims by name, also by older names, with the address in lower case', () => {
    const given = { ...claims, name: 'Ada', picture: 'p', preferred_username: 'ada', nonce: 'n', given_name: 5 };

    expect(parseClaims(given)).toEqual({
      subject: 's',
      emails: [{ email: 'a@beispiel.test', verified: true, primary: true }],
      data: {
        iss: 'https://i.test',
        sub: 's',
        provider_id: 's',
        email: 'a@beispiel.test',
        email_verified: true,
        phone_verified: false,
        name: 'Ada',
        full_name: 'Ada',
        picture: 'p',
        avatar_url: 'p',
        preferred_username: 'ada',
        user_name: 'ada',
      },
    });
  });

  test.each([
    [
      'apple',
      { is_private_email: 'true', auth_time: 7, transfer_sub: 't', hd: 'x' },
      ['is_private_email', 'auth_time', 'transfer_sub'],
    ],
    ['google', { hd: 'beispiel.test', transfer_sub: 't' }, ['hd']],
    ['google', { transfer_sub: 't' }, []],
    ['keycloak', { hd: 'beispiel.test', transfer_sub: 't' }, []],
  ] as const)('Keeps of %s with %j only its own claims beside the common ones', (name, more, kept) => {
    const { data } = parseIdTokenProfile({ name, endpoints: openid('https://i.test') }, { ...claims, ...more });
    expect(Object.keys(data['custom_claims'] ?? {})).toEqual(kept);
    expect(data).not.toHaveProperty('transfer_sub');
  });

  test('Refuses claims without a subject and ignores an invalid address', () => {
    expect(() => parseClaims({ ...claims, sub: '' })).toThrow();
    expect(parseClaims({ ...claims, email: 'keine' }).emails).toEqual([]);
  });

  test('Prefers the primary address, else the last', () => {
    const emails = [
      { email: 'a@x.test', verified: true, primary: false },
      { email: 'b@x.test', verified: false, primary: true },
      { email: 'c@x.test', verified: true, primary: false },
    ];
    expect(buildProfile('s', emails, {}).data).toMatchObject({ email: 'b@x.test', email_verified: false });
    expect(buildProfile('s', emails.slice(2), {}).data).toMatchObject({ email: 'c@x.test', email_verified: true });
    expect(buildProfile('s', [], {}).data).toEqual({ sub: 's', email_verified: false, phone_verified: false });
  });
});

describe('providers without OpenID', () => {
  test('Discord', async () => {
    const user = { id: '7', username: 'ada', global_name: 'Ada', avatar: 'f', email: 'a@x.test', verified: true };
    const profile = await fetchDiscordProfile('https://d.test/api', async (url) =>
      url.endsWith('/users/@me') ? user : {},
    );
    expect(profile).toMatchObject({
      subject: '7',
      emails: [{ email: 'a@x.test', verified: true }],
      data: { avatar_url: 'https://cdn.discordapp.com/avatars/7/f.png', custom_claims: { global_name: 'Ada' } },
    });
    await expect(fetchDiscordProfile('https://d.test/api', async () => ({ username: 'ada' }))).rejects.toThrow();
  });

  test('Reads `id` as `sub` and refuses a profile without either', async () => {
    expect((await fetchUserinfoProfile('u', async () => ({ id: 7, name: 'Ada' }))).subject).toBe('7');
    for (const answer of [{}, [], 'x', null])
      await expect(fetchUserinfoProfile('u', async () => answer)).rejects.toThrow();
  });
});

describe('Sign in with Apple', () => {
  const profile = buildProfile('s', [{ email: 'a@x.test', verified: true, primary: true }], {});
  test.each([
    ['{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"b@x.test"}', 'Ada Lovelace'],
    ['{"name":{"firstName":"Ada"}}', 'Ada'],
    ['{"name":{"lastName":"Lovelace"}}', 'Lovelace'],
  ])('Reads only the name of %s', (user, name) => {
    expect(withAppleName(profile, user)).toEqual({ ...profile, data: { ...profile.data, name, full_name: name } });
  });

  test.each([
    null,
    '',
    '{',
    '[]',
    'null',
    '{"name":7}',
    '{"name":{"firstName":7}}',
    `{"name":{"firstName":"${'x'.repeat(256)}"}}`,
  ])('Finds no name in %s', (user) => expect(withAppleName(profile, user)).toEqual(profile));

  test('Keeps further claims of Apple as upstream does', () => {
    const given = { ...claims, is_private_email: 'true', auth_time: 1_700_000_000 };
    const { data } = parseIdTokenProfile(
      { name: 'apple', endpoints: { kind: 'openid', issuer: 'https://appleid.apple.com' } },
      given,
    );
    expect(data['custom_claims']).toEqual({ is_private_email: 'true', auth_time: 1_700_000_000 });
  });
});
