import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRetryAfter, toSpeechError, readErrorMessage } from './service-errors.ts';

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
])('Reads the message of the error body %s as %s', (body, message) => {
  expect(readErrorMessage(body)).toBe(message);
});

test('Cuts messages at 300 characters and survives any body', () => {
  expect(readErrorMessage(JSON.stringify({ error: 'x'.repeat(10_000) }))).toHaveLength(300);
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (body) => (readErrorMessage(body)?.length ?? 0) <= 300));
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
])('Reads Retry-After %s as %s s (RFC 9110 §10.2.3)', (header, seconds) => {
  expect(parseRetryAfter(header, NOW)).toBe(seconds);
});

test('Reads any Retry-After as whole seconds or nothing (RFC 9110 §10.2.3)', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const seconds = parseRetryAfter(header, NOW) ?? 0;
      return Number.isInteger(seconds) && seconds >= 0 && seconds <= 86_400;
    }),
  );
});

test("Keeps the service's words about keys to itself (threat 6)", () => {
  const answer = {
    status: 401,
    body: '{"error":{"message":"Incorrect API key provided: sk-1"}}',
    retryAfter: undefined,
  };
  expect(toSpeechError(answer, 'sk-1').details.serviceMessage).toBeUndefined();
  expect(toSpeechError({ ...answer, status: 400 }, 'sk-1').details.serviceMessage).toBe(
    'Incorrect API key provided: …',
  );
  expect([toSpeechError(answer, 'sk-1').code, toSpeechError(answer, undefined).code]).toEqual([
    'invalid_api_key',
    'missing_api_key',
  ]);
});
