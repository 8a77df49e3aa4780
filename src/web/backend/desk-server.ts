import type * as z from 'zod/mini';
import * as files from '#contract/desk-files.ts';
import type { BackendClient } from './client.ts';
import { DeskError, type DeskProblem } from './desk.ts';
import { createCalls, type ServerCall } from './own-server.ts';

export type DeskServer = ReturnType<typeof connectDeskServer>;

/**
 * `/v1/desk/…` of our own server: files, people's rights, retention. All throw DeskError. Reports every refused request
 * to `onProblem`, in addition to throwing.
 */
export function connectDeskServer(backend: BackendClient, onProblem: (problem: DeskProblem) => void) {
  const { read } = createCalls(backend, files.DeskErrorBodySchema, DeskError);
  const ask = async <T extends z.ZodMiniType>(schema: T, call: ServerCall): Promise<z.infer<T>> => {
    try {
      return await read(schema, call);
    } catch (error) {
      if (error instanceof DeskError) onProblem(error.problem);
      throw error;
    }
  };
  return {
    /** The address of one download, for `archivePath` or `filePath`; it opens once, within a minute. */
    ticket: async (path: string): Promise<string> =>
      (await ask(files.TicketSchema, post('/tickets', { path } satisfies files.TicketRequest))).url,
    /** The same for everything about one e-mail address. */
    exportTicket: async (email: string): Promise<string> =>
      (await ask(files.TicketSchema, post('/exports', { email } satisfies files.ExportRequest))).url,
    person: (email: string, signal: AbortSignal) => ask(files.PersonSchema, get('/people', { email }, signal)),
    erase: (what: files.ErasureRequest) => ask(files.ErasureAnswerSchema, post('/erasures', what)),
    erasures: (after: string | null, signal: AbortSignal) =>
      ask(files.ErasureListSchema, get('/erasures', { after }, signal)),
    retention: (after: string | null, signal: AbortSignal) =>
      ask(files.RetentionSchema, get('/retention', { after }, signal)),
    /** Erases what `before` shows. */
    runRetention: (before: string) =>
      ask(files.ErasureAnswerSchema, post('/retention', { before } satisfies files.RetentionRun)),
  };
}

function post(path: string, body: object): ServerCall {
  return { method: 'POST', path: `${files.DESK_PATH}${path}`, body };
}

function get(path: string, query: Readonly<Record<string, string | null>>, signal: AbortSignal): ServerCall {
  const given = Object.entries(query).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return { method: 'GET', path: `${files.DESK_PATH}${path}${search}`, signal };
}
