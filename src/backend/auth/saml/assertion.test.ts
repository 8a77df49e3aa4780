import { describe, expect, test } from 'vitest';
import { checkAssertion, getReplayEnd, type Assertion } from './assertion.ts';

const NOW = 1_000_000_000;
const MINUTE = 60_000;
const expected = { entityId: 'idp', assertionUrl: 'https://x.test/acs', requestId: '_1', now: NOW };
const confirmation = {
  method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
  recipient: 'https://x.test/acs',
  inResponseTo: '_1',
  notBefore: undefined,
  notOnOrAfter: NOW + MINUTE,
};
const assertion: Assertion = {
  id: '_a',
  issuer: 'idp',
  nameId: 'n',
  nameIdFormat: '',
  confirmations: [confirmation],
  notBefore: NOW - MINUTE,
  notOnOrAfter: NOW + MINUTE,
  sessionEnd: undefined,
  attributes: [],
};
const confirmed = (...changes: Partial<Assertion['confirmations'][number]>[]): Assertion => ({
  ...assertion,
  confirmations: changes.map((change) => ({ ...confirmation, ...change })),
});

describe('SAML 2.0 Profiles §4.1.4.3', () => {
  test.each([
    ['as it should be', assertion, undefined],
    ['one of several confirmations', confirmed({ recipient: 'y' }, {}), undefined],
    ['another issuer', { ...assertion, issuer: 'x' }, 'issuer'],
    ['not yet', { ...assertion, notBefore: NOW + MINUTE + 1 }, 'conditions'],
    ['no more', { ...assertion, notOnOrAfter: NOW - MINUTE }, 'conditions'],
    ['no confirmation', confirmed(), 'confirmation'],
    ['another method', confirmed({ method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' }), 'confirmation'],
    ['another recipient', confirmed({ recipient: 'https://x.test/acs/' }), 'confirmation'],
    ['no recipient', confirmed({ recipient: undefined }), 'confirmation'],
    ['another request', confirmed({ inResponseTo: '_2' }), 'confirmation'],
    ['no request', confirmed({ inResponseTo: undefined }), 'confirmation'],
    ['confirmed too long ago', confirmed({ notOnOrAfter: NOW - MINUTE }), 'confirmation'],
    ['confirmed without an end', confirmed({ notOnOrAfter: undefined }), 'confirmation'],
    ['confirmed for later', confirmed({ notBefore: NOW + MINUTE + 1 }), 'confirmation'],
  ] as const)('%s: %s', (_name, given, found) => expect(checkAssertion(given, expected)).toBe(found));

  test('Refuses an unsolicited assertion that claims to answer a request', () => {
    const unasked = { ...expected, requestId: undefined };
    expect(checkAssertion(assertion, unasked)).toBe('confirmation');
    expect(checkAssertion(confirmed({ inResponseTo: undefined }), unasked)).toBeUndefined();
  });

  test('Stores an assertion as long as it could be replayed', () => {
    expect(getReplayEnd(confirmed({ notOnOrAfter: NOW + 5 * MINUTE })).getTime()).toBe(NOW + 6 * MINUTE);
  });
});
