import type { SupabaseClient } from '@supabase/supabase-js';
import { isRole, type Role } from '#contract/roles.ts';
import { tryToStore } from './browser-storage.ts';
import type { RoleAnswer } from './session-state.ts';

/** PostgREST: 'JSON object requested, multiple (or no) rows returned'. */
const NOT_ONE_ROW = 'PGRST116';
const KEPT = 'last_role:';

/**
 * §5 'Role lookup': exactly one row per user. Two rows, none, or an unknown role: no role. The rows of an ended session
 * are hidden as well, so the session is checked then: supabase-js removes it if it has ended.
 */
export async function lookUpRole(supabase: SupabaseClient, userId: string): Promise<RoleAnswer> {
  const { data, error } = await supabase
    .from('user_roles')
    .select('role')
    .eq('user_id', userId)
    .single<{ role: unknown }>();
  if (error !== null && error.code !== NOT_ONE_ROW) return { kind: 'unreachable', lastKnown: lastRole(userId) };
  const role = data?.role;
  if (isRole(role)) return { kind: 'role', role };
  await supabase.auth.getUser();
  return { kind: 'none' };
}

/** An answer that says nothing about the role leaves the one seen last. */
export function rememberRole(userId: string, answer: RoleAnswer): void {
  if (answer.kind === 'role') tryToStore(localStorage, KEPT + userId, answer.role);
  if (answer.kind === 'none') forgetRole(userId);
}

/** Kept per user, so that a reload without network still opens the area. It grants nothing: the database decides. */
export function lastRole(userId: string): Role | undefined {
  const role = localStorage.getItem(KEPT + userId);
  return isRole(role) ? role : undefined;
}

export function forgetRole(userId: string): void {
  localStorage.removeItem(KEPT + userId);
}

/** Whether the role of anybody has been seen in this browser. */
export function keepsAnyRole(): boolean {
  return Object.keys(localStorage).some((key) => key.startsWith(KEPT));
}
