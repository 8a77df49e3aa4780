import type { BackendClient } from './client.ts';
import { ANSWER_TIMEOUT_MS, LOOK_TIMEOUT_MS, within } from './time-limits.ts';

/** Calls a route of our own server (`/v1/…`) with the session of the user. */
export type ServerCall = Readonly<{
  method: string;
  path: string;
  body?: object | undefined;
  signal?: AbortSignal | undefined;
}>;

/** `content`: the parsed body, `undefined` where there was none. */
export type ServerAnswer = Readonly<{ ok: boolean; status: number; content: unknown }>;

/**
 * The browser shows who it is; the server holds the keys. Rejects where no answer comes, or none that is JSON. Changes
 * may take long, reads may not.
 */
export async function askServer(backend: BackendClient, call: ServerCall): Promise<ServerAnswer> {
  const asked = ask(backend, call);
  return call.method === 'GET' ? within(ANSWER_TIMEOUT_MS, asked) : asked;
}

async function ask({ supabase }: BackendClient, { method, path, body, signal }: ServerCall): Promise<ServerAnswer> {
  const { data } = await within(LOOK_TIMEOUT_MS, supabase.auth.getSession());
  const headers = new Headers({ authorization: `Bearer ${data.session?.access_token ?? ''}` });
  if (body !== undefined) headers.set('content-type', 'application/json');
  const response = await fetch(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return { ok: response.ok, status: response.status, content: text === '' ? undefined : JSON.parse(text) };
}
