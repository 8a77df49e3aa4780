import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import {
  LOCAL_TURN_S,
  SETUP_PATH,
  type RecordingCheck,
  type SpeechModel,
  type TranscriptionSetup,
} from '#contract/setup.ts';
import { createRouteKind, type Route } from '#http/route.ts';
import { describeCause } from '#lib/error-code.ts';
import { requireAdministrator, type Administrator } from '../../administrator.ts';
import { getBackendAccess, type BackendAccess, type ModuleDeps } from '../../backend-client.ts';
import { createApiErrors, createParser, serveModule } from '../../api-errors.ts';
import { checkRecording, readSample } from '../check/check-recording.ts';
import type { TranscriptionEngine } from '../engine.ts';
import { SpeechError } from '../errors.ts';
import { DEFAULT_MODEL, ModelError } from '../models/catalogue.ts';
import type { ListedModel, ModelStore } from '../models/store.ts';
import { SetupError } from '../../setup-error.ts';
import { createInstaller, type Installer } from './installer.ts';

export type SetupDeps = ModuleDeps &
  Readonly<{
    models: ModelStore;
    /** Whether a configured service goes before every model. */
    hasService: boolean;
    /** What transcribes now. */
    engine: () => Promise<TranscriptionEngine | undefined>;
  }>;

type SetupContext = SetupDeps &
  Readonly<{ backend: () => BackendAccess; installer: Installer; check: () => Promise<RecordingCheck> }>;

const PATH = `${SETUP_PATH}/transcription`;
const ACCEPTED = 202;
const NO_CONTENT = 204;
const ParamsSchema = z.object({ name: z.string().max(100) });

const parse = createParser(SetupError);

type Action = Readonly<{ action: 'look' | 'install' | 'cancel' | 'remove' | 'check' }>;

const setupRoute = createRouteKind<SetupContext, Administrator, Action>({
  caller: 'administrator',
  admit: async ({ context, request, spec: { action } }, run) => {
    const admin = await requireAdministrator(request.headers, context.backend());
    const result = await run(admin, {});
    const model = ParamsSchema.safeParse(request.params).data?.name;
    if (action !== 'look') request.log.info({ action, model, by: admin.id }, 'setup: action accepted');
    return result;
  },
  parseBody: parse,
});

export const SETUP_ROUTES: readonly Route<SetupContext>[] = [
  setupRoute({ method: 'GET', url: PATH, action: 'look' }, ({ context }) => describeSetup(context)),
  setupRoute(
    { method: 'POST', url: `${PATH}/models/:name`, action: 'install', status: ACCEPTED },
    async ({ context, request }) => {
      const { name } = parse(ParamsSchema, request.params);
      const known = (await context.models.list()).some((model) => model.name === name);
      if (!known) throw new SetupError('unknown_model');
      context.installer.start(name);
      return describeSetup(context);
    },
  ),
  setupRoute(
    { method: 'DELETE', url: `${PATH}/models/:name`, action: 'remove', status: NO_CONTENT },
    async ({ context, request }) => {
      const { name } = parse(ParamsSchema, request.params);
      await context.models.remove(name).catch(rejectModelError);
    },
  ),
  setupRoute(
    { method: 'DELETE', url: `${PATH}/installation`, action: 'cancel', status: NO_CONTENT },
    ({ context: { installer } }) => installer.cancel(),
  ),
  setupRoute({ method: 'POST', url: `${PATH}/check`, action: 'check' }, ({ context }) => context.check()),
];

/** /v1/setup/transcription, for administrators only. */
export function setupRoutes(deps: SetupDeps): FastifyPluginAsync {
  return async (app) => {
    const stopping = new AbortController();
    const installer = createInstaller(deps.models, stopping.signal, (model, outcome, cause) =>
      logEnd(app.log, model, outcome, cause),
    );
    app.addHook('preClose', async () => {
      stopping.abort();
      await installer.cancel();
    });
    const check = createCheck(deps, stopping.signal);
    const context = { ...deps, backend: () => getBackendAccess(app, deps), installer, check };
    serveModule(app, createApiErrors('setup', SetupError), SETUP_ROUTES, context);
  };
}

function logEnd(log: FastifyBaseLogger, model: string, outcome: string, cause: unknown): void {
  if (outcome === 'installed' || outcome === 'cancelled') log.info({ model, outcome }, 'model installation ended');
  else log.warn({ model, outcome, cause: describeCause(cause) }, 'model installation failed');
}

/** One check at a time: each takes the machine for as long as the recording needs. */
function createCheck({ engine }: SetupDeps, stopping: AbortSignal): () => Promise<RecordingCheck> {
  let running = false;
  return async () => {
    if (running) throw new SetupError('check_running');
    running = true;
    // What takes longer is too slow for an interview. A proxy waits little longer for an answer (docs/operations.md).
    const limit = AbortSignal.timeout(LOCAL_TURN_S * 1_000);
    try {
      const found = await engine();
      if (found === undefined) throw new SetupError('nothing_transcribes');
      return await checkRecording(found, await readSample(), AbortSignal.any([stopping, limit]));
    } catch (error) {
      if (limit.aborted) throw new SetupError('check_too_slow', { cause: error });
      throw error instanceof SpeechError ? describeFailedCheck(error) : error;
    } finally {
      running = false;
    }
  };
}

/** An administrator can change what the model needs; the rest stands in the log. */
function describeFailedCheck(cause: SpeechError): SetupError {
  switch (cause.code) {
    case 'model_unusable':
    case 'engine_out_of_memory':
    case 'engine_missing':
    case 'engine_crashed':
      return new SetupError(cause.code, { cause });
    default:
      return new SetupError('transcription_failed', { cause });
  }
}

async function describeSetup({ models, installer, hasService }: SetupContext): Promise<TranscriptionSetup> {
  // Read before the list: the page asks no more once nothing is being installed, so the list must know the outcome.
  const state = installer.state();
  const listed = await models.list();
  const hasModel = listed.some(({ isInUse }) => isInUse);
  return { by: hasService ? 'service' : hasModel ? 'model' : 'nothing', models: listed.map(describeModel), ...state };
}

function describeModel({ name, bytes, catalogue, installed, isInUse, partialBytes }: ListedModel): SpeechModel {
  return {
    name,
    bytes,
    memoryBytes: catalogue?.memoryBytes ?? null,
    licence: catalogue?.licence ?? null,
    attribution: catalogue?.attribution ?? null,
    isDefault: name === DEFAULT_MODEL,
    isInstalled: installed !== undefined,
    isInUse,
    partialBytes,
  };
}

function rejectModelError(error: unknown): never {
  const code = error instanceof ModelError ? error.code : undefined;
  if (code === 'unknown_model' || code === 'not_installed' || code === 'install_running') {
    throw new SetupError(code, { cause: error });
  }
  throw error;
}
