import * as z from 'zod/mini';

/**
 * Answer of `rpc('my_sessions')`: where the caller is signed in, last used first. `rpc('end_session', { session: id })`
 * ends one and answers whether there was one; all others end by `auth.signOut({ scope: 'others' })`. A hosted project
 * without the migration, or that lets its owner not delete sessions, answers an error: then only signing out everywhere
 * is offered.
 */
export const OwnSessionsSchema = z.array(
  z.object({
    id: z.string(),
    /** ISO 8601, as the next one. */
    created_at: z.string(),
    last_used_at: z.string(),
    user_agent: z.nullable(z.string()),
    address: z.nullable(z.string()),
    aal: z.enum(['aal1', 'aal2', 'aal3']),
    is_current: z.boolean(),
  }),
);
export type OwnSession = z.infer<typeof OwnSessionsSchema>[number];
