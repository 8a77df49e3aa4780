import { expect, test } from 'vitest';
import { SpeechError } from './errors.ts';
import { readTranscript } from './service-stream.ts';

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
