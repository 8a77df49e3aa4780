import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { CatalogueModel } from '#server/speech/models/catalogue.ts';

/** How the server misbehaves for the next request; `behave` takes one after the other. */
export type ModelServerFault =
  /** `once`: what the reader has not taken when the line ends is lost to it. */
  | Readonly<{ kind: 'cut'; afterBytes: number; once?: Promise<void> }>
  | Readonly<{ kind: 'status'; status: number }>
  | Readonly<{ kind: 'no-ranges' }>
  | Readonly<{ kind: 'wrong-range' }>
  | Readonly<{ kind: 'other-content' }>
  | Readonly<{ kind: 'other-length' }>
  | Readonly<{ kind: 'redirect'; to: string }>
  | Readonly<{ kind: 'silence'; afterBytes: number }>;

export type ModelServer = Readonly<{
  url: string;
  /** For each of the next requests, in order; afterwards the server behaves. */
  behave: (...faults: readonly ModelServerFault[]) => void;
  /** The `Range` header of each request, '' without one. */
  ranges: () => readonly string[];
  /** Bytes of content that were sent. */
  sentBytes: () => number;
  /** Connections that are open. */
  connections: () => Promise<number>;
  stop: () => Promise<void>;
}>;

/** Serves one file as a hub of models does, with faults. */
export async function startModelServer(content: Buffer): Promise<ModelServer> {
  const faults: ModelServerFault[] = [];
  const ranges: string[] = [];
  let sent = 0;
  const server = createServer((request, response) => {
    ranges.push(request.headers.range ?? '');
    sent += answer(request, response, content, faults.shift());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: (...next) => void faults.push(...next),
    ranges: () => ranges,
    sentBytes: () => sent,
    connections: () => promisify(server.getConnections.bind(server))(),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

/** Returns the bytes it sends. */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  content: Buffer,
  fault: ModelServerFault | undefined,
): number {
  if (fault?.kind === 'status') return endWith(response, fault.status);
  if (fault?.kind === 'redirect') return endWith(response.setHeader('location', fault.to), 302);
  const asked = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const from = fault?.kind === 'no-ranges' ? 0 : asked;
  if (from >= content.length) return endWith(response, 416);
  const served = fault?.kind === 'other-content' ? Buffer.alloc(content.length, 1) : content;
  const body = served.subarray(fault?.kind === 'wrong-range' ? from + 1 : from);
  response.setHeader('content-length', fault?.kind === 'other-length' ? body.length + 1 : body.length);
  if (from > 0) {
    const start = content.length - body.length;
    response.setHeader('content-range', `bytes ${start}-${content.length - 1}/${content.length}`);
  }
  response.writeHead(from > 0 ? 206 : 200);
  if (fault?.kind !== 'cut' && fault?.kind !== 'silence') {
    response.end(body);
    return body.length;
  }
  const piece = body.subarray(0, fault.afterBytes);
  response.write(piece, () => {
    if (fault.kind === 'cut') void (fault.once ?? Promise.resolve()).then(() => response.socket?.end());
  });
  return piece.length;
}

function endWith(response: ServerResponse, status: number): number {
  response.writeHead(status).end();
  return 0;
}

/** A row of a catalogue for `content`, as the real ones are. */
export function describeModel(content: Buffer, given: Partial<CatalogueModel> = {}): CatalogueModel {
  return {
    name: 'test-model',
    kind: 'whisper',
    file: 'ggml-test.bin',
    url: 'http://127.0.0.1:1/ggml-test.bin',
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    memoryBytes: 0,
    licence: 'MIT',
    attribution: 'Generated',
    ...given,
  };
}
