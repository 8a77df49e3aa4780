import * as z from 'zod/mini';
import {
  RecordingCheckSchema,
  SETUP_PATH,
  SetupErrorBodySchema,
  TranscriptionSetupSchema,
  type RecordingCheck,
  type SetupErrorCode,
  type TranscriptionSetup,
} from '#contract/setup.ts';
import {
  PartCheckSchema,
  SETUP_PARTS_PATH,
  SetupPartsSchema,
  type CheckedPart,
  type PartCheck,
  type SetupParts,
} from '#contract/setup-parts.ts';
import type { BackendClient } from './client.ts';
import { askServer, type ServerCall } from './own-server.ts';

/** `unreachable`: no answer that could be understood came. */
export type SetupProblem = SetupErrorCode | 'unreachable';

export class SetupError extends Error {
  override readonly name = 'SetupError';
  readonly problem: SetupProblem;
  constructor(problem: SetupProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

/** `/v1/setup/transcription` of our own server. All throw SetupError. */
export type TranscriptionSetupServer = Readonly<{
  load: (signal: AbortSignal) => Promise<TranscriptionSetup>;
  install: (model: string) => Promise<TranscriptionSetup>;
  cancel: () => Promise<void>;
  remove: (model: string) => Promise<void>;
  check: (signal: AbortSignal) => Promise<RecordingCheck>;
}>;

export function connectTranscriptionSetup(backend: BackendClient): TranscriptionSetupServer {
  const ask = (method: string, path: string, signal?: AbortSignal): Promise<unknown> =>
    call(backend, { method, path: `${SETUP_PATH}/transcription${path}`, signal });
  return {
    load: async (signal) => understand(TranscriptionSetupSchema, await ask('GET', '', signal)),
    install: async (model) =>
      understand(TranscriptionSetupSchema, await ask('POST', `/models/${encodeURIComponent(model)}`)),
    cancel: async () => void (await ask('DELETE', '/installation')),
    remove: async (model) => void (await ask('DELETE', `/models/${encodeURIComponent(model)}`)),
    check: async (signal) => understand(RecordingCheckSchema, await ask('POST', '/check', signal)),
  };
}

/** `/v1/setup/parts` of our own server. All throw SetupError. */
export type SetupPartsServer = Readonly<{
  load: (signal: AbortSignal) => Promise<SetupParts>;
  /** A page that is left does not end it: the next `load` has the result. */
  check: (part: CheckedPart) => Promise<PartCheck>;
}>;

export function connectSetupParts(backend: BackendClient): SetupPartsServer {
  return {
    load: async (signal) =>
      understand(SetupPartsSchema, await call(backend, { method: 'GET', path: SETUP_PARTS_PATH, signal })),
    check: async (part) => {
      const path = `${SETUP_PARTS_PATH}/${part}/check`;
      return understand(PartCheckSchema, await call(backend, { method: 'POST', path, signal: undefined }));
    },
  };
}

async function call(backend: BackendClient, request: ServerCall): Promise<unknown> {
  const answer = await askServer(backend, request).catch((cause: unknown) => {
    throw new SetupError('unreachable', { cause });
  });
  if (answer.ok) return answer.content;
  const body = z.safeParse(SetupErrorBodySchema, answer.content);
  throw new SetupError(body.success ? body.data.error.code : 'unreachable');
}

function understand<T extends z.core.$ZodType>(schema: T, content: unknown): z.output<T> {
  const result = z.safeParse(schema, content);
  if (result.success) return result.data;
  throw new SetupError('unreachable', { cause: result.error });
}
