import { describe, expect, test } from 'vitest';
import { AuthError } from '../errors.ts';
import { getMainEmail } from '../external/profile.ts';
import type { Assertion } from './assertion.ts';
import { parseAssertionProfile, type AttributeMapping } from './attributes.ts';

const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const SUBJECT_ID = 'urn:oasis:names:tc:SAML:attribute:subject-id';

type Attributes = Readonly<Record<string, string | readonly string[]>>;

function assertionOf(nameId: string, nameIdFormat: string, attributes: Attributes = {}): Assertion {
  return {
    id: '_1',
    issuer: 'https://idp.beispiel.test',
    nameId,
    nameIdFormat,
    confirmations: [],
    notBefore: undefined,
    notOnOrAfter: undefined,
    sessionEnd: undefined,
    attributes: Object.entries(attributes).map(([name, values]) => ({ names: [name], values: [values].flat() })),
  };
}

function codeOf(assertion: Assertion, mapping: AttributeMapping = {}): string | undefined {
  try {
    parseAssertionProfile(assertion, mapping);
    return undefined;
  } catch (error) {
    return error instanceof AuthError ? error.code : 'another error';
  }
}

describe('The account of an assertion (contract §1.4)', () => {
  test.each([
    ['a persistent name', assertionOf('u-1', PERSISTENT, { mail: 'ada@beispiel.test' }), 'u-1'],
    ['an address as the name', assertionOf(' Ada@Beispiel.test ', EMAIL_FORMAT), 'ada@beispiel.test'],
    ['the subject before the name', assertionOf('u-1', PERSISTENT, { [SUBJECT_ID]: 's-1', mail: 'a@b.test' }), 's-1'],
    [
      'the subject beside a name for once',
      assertionOf('x', TRANSIENT, { [SUBJECT_ID]: 's-1', mail: 'a@b.test' }),
      's-1',
    ],
  ])('%s', (_what, assertion, subject) => {
    expect(parseAssertionProfile(assertion, {}).subject).toBe(subject);
  });

  test.each([
    ['no name', assertionOf('', PERSISTENT, { mail: 'a@b.test' }), 'saml_assertion_no_user_id'],
    ['a name for once', assertionOf('x', TRANSIENT, { mail: 'a@b.test' }), 'saml_assertion_no_user_id'],
    ['no address', assertionOf('u-1', PERSISTENT), 'saml_assertion_no_email'],
    ['an empty address', assertionOf('u-1', PERSISTENT, { mail: '' }), 'saml_assertion_no_email'],
    ['something else in its place', assertionOf('u-1', PERSISTENT, { mail: 'Ada' }), 'saml_assertion_no_email'],
    [
      'a long address',
      assertionOf('u-1', PERSISTENT, { mail: `${'a'.repeat(250)}@b.test` }),
      'saml_assertion_no_email',
    ],
  ])('Refuses %s', (_what, assertion, code) => expect(codeOf(assertion)).toBe(code));
});

describe('The address of an assertion', () => {
  const NAMES = { mail: 'von-mail@beispiel.test', EMAIL: 'von-email@beispiel.test' };
  test.each([
    ['in lower case', { mail: 'Ada@Beispiel.TEST' }, {}, 'ada@beispiel.test'],
    ['by the first known name, in any case', NAMES, {}, 'von-mail@beispiel.test'],
    ['by the mapping before the known names', { ...NAMES, Post: 'p@b.test' }, { email: { name: 'post' } }, 'p@b.test'],
    ['by the known names where the mapping finds none', NAMES, { email: { name: 'post' } }, 'von-mail@beispiel.test'],
  ])('%s', (_what, attributes, keys, email) => {
    const profile = parseAssertionProfile(assertionOf('u-1', PERSISTENT, attributes), { keys });
    expect(getMainEmail(profile)).toEqual({ email, verified: true, primary: true });
  });
});

describe('Attributes by a mapping', () => {
  const attributes = { mail: 'a@b.test', displayName: 'Ada', Groups: ['a', 'b'], leer: '' };
  test.each([
    ['a known claim', { name: { name: 'displayname' } }, { name: 'Ada' }, {}],
    ['the first name that has a value', { name: { names: ['leer', 'displayName'] } }, { name: 'Ada' }, {}],
    ['a default', { name: { name: 'fehlt', default: 'Gast' } }, { name: 'Gast' }, {}],
    ['nothing without a value', { abteilung: { name: 'fehlt' } }, {}, {}],
    ['a claim of its own', { gruppe: { name: 'groups' } }, {}, { gruppe: 'a' }],
    ['all values', { gruppen: { name: 'groups', array: true } }, {}, { gruppen: ['a', 'b'] }],
    ['a known name with many values', { name: { name: 'groups', array: true } }, {}, { name: ['a', 'b'] }],
  ])('%s', (_what, keys, known, custom) => {
    const { data } = parseAssertionProfile(assertionOf('u-1', PERSISTENT, attributes), { keys });
    expect(data).toMatchObject({ iss: 'https://idp.beispiel.test', email: 'a@b.test', ...known });
    expect(data['custom_claims'] ?? {}).toEqual(custom);
    if (!('name' in known)) expect(data).not.toHaveProperty('name');
  });
});
