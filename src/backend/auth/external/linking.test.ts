import { describe, expect, test } from 'vitest';
import { decideLinking, type LinkingFacts } from './linking.ts';

const nobody: LinkingFacts = { knownUserId: undefined, sharing: [], email: undefined, taken: false };
const address = (verified: boolean) => ({ email: { address: 'a@beispiel.test', verified } });

describe('contract §1.4 who comes back from another provider', () => {
  test.each([
    ['known by this identity', { ...nobody, knownUserId: 'u' }, { kind: 'enter', userId: 'u' }],
    [
      'known, whoever else has the address',
      { ...nobody, knownUserId: 'u', sharing: ['v'] },
      { kind: 'enter', userId: 'u' },
    ],
    [
      'a verified address of somebody',
      { ...nobody, ...address(true), sharing: ['u'], taken: true },
      { kind: 'link', userId: 'u' },
    ],
    [
      'verified addresses of the same user',
      { ...nobody, ...address(true), sharing: ['u', 'u'] },
      { kind: 'link', userId: 'u' },
    ],
    ['verified addresses of several', { ...nobody, ...address(true), sharing: ['u', 'v'] }, { kind: 'ambiguous' }],
    [
      'an unverified address of somebody',
      { ...nobody, ...address(false), taken: true },
      { kind: 'create', email: undefined },
    ],
    ['a free address', { ...nobody, ...address(false) }, { kind: 'create', email: 'a@beispiel.test' }],
    ['no address', nobody, { kind: 'create', email: undefined }],
  ] as const)('%s', (_name, facts, decision) => expect(decideLinking(facts)).toEqual(decision));
});
