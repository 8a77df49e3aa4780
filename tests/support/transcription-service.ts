import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fileTypeFromBuffer } from 'file-type';
import { z } from 'zod';

/** A loopback service that speaks OpenAI's transcription call, checks what it gets and fails in every way on demand. */
const BehaviourSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  /** Any status with any body, as it stands. */
  z.object({
    kind: z.literal('answer'),
    status: z.number().int(),
    body: z.string(),
    headers: z.record(z.string(), z.string()).default({}),
  }),
  /** Reads everything and never answers. */
  z.object({ kind: z.literal('hang') }),
  /** Does not even read. */
  z.object({ kind: z.literal('deaf') }),
  /** Breaks the connection off once everything has come. */
  z.object({ kind: z.literal('cut') }),
  /** Answers 429 before it has read the body. */
  z.object({ kind: z.literal('early') }),
  /** Answers with an event stream, which `stream` and `endStream` write. */
  z.object({ kind: z.literal('stream') }),
]);
export type Behaviour = z.input<typeof BehaviourSchema>;

export type ReceivedCall = Readonly<{
  path: string;
  authorization: string | undefined;
  apiKey: string | undefined;
  fields: Readonly<Record<string, string>>;
  filename: string;
  bytes: Uint8Array;
  /** What is wrong with it by OpenAI's rules; empty for a good call. */
  faults: readonly string[];
}>;

export type TranscriptionService = Readonly<{
  /** Base address, ending in /v1. */
  url: string;
  /** Complete calls, oldest first. */
  calls: () => readonly ReceivedCall[];
  /** Event streams that are open. */
  streams: () => number;
  /** Connections that ended before the answer. */
  aborted: () => number;
  /** Bytes of bodies that have come in so far, finished or not. */
  received: () => number;
  /** How it treats every call from now on. */
  behave: (behaviour: Behaviour) => void;
  /** Writes to every open event stream, as it stands. */
  stream: (piece: string) => void;
  endStream: () => void;
  /** Forgets all calls and goes back to answering with a text. */
  reset: () => void;
  /** Resolves as soon as what it asks is true. */
  until: (condition: () => boolean) => Promise<void>;
  stop: () => Promise<void>;
}>;

export const SPOKEN_TEXT =
  'Guten Tag. Wir haben in unserer Werkstatt eine neue Prüfmaschine gebaut. Sie misst jedes Bauteil in ' +
  'unter zwei Sekunden.';

const AUDIO = new Set(['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm']);
const SNIFFED = new Set([...AUDIO, 'opus', 'mpg']);

type State = {
  behaviour: z.output<typeof BehaviourSchema>;
  calls: ReceivedCall[];
  aborted: number;
  received: number;
  streams: Set<ServerResponse>;
  waiting: (() => void)[];
};

const START = { kind: 'text', text: SPOKEN_TEXT } as const;

export async function startTranscriptionService({ port = 0 } = {}): Promise<TranscriptionService> {
  const state: State = { behaviour: START, calls: [], aborted: 0, received: 0, streams: new Set(), waiting: [] };
  const server = createServer((request, response) => {
    serve(state, request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls: () => state.calls,
    streams: () => state.streams.size,
    aborted: () => state.aborted,
    received: () => state.received,
    stream: (piece) => state.streams.forEach((response) => void response.write(piece)),
    endStream: () => state.streams.forEach((response) => void response.end()),
    behave: (behaviour) => void (state.behaviour = BehaviourSchema.parse(behaviour)),
    reset: () => void Object.assign(state, { behaviour: START, calls: [], aborted: 0, received: 0 }),
    until: (condition) => until(state, condition),
    stop: () => stop(server),
  };
}

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.startsWith('/control/')) return control(state, request, response);
  response.on('close', () => {
    state.streams.delete(response);
    if (response.writableFinished) return;
    state.aborted += 1;
    changed(state);
  });
  const { behaviour } = state;
  if (behaviour.kind === 'deaf') return;
  if (behaviour.kind === 'early') {
    const body = JSON.stringify({ error: { message: 'Rate limit reached' } });
    response.writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' }).end(body);
    return void request.on('error', () => undefined).resume();
  }
  const body = await read(request, (size) => {
    state.received += size;
    changed(state);
  });
  const call = await receive(request, body);
  state.calls.push(call);
  changed(state);
  if (behaviour.kind === 'hang') return;
  if (behaviour.kind === 'cut') return void response.destroy();
  if (behaviour.kind === 'stream') return openStream(state, response);
  if (call.faults.length > 0) return json(response, 400, { error: { message: call.faults.join('; ') } });
  if (behaviour.kind === 'text') {
    const verbose = call.fields['response_format'] === 'verbose_json';
    const { text } = behaviour;
    return json(response, 200, verbose ? { text, segments: getSegments(text) } : { text });
  }
  response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body);
}

function openStream(state: State, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).flushHeaders();
  state.streams.add(response);
  changed(state);
}

/** A sentence each, half a second long, as `verbose_json` has them. */
function getSegments(text: string): object[] {
  const sentences = text.split(/(?<=[.!?])(?= )/);
  return sentences.map((sentence, id) => ({ id, start: id / 2, end: (id + 1) / 2, text: sentence, no_speech_prob: 0 }));
}

async function receive(request: IncomingMessage, body: Uint8Array<ArrayBuffer>): Promise<ReceivedCall> {
  const type = request.headers['content-type'] ?? '';
  const form = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => new FormData());
  const file = form.get('file');
  const content = file instanceof File ? new Uint8Array(await file.arrayBuffer()) : new Uint8Array();
  const apiKey = request.headers['api-key'];
  const received = {
    path: request.url ?? '',
    authorization: request.headers.authorization,
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
    fields: Object.fromEntries(
      [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ),
    filename: file instanceof File ? file.name : '',
    bytes: content,
  };
  return { ...received, faults: await getFaults(request, received) };
}

async function getFaults(request: IncomingMessage, call: Omit<ReceivedCall, 'faults'>): Promise<string[]> {
  const sniffed = await fileTypeFromBuffer(call.bytes);
  const { model = '', language = '', response_format = 'json' } = call.fields;
  const rules: [boolean, string][] = [
    [request.method === 'POST', 'must be POST'],
    [/\/audio\/transcriptions(\?|$)/.test(call.path), `unknown path ${call.path}`],
    [call.filename !== '', 'file is missing'],
    [AUDIO.has(path.extname(call.filename).slice(1)), `extension of ${call.filename} is not accepted`],
    [SNIFFED.has(sniffed?.ext ?? ''), 'file is no audio'],
    [model !== '', 'model is missing'],
    [/^[a-z]{2}$/.test(language), 'language is missing'],
    [['json', 'verbose_json'].includes(response_format), 'response_format is none'],
  ];
  return rules.filter(([holds]) => !holds).map(([, fault]) => fault);
}

async function read(request: IncomingMessage, onBytes: (size: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) {
    pieces.push(piece);
    onBytes(piece.byteLength);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

/** For processes: POST /control/behaviour, POST /control/reset, GET /control/calls (without the bytes). */
async function control(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/control/behaviour') {
    const body = await read(request, () => undefined);
    state.behaviour = BehaviourSchema.parse(JSON.parse(Buffer.from(body).toString('utf8')));
  }
  if (request.url === '/control/reset') Object.assign(state, { behaviour: START, calls: [], aborted: 0, received: 0 });
  json(response, 200, { calls: state.calls.map((call) => ({ ...call, bytes: call.bytes.byteLength })) });
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function changed(state: State): void {
  for (const check of state.waiting) check();
}

function until(state: State, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!condition()) return;
      state.waiting = state.waiting.filter((other) => other !== check);
      resolve();
    };
    state.waiting.push(check);
    check();
  });
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

// node tests/support/transcription-service.ts --port 4010
if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '4010' } } });
  const service = await startTranscriptionService({ port: Number(values.port) });
  process.stdout.write(`TRANSCRIPTION_URL=${service.url}\n`);
}
