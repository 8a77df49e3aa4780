import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SpeechError } from './errors.ts';
import { parseRetryAfter, readErrorMessage, readTranscript, toSpeechError } from './service-answer.ts';

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

async function* send(...pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield new TextEncoder().encode(piece);
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

async function read(...pieces: readonly string[]): Promise<{ text: string; deltas: string[] }> {
  const deltas: string[] = [];
  const { text } = await readTranscript(send(...pieces), undefined, (delta) => deltas.push(delta));
  return { text, deltas };
}

test.each([
  [
    'OpenAI',
    [
      event({ type: 'transcript.text.delta', delta: 'Guten' }),
      event({ type: 'transcript.text.delta', delta: ' Tag' }),
      event({ type: 'transcript.text.done', text: 'Guten Tag', usage: { type: 'tokens' } }),
    ],
  ],
  [
    'vLLM',
    [
      event({ object: 'transcription.chunk', choices: [{ delta: { content: 'Guten' } }] }),
      event({ object: 'transcription.chunk', choices: [{ delta: { content: ' Tag' }, finish_reason: 'stop' }] }),
      'data: [DONE]\n\n',
    ],
  ],
  ['earlier speaches', [event({ text: 'Guten' }), event({ text: 'Tag' })]],
])('Reads the stream of %s', async (_name, pieces) => {
  expect(await read(...pieces)).toEqual({ text: 'Guten Tag', deltas: ['Guten', ' Tag'] });
});

test('Reads events that the network splits within a letter', async () => {
  const bytes = new TextEncoder().encode(event({ type: 'transcript.text.done', text: 'Prüfmaschine' }));
  const at = bytes.indexOf(0xc3) + 1;
  const split = (async function* () {
    yield bytes.subarray(0, at);
    yield bytes.subarray(at);
  })();
  expect(await readTranscript(split, undefined)).toMatchObject({ text: 'Prüfmaschine' });
});

test.each([
  ['of an unknown kind', [event({ type: 'session.created' })]],
  ['without its last event', [event({ type: 'transcript.text.delta', delta: 'Guten' })]],
  ['with an error', [event({ error: { message: 'out of memory' } })]],
  ['without end', [event({ text: 'x'.repeat(9_000_000) })]],
])('Refuses a stream %s', async (_name, pieces) => {
  await expect(read(...pieces)).rejects.toBeInstanceOf(SpeechError);
});
