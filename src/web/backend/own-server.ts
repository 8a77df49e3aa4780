import type { BackendClient } from './client.ts';

/** Calls a route of our own server (`/v1/…`) with the session of the user. */
export type ServerCall = Readonly<{
  method: string;
  path: string;
  body?: object | undefined;
  signal?: AbortSignal | undefined;
}>;

/** `content`: the parsed body, `undefined` where there was none. */
export type ServerAnswer = Readonly<{ ok: boolean; status: number; content: unknown }>;

/** No answer came, or none that is JSON. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** The browser shows who it is; the server holds the keys. Throws NoAnswer. */
export async function askServer({ supabase }: BackendClient, call: ServerCall): Promise<ServerAnswer> {
  const { method, path, body, signal } = call;
  const { data } = await supabase.auth.getSession();
  const headers = new Headers({ authorization: `Bearer ${data.session?.access_token ?? ''}` });
  if (body !== undefined) headers.set('content-type', 'application/json');
  const response = await fetch(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((cause: unknown) => {
    throw new NoAnswer(path, { cause });
  });
  return { ok: response.ok, status: response.status, content: parsed(await readText(response)) };
}

function readText(response: Response): Promise<string> {
  return response.text().catch((cause: unknown) => {
    throw new NoAnswer(response.url, { cause });
  });
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NoAnswer('not JSON', { cause });
  }
}
