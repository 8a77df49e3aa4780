import { expect, it } from 'vitest';
import { providerName } from './provider-name.ts';

it.each([
  ['azure', 'Microsoft'],
  ['linkedin_oidc', 'LinkedIn'],
  ['google', 'Google'],
  ['werk_nord', 'Werk nord'],
])('other provider: %s is called %s', (provider, name) => {
  expect(providerName(provider)).toBe(name);
});
