import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { FastifyInstance } from 'fastify';
import type { CallerKeys } from '#http/caller.ts';
import { getErrorCode } from '#lib/error-code.ts';

/** How this server's modules reach the backend. */
export type BackendAddress = Readonly<{
  url: string;
  /** The embedded backend is called in this process; undefined: over the network. */
  fetch?: typeof fetch | undefined;
}>;

/** The official client with a key of its own, and in the name of the token's owner where one is given. */
export function createBackendClient({ url, fetch }: BackendAddress, key: string, token?: string): SupabaseClient {
  return createClient(url, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: {
      ...(fetch === undefined ? {} : { fetch }),
      ...(token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }),
    },
  });
}

/** A hosted project over the network, or this server's own backend, once it listens. */
export function getBackend(app: FastifyInstance, hostedUrl: string | undefined, address?: string): BackendAddress {
  return hostedUrl === undefined ? { url: getOwnUrl(app), fetch: fetchInProcess(app, address) } : { url: hostedUrl };
}

/** What a module of this server needs to reach the backend and to know its callers. */
export type ModuleDeps = Readonly<{
  keys: CallerKeys;
  /** A hosted project's address; undefined: this server's own backend. */
  backendUrl: string | undefined;
  publicKey: string;
}>;

export type BackendAccess = BackendAddress & Pick<ModuleDeps, 'publicKey' | 'keys'>;

/** The server has to listen before the own backend has an address. */
export function getBackendAccess(app: FastifyInstance, deps: ModuleDeps, address?: string): BackendAccess {
  return { ...getBackend(app, deps.backendUrl, address), publicKey: deps.publicKey, keys: deps.keys };
}

/** The address under which this server reaches itself. */
function getOwnUrl(app: FastifyInstance): string {
  const bound = app.server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen yet');
  const address = /^(0\.0\.0\.0|::)$/.test(bound.address) ? '127.0.0.1' : bound.address;
  return `http://${address.includes(':') ? `[${address}]` : address}:${bound.port}`;
}

const UNAVAILABLE = 503;
const WITHOUT_BODY = new Set([204, 205, 304]);

/** Calls the routes of `app` without a connection. What has no login counts as the client's at `address`. */
export function fetchInProcess(app: FastifyInstance, address = '127.0.0.1'): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { host, pathname, search } = new URL(request.url);
    const payload = Buffer.from(await request.arrayBuffer());
    const answer = await app
      .inject({
        method: parseMethod(request.method),
        url: `${pathname}${search}`,
        headers: { ...Object.fromEntries(request.headers), host },
        remoteAddress: address,
        ...(payload.length === 0 ? {} : { payload }),
        signal: request.signal,
      })
      .catch((error: unknown) => {
        // The same answer as over the network while the server stops.
        if (getErrorCode(error) === 'FST_ERR_REOPENED_CLOSE_SERVER') return undefined;
        throw error;
      });
    if (answer === undefined) return new Response(null, { status: UNAVAILABLE });
    const headers = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const body = WITHOUT_BODY.has(answer.statusCode) ? null : new Uint8Array(answer.rawPayload);
    return new Response(body, { status: answer.statusCode, headers });
  };
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function parseMethod(name: string): (typeof METHODS)[number] {
  const method = METHODS.find((known) => known === name);
  if (method === undefined) throw new TypeError(`no route has the method ${name}`);
  return method;
}
