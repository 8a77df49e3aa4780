/** §6: what an account may be. One value per user. No schema here: this is read before anything else is loaded. */
export const ROLES = ['firma_a', 'firma_b', 'testnormec', 'admin', 'vdi_admin'] as const;
export type Role = (typeof ROLES)[number];

export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}
