import { expect, test } from 'vitest';
import { identifyCaller, type CallerKeys } from './caller.ts';
import { TokenError } from './tokens.ts';

const keys: CallerKeys = {
  roleOfKey: (key) => ({ sb_publishable_x: 'anon', sb_secret_x: 'service_role' })[key],
  verify: async (token) => {
    if (token === 'good.user.token') return { sub: 'u', role: 'authenticated' };
    if (token === 'good.anon.token') return { role: 'anon' };
    throw new TokenError('signature', 'no');
  },
};

test.each([
  [{}, 'anon'],
  [{ apikey: 'foo' }, 'anon'],
  [{ apikey: 'sb_publishable_x' }, 'anon'],
  [{ apikey: 'sb_publishable_x', authorization: 'Bearer sb_publishable_x' }, 'anon'],
  [{ apikey: 'sb_secret_x' }, 'service_role'],
  [{ authorization: 'Bearer sb_secret_x' }, 'service_role'],
  [{ apikey: 'sb_publishable_x', authorization: 'Bearer good.user.token' }, 'authenticated'],
  [{ apikey: 'good.anon.token' }, 'anon'],
  [{ apikey: 'a.bad.token' }, 'anon'],
])('Takes %o for %s (supabase-contract §0)', async (headers, role) => {
  expect(await identifyCaller(headers, keys)).toMatchObject({ role });
});

test('Refuses a bearer that is neither key nor token (supabase-contract §0)', async () => {
  await expect(identifyCaller({ apikey: 'sb_publishable_x', authorization: 'Bearer nonsense' }, keys)).rejects.toThrow(
    TokenError,
  );
});
