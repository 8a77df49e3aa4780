import { z } from 'zod';
import type { Metadata } from '../repository/users.ts';

/** Reads a resource of the provider with the access token it gave. Rejects where it does not answer 200 with JSON. */
export type ReadJson = (url: string) => Promise<unknown>;

/** Whether the provider has verified the address. */
type ProfileEmail = Readonly<{ email: string; verified: boolean; primary: boolean }>;

/** A user's profile at another provider. */
export type Profile = Readonly<{
  /** The provider's permanent id of the account. */
  subject: string;
  emails: readonly ProfileEmail[];
  /** `identity_data` in upstream's form, also merged into the user's metadata. */
  data: Metadata;
}>;

/** Returns the address of a new account: the primary one, else the last (supabase-contract §1.4 /callback). */
export function getMainEmail(profile: Profile): ProfileEmail | undefined {
  return profile.emails.find(({ primary }) => primary) ?? profile.emails.at(-1);
}

const text = z.string().min(1).optional().catch(undefined);
const flag = z
  .union([z.boolean(), z.string(), z.number()])
  .transform((value) => value === true || value === 'true' || value === '1' || value === 1)
  .catch(false);

/** The stored OpenID claims; a claim of an unexpected type is ignored. */
const Claims = z.object({
  iss: text,
  sub: z.union([z.string().min(1), z.number().int()]).transform(String),
  name: text,
  family_name: text,
  given_name: text,
  middle_name: text,
  nickname: text,
  preferred_username: text,
  profile: text,
  picture: text,
  website: text,
  gender: text,
  birthdate: text,
  zoneinfo: text,
  locale: text,
  email: z.email().max(255).optional().catch(undefined),
  email_verified: flag,
  phone_verified: flag,
});

/** Claims that are kept by their own name; those of company sign-on beside them go under `custom_claims`. */
// prettier-ignore
export const CLAIM_NAMES: ReadonlySet<string> = new Set([
  'name', 'family_name', 'given_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture', 'website',
  'gender', 'birthdate', 'zoneinfo', 'locale', 'phone', 'full_name', 'avatar_url', 'slug', 'user_name',
]);

export type ClaimsReading = Readonly<{
  /** Claims of this provider only, kept under `custom_claims`. */
  custom?: Metadata;
  /** In place of `email_verified` where the provider has another word for it. */
  verified?: boolean;
}>;

/** Throws where the claims have no subject. */
export function parseClaims(claims: unknown, { custom, verified }: ClaimsReading = {}): Profile {
  const { email, email_verified: claimed, phone_verified, ...rest } = Claims.parse(claims);
  const email_verified = email !== undefined && (verified ?? claimed);
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const data = {
    ...present,
    ...(rest.name === undefined ? {} : { full_name: rest.name }),
    ...(rest.picture === undefined ? {} : { avatar_url: rest.picture }),
    ...(rest.preferred_username === undefined ? {} : { user_name: rest.preferred_username }),
    provider_id: rest.sub,
    ...(custom === undefined ? {} : { custom_claims: custom }),
  };
  return buildProfile(rest.sub, email === undefined ? [] : [{ email, verified: email_verified, primary: true }], {
    ...data,
    phone_verified,
  });
}

/** Adds the main address to the data. */
export function buildProfile(subject: string, given: readonly ProfileEmail[], data: Metadata): Profile {
  const emails = given.map((item) => ({ ...item, email: item.email.toLowerCase() }));
  const main = getMainEmail({ subject, emails, data });
  const contact = main === undefined ? { email_verified: false } : { email: main.email, email_verified: main.verified };
  return { subject, emails, data: { phone_verified: false, ...data, sub: subject, ...contact } };
}
