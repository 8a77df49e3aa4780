import { expect, it } from 'vitest';
import { formatProvider } from './other-ways.tsx';

it.each([
  ['azure', 'Microsoft'],
  ['linkedin_oidc', 'LinkedIn'],
  ['google', 'Google'],
  ['werk_nord', 'Werk nord'],
])('Formats the provider %s as %s', (provider, name) => {
  expect(formatProvider(provider)).toBe(name);
});
