import * as z from 'zod/mini';
import { findAccessToken } from './access-token.ts';
import type { BackendClient } from './client.ts';
import { ANSWER_TIMEOUT_MS, within } from './time-limits.ts';

/** Calls a route of our own server (`/v1/…`) with the session of the user. */
export type ServerCall = Readonly<{
  method: string;
  path: string;
  body?: object | undefined;
  signal?: AbortSignal | undefined;
}>;

/** A failed request: the screen chooses its text by `problem`. */
export class ProblemError<Problem extends string> extends Error {
  readonly problem: Problem;
  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

/**
 * Calls that throw `RequestError`, with the code that the server gives, or with `unreachable` where no answer came that
 * could be understood.
 */
export function createCalls<Code extends string>(
  backend: BackendClient,
  failures: z.ZodMiniType<Readonly<{ error: Readonly<{ code: Code }> }>>,
  RequestError: new (problem: Code | 'unreachable', options?: ErrorOptions) => Error,
) {
  const call = async (request: ServerCall): Promise<unknown> => {
    const answer = await askServer(backend, request).catch((cause: unknown) => {
      throw new RequestError('unreachable', { cause });
    });
    if (answer.ok) return answer.content;
    const failure = z.safeParse(failures, answer.content);
    throw new RequestError(failure.success ? failure.data.error.code : 'unreachable');
  };
  const read = async <T extends z.core.$ZodType>(schema: T, request: ServerCall): Promise<z.output<T>> => {
    const result = z.safeParse(schema, await call(request));
    if (result.success) return result.data;
    throw new RequestError('unreachable', { cause: result.error });
  };
  return { call, read };
}

/** `content`: the parsed body, `undefined` where there was none. */
type ServerAnswer = Readonly<{ ok: boolean; status: number; content: unknown }>;

/**
 * The browser shows who it is; the server holds the keys. Rejects where no answer comes, or none that is JSON. Changes
 * may take long, reads may not.
 */
export async function askServer(backend: BackendClient, call: ServerCall): Promise<ServerAnswer> {
  const asked = ask(backend, call);
  return call.method === 'GET' ? within(ANSWER_TIMEOUT_MS, asked) : asked;
}

async function ask(backend: BackendClient, { method, path, body, signal }: ServerCall): Promise<ServerAnswer> {
  const headers = new Headers({ authorization: `Bearer ${(await findAccessToken(backend)) ?? ''}` });
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
