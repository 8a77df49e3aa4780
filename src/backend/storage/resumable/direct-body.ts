import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Server } from '@tus/server';
import type { CancellationContext } from '@tus/utils';

/** A request whose body does not pass the library; `signal` tells that the library wants no more of it. */
type DirectBody = { readonly request: IncomingMessage; signal?: AbortSignal };

const current = new AsyncLocalStorage<DirectBody>();

/**
 * The library, which may leave the bytes of a request to the store. It reads them itself through a web stream, back
 * into a stream of Node and through two more (decision 0345).
 */
export class DirectServer extends Server {
  /** Only a body of known length: the library compares it with the upload's, and Node lets no more bytes through. */
  static accepts({ headers }: IncomingMessage): boolean {
    return headers['content-length'] !== undefined && headers['transfer-encoding'] === undefined;
  }

  /** Like `handle`, while the store's `write` takes the body from `getDirectBody`. */
  async handleDirectly(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const headers = new Headers();
    for (const [name, values = []] of Object.entries(request.headersDistinct)) {
      for (const value of values) headers.append(name, value);
    }
    const bodiless = new Request(new URL(url, 'http://localhost'), { method, headers });
    const answer = await current.run({ request }, () => this.handleWeb(bodiless));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  }

  protected override createContext(): CancellationContext {
    const context = super.createContext();
    const body = current.getStore();
    if (body !== undefined) {
      body.signal = context.signal;
      body.request.once('error', () => context.abort());
    }
    return context;
  }
}

/** The request that `handleDirectly` works on; undefined where the library reads the body. */
export function getDirectBody(): DirectBody | undefined {
  return current.getStore();
}

/** Resolves when everything that arrived is written: what a broken request brought counts too. */
export async function pipeDirectBody({ request, signal }: DirectBody, target: Writable): Promise<void> {
  const stop = (): void => {
    request.unpipe(target);
    if (!target.writableEnded) target.end();
  };
  signal?.addEventListener('abort', stop, { once: true });
  request.once('close', stop);
  request.pipe(target);
  if (signal?.aborted === true || request.destroyed) stop();
  try {
    await finished(target);
  } finally {
    signal?.removeEventListener('abort', stop);
    request.off('close', stop);
    request.unpipe(target);
  }
}
