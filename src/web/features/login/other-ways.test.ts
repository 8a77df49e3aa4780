import { expect, it } from 'vitest';
import { formatProvider } from './other-ways.tsx';
import { forgottenTexts, mailCodeTexts } from './texts.ts';

it('Leaves it to the mail how long its link and code work: otp_expiry says it (D15)', () => {
  for (const sent of [forgottenTexts.sent, mailCodeTexts.sentText]) expect(sent).not.toMatch(/gilt|Stunde/);
});

it.each([
  ['azure', 'Microsoft'],
  ['linkedin_oidc', 'LinkedIn'],
  ['google', 'Google'],
  ['werk_nord', 'Werk nord'],
])('Formats the provider %s as %s', (provider, name) => {
  expect(formatProvider(provider)).toBe(name);
});
