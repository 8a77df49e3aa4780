import { expect, test } from 'vitest';
import type { IdentityRow } from './repository/identities.ts';
import type { FactorSummary, UserRow } from './repository/users.ts';
import { factorJson, userJson } from './user-json.ts';

const AT = new Date('2026-01-02T03:04:05.678Z');

const USER: UserRow = {
  id: '5c1f9f0e-0000-4000-8000-000000000001',
  aud: 'authenticated',
  role: 'authenticated',
  email: 'ada@beispiel.test',
  encrypted_password: '$2a$10$x',
  email_confirmed_at: AT,
  invited_at: null,
  confirmation_sent_at: null,
  recovery_sent_at: null,
  email_change: '',
  email_change_sent_at: null,
  email_change_confirm_status: 0,
  last_sign_in_at: null,
  raw_app_meta_data: null,
  raw_user_meta_data: null,
  created_at: AT,
  updated_at: AT,
  phone: null,
  phone_confirmed_at: null,
  phone_change: null,
  phone_change_sent_at: null,
  confirmed_at: AT,
  banned_until: null,
  reauthentication_sent_at: null,
  is_sso_user: false,
  deleted_at: null,
  is_anonymous: false,
  factors: [],
};

const IDENTITY: IdentityRow = {
  id: '5c1f9f0e-0000-4000-8000-000000000002',
  provider_id: 's',
  user_id: USER.id,
  identity_data: { sub: 's' },
  provider: 'keycloak',
  last_sign_in_at: null,
  created_at: AT,
  updated_at: AT,
  email: null,
};

const FACTOR: FactorSummary = {
  id: '5c1f9f0e-0000-4000-8000-000000000003',
  friendly_name: '',
  factor_type: 'totp',
  status: 'verified',
  phone: null,
  created_at: '2026-01-02T04:04:05.678+01:00',
  updated_at: '2026-01-02T04:04:05.678+01:00',
  last_challenged_at: null,
};

test('Leaves out empty values, the hash of the password and the state of a change (contract §1.2)', () => {
  expect(userJson(USER, [])).toEqual({
    id: USER.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: 'ada@beispiel.test',
    email_confirmed_at: AT,
    phone: '',
    confirmed_at: AT,
    app_metadata: {},
    user_metadata: {},
    identities: [],
    created_at: AT,
    updated_at: AT,
    is_anonymous: false,
  });
});

test('Names the address and the number that wait for their confirmation (contract §1.2)', () => {
  const changing = { ...USER, email_change: 'b@beispiel.test', phone_change: '49170', email_change_sent_at: AT };
  expect(userJson(changing, [])).toMatchObject({
    email: 'ada@beispiel.test',
    new_email: 'b@beispiel.test',
    email_change_sent_at: AT,
    phone: '',
    new_phone: '49170',
  });
});

test('Shows until when a user is banned and since when one is deleted (contract §1.2)', () => {
  expect(userJson({ ...USER, banned_until: AT, deleted_at: AT }, [])).toMatchObject({
    banned_until: AT,
    deleted_at: AT,
  });
});

test('Lists the identities of this user alone, by the id at their provider (contract §1.2)', () => {
  const others = { ...IDENTITY, id: 'x', user_id: '5c1f9f0e-0000-4000-8000-000000000009' };
  expect(userJson(USER, [others, IDENTITY])['identities']).toEqual([
    {
      identity_id: IDENTITY.id,
      id: 's',
      user_id: USER.id,
      identity_data: { sub: 's' },
      provider: 'keycloak',
      last_sign_in_at: null,
      created_at: AT,
      updated_at: AT,
    },
  ]);
});

test('Shows a factor without empty values and with its times in UTC (contract §1.2)', () => {
  const shown = {
    id: FACTOR.id,
    created_at: '2026-01-02T03:04:05.678Z',
    updated_at: '2026-01-02T03:04:05.678Z',
    status: 'verified',
    factor_type: 'totp',
  };
  expect(factorJson(FACTOR)).toEqual(shown);
  expect(userJson({ ...USER, factors: [FACTOR] }, [])['factors']).toEqual([shown]);
  const used = { ...FACTOR, friendly_name: 'Handy', phone: '49170', last_challenged_at: '2026-01-02 05:04:05+02' };
  expect(factorJson(used)).toEqual({
    ...shown,
    friendly_name: 'Handy',
    phone: '49170',
    last_challenged_at: '2026-01-02T03:04:05.000Z',
  });
});
