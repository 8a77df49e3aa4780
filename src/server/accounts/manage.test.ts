import type { SupabaseClient } from '@supabase/supabase-js';
import { expect, test } from 'vitest';
import type { Administrator } from '../administrator.ts';
import { changeAccount } from './manage.ts';

/** One account, an administrator, in a backend that does not list administrators. */
function createBackend() {
  const roles = new Map([['a', 'admin']]);
  const user = { id: 'a', email: 'a@beispiel.test', created_at: '2026-01-01T00:00:00Z', email_confirmed_at: '' };
  const rows = [...roles].map(([user_id, role]) => ({ user_id, role }));
  const table = {
    select: () => ({ in: async () => ({ data: rows, error: null }) }),
    update: () => ({ eq: () => ({ select: async () => ({ data: null, error: { code: '57P01' } }) }) }),
    upsert: async ({ user_id, role }: { user_id: string; role: string }) => {
      roles.set(user_id, role);
      return { error: null };
    },
  };
  const admin = { getUserById: async () => ({ data: { user }, error: null }) };
  return { service: { from: () => table, auth: { admin } } as unknown as SupabaseClient, roles };
}

test('Undoes a change where it cannot be checked that an administrator is left (D14)', async () => {
  const { service, roles } = createBackend();
  const change = changeAccount(service, { id: 'b' } as Administrator, 'a', { role: 'firma_a' });
  await expect(change).rejects.toMatchObject({ code: 'backend_failed' });
  expect(roles.get('a')).toBe('admin');
});
