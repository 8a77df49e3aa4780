import {
  RecordingCheckSchema,
  SETUP_PATH,
  SetupErrorBodySchema,
  TranscriptionSetupSchema,
  type SetupErrorCode,
} from '#contract/setup.ts';
import { PartCheckSchema, SETUP_PARTS_PATH, SetupPartsSchema, type CheckedPart } from '#contract/setup-parts.ts';
import type { BackendClient } from './client.ts';
import { createCalls, ProblemError, type ServerCall } from './own-server.ts';

/** `unreachable`: no answer that could be understood came. */
export type SetupProblem = SetupErrorCode | 'unreachable';

class SetupError extends ProblemError<SetupProblem> {
  override readonly name = 'SetupError';
}

export function getSetupProblem(error: unknown): SetupProblem {
  return error instanceof SetupError ? error.problem : 'internal_error';
}

/** `/v1/setup/transcription` of our own server. All throw SetupError. */
export function connectTranscriptionSetup(backend: BackendClient) {
  const { call, read } = createCalls(backend, SetupErrorBodySchema, SetupError);
  const to = (method: string, path: string, signal?: AbortSignal): ServerCall => {
    return { method, path: `${SETUP_PATH}/transcription${path}`, signal };
  };
  return {
    load: (signal: AbortSignal) => read(TranscriptionSetupSchema, to('GET', '', signal)),
    install: (model: string) => read(TranscriptionSetupSchema, to('POST', `/models/${encodeURIComponent(model)}`)),
    cancel: async (): Promise<void> => void (await call(to('DELETE', '/installation'))),
    remove: async (model: string): Promise<void> =>
      void (await call(to('DELETE', `/models/${encodeURIComponent(model)}`))),
    check: (signal: AbortSignal) => read(RecordingCheckSchema, to('POST', '/check', signal)),
  };
}

export type TranscriptionSetupServer = ReturnType<typeof connectTranscriptionSetup>;

/** `/v1/setup/parts` of our own server. All throw SetupError. */
export function connectSetupParts(backend: BackendClient) {
  const { read } = createCalls(backend, SetupErrorBodySchema, SetupError);
  return {
    load: (signal: AbortSignal) => read(SetupPartsSchema, { method: 'GET', path: SETUP_PARTS_PATH, signal }),
    /** A page that is left does not end it: the next `load` has the result. */
    check: (part: CheckedPart) => read(PartCheckSchema, { method: 'POST', path: `${SETUP_PARTS_PATH}/${part}/check` }),
  };
}
