import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopServer } from './stop-server.ts';

export type ModelRequest = Readonly<{
  model: string;
  messages: readonly Readonly<{ role: string; content: string }>[];
  tools?: unknown;
}>;

/** Answers one request of chat completions. */
type Behaviour = (response: ServerResponse, request: ModelRequest) => void | Promise<void>;

export type LanguageModel = Readonly<{
  url: string;
  behave: (behaviour: Behaviour) => void;
  requests: ModelRequest[];
  /** Resolves when the reader of an answer goes away before its end. */
  left: () => Promise<void>;
  stop: () => Promise<void>;
}>;

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ delta, finish_reason: finish }] })}\n\n`;

export const begin = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

export const writeText = (response: ServerResponse, content: string): boolean => response.write(chunk({ content }));

/** Says a text in pieces of some characters, as a model does. */
export const say =
  (
    text: string,
    { size = 5, finish = 'stop', tools }: { size?: number; finish?: string; tools?: object[] } = {},
  ): Behaviour =>
  (response) => {
    begin(response);
    for (let at = 0; at < text.length; at += size) writeText(response, text.slice(at, at + size));
    if (tools !== undefined) response.write(chunk({ tool_calls: tools }));
    response.end(`${chunk({}, finish)}data: [DONE]\n\n`);
  };

/** A language model on the loopback address, OpenAI-shaped. */
export async function startLanguageModel(): Promise<LanguageModel> {
  let behaviour: Behaviour = say('');
  const requests: ModelRequest[] = [];
  const left = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) left.resolve();
    });
    response.on('error', () => undefined);
    void readBody(request).then((body) => {
      const parsed = JSON.parse(body) as ModelRequest;
      requests.push(parsed);
      return behaviour(response, parsed);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: (next) => void (behaviour = next),
    requests,
    left: () => left.promise,
    stop: () => stopServer(server),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of request.setEncoding('utf8')) body += String(piece);
  return body;
}
