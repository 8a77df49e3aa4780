import * as z from 'zod/mini';

/** §6: what an account may be. One value per user. */
export const ROLES = ['firma_a', 'firma_b', 'testnormec', 'admin', 'vdi_admin'] as const;
export const RoleSchema = z.enum(ROLES);
export type Role = z.infer<typeof RoleSchema>;
