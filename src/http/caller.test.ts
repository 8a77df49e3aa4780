import { expect, test } from 'vitest';
import { callerOf, type CallerKeys } from './caller.ts';
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
])('supabase-contract §0: %o is %s', async (headers, role) => {
  expect(await callerOf(headers, keys)).toMatchObject({ role });
});

test('supabase-contract §0: a bearer that is neither key nor token is refused, not made anonymous', async () => {
  await expect(callerOf({ apikey: 'sb_publishable_x', authorization: 'Bearer nonsense' }, keys)).rejects.toThrow(
    TokenError,
  );
});
