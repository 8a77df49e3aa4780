import * as z from 'zod/mini';
import { ROLES } from './roles.ts';

/** Bodies and answers of /v1/accounts (D14): what an administrator does to accounts from the browser. */

/** `locked`: banned, it cannot be used to sign in. `invited`: the invitation was sent and not accepted yet. */
const AccountStatusSchema = z.enum(['active', 'invited', 'locked']);
export type AccountStatus = z.infer<typeof AccountStatusSchema>;

const AccountSchema = z.object({
  id: z.string(),
  /** '' where the account has none. */
  email: z.string(),
  /** A role that this version does not know is shown as it is. */
  role: z.nullable(z.string()),
  status: AccountStatusSchema,
  /** ISO 8601. */
  createdAt: z.string(),
  invitedAt: z.nullable(z.string()),
  lastSignInAt: z.nullable(z.string()),
});
export type Account = z.infer<typeof AccountSchema>;

export const ACCOUNTS_PER_PAGE = 50;

export const AccountListSchema = z.object({
  accounts: z.array(AccountSchema),
  /** Accounts that the search finds, on all pages. */
  total: z.number(),
  /** The page that is shown, from 1; the last one where a later one was asked for. */
  page: z.number(),
  perPage: z.number(),
});
export type AccountList = z.infer<typeof AccountListSchema>;

const RoleSchema = z.enum(ROLES);
const address = z.string().check(z.trim(), z.toLowerCase(), z.maxLength(255), z.regex(/^[^\s@]+@[^\s@]+$/));

export const NewAccountSchema = z.strictObject({
  email: address,
  role: RoleSchema,
  /** `invite`: by mail. `password`: one is made up and handed to the administrator. */
  by: z.enum(['invite', 'password']),
});
export type NewAccount = z.infer<typeof NewAccountSchema>;

export const AccountChangeSchema = z.union([
  z.strictObject({ role: RoleSchema }),
  z.strictObject({ locked: z.boolean() }),
]);
export type AccountChange = z.infer<typeof AccountChangeSchema>;

/** `password` is shown this once and stored nowhere. */
export const AccountAnswerSchema = z.object({ account: AccountSchema, password: z.optional(z.string()) });
export type AccountAnswer = z.infer<typeof AccountAnswerSchema>;

/** Second factors of an account, as far as an administrator has to know them. */
export const AccountFactorsSchema = z.object({
  factors: z.array(z.object({ kind: z.enum(['app', 'passkey', 'phone']), createdAt: z.string() })),
});
export type AccountFactors = z.infer<typeof AccountFactorsSchema>;

/** Why nothing was done. The screen has a text for each. */
const AccountErrorCodeSchema = z.enum([
  'not_authenticated',
  'not_admin',
  /** The role requires a second factor that this session has not shown. */
  'second_factor_needed',
  'invalid_request',
  'account_not_found',
  'email_exists',
  'own_account',
  'last_admin',
  'already_signed_in',
  'mail_limit',
  'not_configured',
  'backend_failed',
  'internal_error',
]);
export type AccountErrorCode = z.infer<typeof AccountErrorCodeSchema>;
export const AccountFailureSchema = z.object({
  error: z.object({ code: AccountErrorCodeSchema, message: z.string() }),
});

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
