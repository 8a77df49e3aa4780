import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import fastify, { LogController } from 'fastify';
import { pino } from 'pino';
import { TokenError } from '#http/tokens.ts';
import { readEnv } from '#server/env.ts';
import type { TranscriptionEngine } from '#server/speech/engine.ts';
import { speechRoutes, type SpeechDeps } from '#server/speech/index.ts';
import { createServiceEngine } from '#server/speech/transcription.ts';
import { TRANSCRIPTION_TIMEOUT_MS } from '#contract/limits.ts';

export type SpeechApp = Readonly<{
  url: string;
  /** Everything that was logged. */
  log: () => string;
  stop: () => Promise<void>;
}>;

type SpeechAppOptions = Partial<Omit<SpeechDeps, 'env' | 'keys' | 'findEngine'>> &
  Readonly<{
    /** Instead of the one that the environment names. */
    engine?: TranscriptionEngine;
    /** ms the service may be silent; default: §9. */
    timeoutMs?: number;
  }>;

/** The speech routes alone on a real port, so that tests can shorten time-outs and limits. */
export async function startSpeechApp(
  variables: Readonly<Record<string, string>>,
  { engine, timeoutMs = TRANSCRIPTION_TIMEOUT_MS, ...options }: SpeechAppOptions = {},
): Promise<SpeechApp> {
  const env = readEnv(variables);
  const used = engine ?? createServiceEngine(env, timeoutMs);
  const lines: string[] = [];
  const sink = new Writable({
    write: (line: Buffer, _encoding, done) => {
      lines.push(line.toString('utf8'));
      done();
    },
  });
  const app = fastify({
    loggerInstance: pino({ level: 'trace' }, sink),
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  });
  await app.register(
    speechRoutes({
      env,
      findEngine: async () => used,
      keys: testKeys,
      holdsContribution: async () => false,
      holdsReview: async () => false,
      hasRole: async () => true,
      ...options,
    }),
  );
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, log: () => lines.join(''), stop: () => app.close() };
}

/** `Bearer user-<name>` is a login. */
const testKeys: SpeechDeps['keys'] = {
  roleOfKey: () => undefined,
  verify: async (token) => {
    if (token.startsWith('user-')) return { sub: token, role: 'authenticated' };
    throw new TokenError('signature', 'not ours');
  },
};

export const USER = { authorization: 'Bearer user-1' };

export type RecordingForm = Readonly<{
  file?: Uint8Array<ArrayBuffer> | undefined;
  filename?: string;
  model?: string;
  language?: string;
  format?: string;
  /** Further fields, such as `stream`. */
  fields?: Readonly<Record<string, string>>;
}>;

/** A form as the browser sends it; `file: undefined` leaves the file out. */
export function recordingForm(recording: Uint8Array<ArrayBuffer>, changes: RecordingForm = {}): FormData {
  const { filename = 'aufnahme.wav', model = 'whisper-1', language = 'de', format = 'json' } = changes;
  const form = new FormData();
  form.set('model', model);
  form.set('language', language);
  form.set('response_format', format);
  for (const [name, value] of Object.entries(changes.fields ?? {})) form.set(name, value);
  const file = 'file' in changes ? changes.file : recording;
  if (file !== undefined) form.set('file', new Blob([file]), filename);
  return form;
}

export function postRecording(url: string, body: FormData, headers: Record<string, string> = USER): Promise<Response> {
  return fetch(`${url}/v1/audio/transcriptions`, { method: 'POST', body, headers });
}

/** The events of a stream as they arrive; comments as strings. */
export async function* readEvents(response: Response): AsyncGenerator {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of response.body ?? []) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      yield data === undefined ? block : JSON.parse(data);
    }
  }
}

export async function fixture(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))));
}
