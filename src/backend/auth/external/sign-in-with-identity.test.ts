import { describe, expect, test } from 'vitest';
import { decideLinking, type LinkingFacts } from './sign-in-with-identity.ts';

const newcomer: LinkingFacts = { knownUserId: undefined, sharing: [], email: undefined, taken: false };
const address = (verified: boolean) => ({ email: { address: 'a@beispiel.test', verified } });

describe('contract §1.4 choice of the account', () => {
  test.each([
    ['known by this identity', { ...newcomer, knownUserId: 'u' }, { kind: 'enter', userId: 'u' }],
    [
      'known, though another account has the address',
      { ...newcomer, knownUserId: 'u', sharing: ['v'] },
      { kind: 'enter', userId: 'u' },
    ],
    [
      'a verified address of somebody',
      { ...newcomer, ...address(true), sharing: ['u'], taken: true },
      { kind: 'link', userId: 'u' },
    ],
    [
      'verified addresses of the same user',
      { ...newcomer, ...address(true), sharing: ['u', 'u'] },
      { kind: 'link', userId: 'u' },
    ],
    ['verified addresses of several', { ...newcomer, ...address(true), sharing: ['u', 'v'] }, { kind: 'ambiguous' }],
    [
      'an unverified address of somebody',
      { ...newcomer, ...address(false), taken: true },
      { kind: 'create', email: undefined },
    ],
    ['a free address', { ...newcomer, ...address(false) }, { kind: 'create', email: 'a@beispiel.test' }],
    ['no address', newcomer, { kind: 'create', email: undefined }],
  ] as const)('%s', (_name, facts, decision) => expect(decideLinking(facts)).toEqual(decision));
});
