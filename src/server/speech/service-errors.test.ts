import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterSeconds, serviceError, wordsOf } from './service-errors.ts';

test.each([
  ['{"error":{"message":"a"}}', 'a'],
  ['{"error":"b"}', 'b'],
  ['{"message":"c"}', 'c'],
  ['{"detail":"d"}', 'd'],
  ['{"detail":[{"msg":"e"},{"msg":"f"}]}', 'e; f'],
  ['{"error":{"message":"two\\nlines"}}', 'two lines'],
  ['{"error":{"message":"  "}}', undefined],
  ['{"error":{}}', undefined],
  ['{"detail":[]}', undefined],
  ['<html>502</html>', undefined],
  ['"text"', undefined],
  ['', undefined],
])('speech.md error body %s says %s', (body, words) => {
  expect(wordsOf(body)).toBe(words);
});

test('speech.md words are short and whatever comes is survived', () => {
  expect(wordsOf(JSON.stringify({ error: 'x'.repeat(10_000) }))).toHaveLength(300);
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (body) => (wordsOf(body)?.length ?? 0) <= 300));
});

const NOW = Date.parse('2026-11-20T12:00:00Z');

test.each([
  [undefined, undefined],
  ['', undefined],
  ['7', 7],
  ['0', 0],
  ['99999999', 86_400],
  ['Fri, 20 Nov 2026 12:01:30 GMT', 90],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ['soon', undefined],
])('RFC 9110 §10.2.3: Retry-After %s is %s s', (header, seconds) => {
  expect(retryAfterSeconds(header, NOW)).toBe(seconds);
});

test('RFC 9110 §10.2.3: whatever Retry-After holds, it is whole seconds or nothing', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const seconds = retryAfterSeconds(header, NOW) ?? 0;
      return Number.isInteger(seconds) && seconds >= 0 && seconds <= 86_400;
    }),
  );
});

test('threat 6: what the service says about keys stays here', () => {
  const failure = {
    status: 401,
    body: '{"error":{"message":"Incorrect API key provided: sk-1"}}',
    retryAfter: undefined,
  };
  expect(serviceError(failure, 'sk-1').details.words).toBeUndefined();
  expect(serviceError({ ...failure, status: 400 }, 'sk-1').details.words).toBe('Incorrect API key provided: …');
  expect([serviceError(failure, 'sk-1').code, serviceError(failure, undefined).code]).toEqual([
    'invalid_api_key',
    'missing_api_key',
  ]);
});
