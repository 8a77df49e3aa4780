import { z } from 'zod';
import { AuthError } from '../errors.ts';
import { CLAIM_NAMES, buildProfile, type Profile } from '../external/profile.ts';
import type { Metadata } from '../repository/users.ts';
import type { Assertion } from './assertion.ts';

/**
 * Maps an identity provider's attributes to claims, in upstream's form `{keys: {claim: {name|names, default, array}}}`.
 */
export const AttributeMapping = z.object({
  keys: z
    .record(
      z.string(),
      z.object({
        name: z.string().optional(),
        names: z.array(z.string()).optional(),
        default: z.unknown().optional(),
        array: z.boolean().optional(),
      }),
    )
    .optional(),
});
export type AttributeMapping = z.infer<typeof AttributeMapping>;

const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const SUBJECT_ID = 'urn:oasis:names:tc:SAML:attribute:subject-id';
const EMAIL_NAMES = [
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'http://schemas.xmlsoap.org/claims/EmailAddress',
  'mail',
  'email',
];

/** Reads the user of an assertion. Throws AuthError where a persistent id or an address is missing. */
export function parseAssertionProfile(assertion: Assertion, mapping: AttributeMapping): Profile {
  const subject = getSubject(assertion);
  if (subject === undefined) {
    const why =
      'SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID ' +
      'uniquely identifying this user';
    throw new AuthError(400, 'saml_assertion_no_user_id', why);
  }
  const claims = mapAttributes(assertion, mapping);
  const address = typeof claims['email'] === 'string' && claims['email'] !== '' ? claims['email'] : getEmail(assertion);
  const email = z.email().max(255).safeParse(address?.toLowerCase()).data;
  if (email === undefined) {
    throw new AuthError(400, 'saml_assertion_no_email', 'SAML Assertion does not contain an email address');
  }
  const known = Object.entries(claims).filter(([name, value]) => CLAIM_NAMES.has(name) && typeof value === 'string');
  const custom = Object.entries(claims).filter(([name, value]) => !CLAIM_NAMES.has(name) || typeof value !== 'string');
  return buildProfile(subject, [{ email, verified: true, primary: true }], {
    ...Object.fromEntries(known),
    iss: assertion.issuer,
    custom_claims: Object.fromEntries(custom.filter(([name]) => name !== 'email')),
  });
}

/** Names of attributes are compared without regard to case, as upstream does. */
function getValues({ attributes }: Assertion, name: string): string[] {
  const wanted = name.toLowerCase();
  const named = attributes.filter(({ names }) => names.some((given) => given.toLowerCase() === wanted));
  return named.flatMap(({ values }) => values).filter((value) => value !== '');
}

function getSubject(assertion: Assertion): string | undefined {
  const [identifier] = getValues(assertion, SUBJECT_ID);
  if (identifier !== undefined) return identifier;
  const { nameId, nameIdFormat } = assertion;
  if (nameId === '' || nameIdFormat === TRANSIENT) return undefined;
  return nameIdFormat === EMAIL_FORMAT ? nameId.trim().toLowerCase() : nameId;
}

function getEmail(assertion: Assertion): string | undefined {
  const [found] = EMAIL_NAMES.flatMap((name) => getValues(assertion, name));
  return found ?? (assertion.nameIdFormat === EMAIL_FORMAT ? assertion.nameId.trim() : undefined);
}

function mapAttributes(assertion: Assertion, { keys = {} }: AttributeMapping): Metadata {
  const claims = Object.entries(keys).map(([claim, { name, names = [], default: fallback, array }]) => {
    const sources = [...(name === undefined ? [] : [name]), ...names];
    const values = sources.map((source) => getValues(assertion, source)).find(({ length }) => length > 0);
    return [claim, values === undefined ? fallback : array === true ? values : values[0]] as const;
  });
  return Object.fromEntries(claims.filter(([, value]) => value !== undefined && value !== null));
}
