import fastifyFactory from 'fastify';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';

/** How a loopback service behaves. hang: takes the request and never answers. until: answers after that. */
export type Behaviour = 'works' | 'hang' | { status: number } | { until: Promise<unknown> };

/** Loopback transcription, speech and language services, OpenAI-shaped. */
export type SpeechServices = Readonly<{
  url: string;
  env: Readonly<Record<string, string>>;
  /** What the next transcriptions say; then ''. Audio that only goes on from the last one says the same. */
  words: string[];
  /** What the language model says next: pieces of text, or a tool call. */
  replies: LlmPiece[][];
  behaviour: { transcription: Behaviour; speech: Behaviour; llm: Behaviour };
  /** One entry for audio and what goes on from it. */
  heard: { model: string; language: string; seconds: number; authorization: string | undefined }[];
  spoken: string[];
  prompts: { role: string; content: string }[][];
  /** Between tests: forgets the audio heard last and the words left over, so equal audio is no continuation. */
  forget: () => void;
  stop: () => Promise<void>;
}> & {
  /** How long each spoken sentence is. */
  sentenceMs: number;
};

/** `hold`: the model says nothing more until the test ends. */
export type LlmPiece = string | { tool: string; parameters: object } | { hold: true };

const TTS_RATE = 16_000;
const NOTHING = { pcm: Buffer.alloc(0), text: '' };

export async function startSpeechServices(sentenceMs = 300): Promise<SpeechServices> {
  const app = fastifyFactory({ bodyLimit: 50_000_000, forceCloseConnections: true });
  const closing = new AbortController();
  const services = {
    words: [] as string[],
    replies: [] as LlmPiece[][],
    behaviour: { transcription: 'works', speech: 'works', llm: 'works' } as SpeechServices['behaviour'],
    heard: [] as SpeechServices['heard'],
    spoken: [] as string[],
    prompts: [] as { role: string; content: string }[][],
    sentenceMs,
  };
  const behave = async (behaviour: Behaviour): Promise<number> => {
    if (behaviour === 'hang') await pause(600_000, undefined, { signal: closing.signal }).catch(() => undefined);
    if (typeof behaviour === 'object' && 'until' in behaviour) await behaviour.until;
    return typeof behaviour === 'object' && 'status' in behaviour ? behaviour.status : 200;
  };
  let last = NOTHING;
  app.addContentTypeParser(/^multipart\/form-data/, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.post<{ Body: Buffer }>('/v1/audio/transcriptions', async (request, reply) => {
    const form = await new Response(new Uint8Array(request.body), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData();
    const file = form.get('file');
    const wav = file instanceof Blob ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0);
    if (wav.toString('latin1', 0, 4) !== 'RIFF') return reply.code(400).send({ error: { message: 'no WAV' } });
    const pcm = wav.subarray(44);
    const heard = {
      model: readText(form.get('model')),
      language: readText(form.get('language')),
      seconds: (wav.length - 44) / 2 / wav.readUInt32LE(24),
      authorization: request.headers.authorization,
    };
    services.heard.push(heard);
    const status = await behave(services.behaviour.transcription);
    // Only now: an earlier part of this audio may have waited for its answer, too.
    const goesOn = last.pcm.length > 0 && pcm.subarray(0, last.pcm.length).equals(last.pcm);
    if (goesOn) services.heard.splice(services.heard.indexOf(heard) - 1, 1);
    if (status !== 200) return reply.code(status).send({ error: { message: 'GEHEIM aus dem Dienst' } });
    last = { pcm, text: goesOn ? last.text : (services.words.shift() ?? '') };
    return { text: last.text };
  });

  app.post<{ Body: { input: string } }>('/v1/audio/speech', async (request, reply) => {
    services.spoken.push(request.body.input);
    const status = await behave(services.behaviour.speech);
    if (status !== 200) return reply.code(status).send({ error: 'no voice' });
    const pcm = Buffer.alloc(Math.round((services.sentenceMs / 1000) * TTS_RATE) * 2, 1);
    // Odd pieces: a sample may be split between packets.
    return reply.type('audio/pcm').send(Readable.from([pcm.subarray(0, 1_001), pcm.subarray(1_001)]));
  });

  app.post<{ Body: { messages: { role: string; content: string }[] } }>(
    '/v1/chat/completions',
    async (request, reply) => {
      services.prompts.push(request.body.messages);
      const status = await behave(services.behaviour.llm);
      if (status !== 200) return reply.code(status).send({ error: 'no model' });
      return reply
        .type('text/event-stream')
        .send(Readable.from(stream(services.replies.shift() ?? [], closing.signal)));
    },
  );

  await app.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return Object.assign(services, {
    url,
    env: {
      TRANSCRIPTION_URL: `${url}/v1/audio/transcriptions`,
      TRANSCRIPTION_KEY: 'geheimer-schluessel',
      TTS_URL: url,
      TTS_SAMPLE_RATE: String(TTS_RATE),
    },
    forget: () => {
      last = NOTHING;
      services.words.length = 0;
    },
    stop: async () => {
      closing.abort();
      await app.close();
    },
  });
}

function readText(value: FormDataEntryValue | null): string {
  return typeof value === 'string' ? value : '';
}

async function* stream(pieces: readonly LlmPiece[], signal: AbortSignal): AsyncGenerator<string> {
  for (const piece of pieces) {
    if (typeof piece === 'object' && 'hold' in piece)
      await pause(600_000, undefined, { signal }).catch(() => undefined);
    else yield `data: ${JSON.stringify({ choices: [{ delta: getDelta(piece) }] })}\n\n`;
  }
  yield 'data: [DONE]\n\n';
}

function getDelta(piece: Exclude<LlmPiece, { hold: true }>): object {
  if (typeof piece === 'string') return { content: piece };
  return { tool_calls: [{ index: 0, function: { name: piece.tool, arguments: JSON.stringify(piece.parameters) } }] };
}
