import { expect, test } from 'vitest';
import { createTokenChain, REFRESH_TOKEN, hashToken } from './token-chain.ts';

const chain = createTokenChain(Buffer.from('secret of one server'));

test("Creates unique tokens in upstream's form (contract §1.5)", () => {
  const tokens = Array.from({ length: 1_000 }, () => chain.create());
  expect(tokens.every((token) => REFRESH_TOKEN.test(token))).toBe(true);
  expect(new Set(tokens).size).toBe(1_000);
});

test('Derives a child from parent and secret, the same on every server', () => {
  const token = chain.create();
  const child = chain.deriveChild(token);
  expect(child).toMatch(REFRESH_TOKEN);
  expect(createTokenChain(Buffer.from('secret of one server')).deriveChild(token)).toBe(child);
  expect(createTokenChain(Buffer.from('another secret')).deriveChild(token)).not.toBe(child);
  expect([chain.deriveChild(child), hashToken(token)]).not.toContain(child);
});

test('Never repeats a token within a chain', () => {
  const seen = new Set<string>();
  for (let token = chain.create(); seen.size < 5_000; token = chain.deriveChild(token)) seen.add(token);
  expect(seen.size).toBe(5_000);
});
