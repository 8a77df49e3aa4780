import type { InstallErrorCode, InstallFailure, TranscriptionSetup } from '#contract/setup.ts';
import { ModelError } from '../models/catalogue.ts';
import type { ModelStore } from '../models/store.ts';
import { SetupError } from '../../setup-error.ts';

/** Installs one model at a time in the background, as administrators ask for it. */
export type Installer = Readonly<{
  state: () => Pick<TranscriptionSetup, 'installation' | 'failure'>;
  /** Throws SetupError `install_running`. */
  start: (model: string) => void;
  /** What has arrived stays for the next installation. Resolves once the download has stopped. */
  cancel: () => Promise<void>;
}>;

type Installation = NonNullable<TranscriptionSetup['installation']>;

const ERROR_CODES: Partial<Record<ModelError['code'], InstallErrorCode>> = {
  install_running: 'install_running',
  disk_full: 'disk_full',
  source_unreachable: 'source_unreachable',
  source_refused: 'source_refused',
  wrong_sum: 'wrong_sum',
};

const STARTING = { phase: 'starting', doneBytes: 0, totalBytes: 0 } as const;

/** A request that is under way when `stopping` aborts installs nothing. */
export function createInstaller(
  models: ModelStore,
  stopping: AbortSignal,
  onEnd: (model: string, outcome: InstallErrorCode | 'installed' | 'cancelled', cause?: unknown) => void,
): Installer {
  let running: { abort: AbortController; shown: Installation; ended: Promise<void> } | undefined;
  let failure: InstallFailure | null = null;

  const install = async (model: string, abort: AbortController): Promise<void> => {
    try {
      const onProgress = (progress: Omit<Installation, 'model'>): void => {
        if (running !== undefined) running.shown = { model, ...progress };
      };
      stopping.throwIfAborted();
      await models.install(model, { signal: abort.signal, onProgress });
      onEnd(model, 'installed');
    } catch (error) {
      if (abort.signal.aborted || stopping.aborted) return onEnd(model, 'cancelled');
      failure = describeFailure(model, error);
      onEnd(model, failure.code, error);
    } finally {
      running = undefined;
    }
  };

  return {
    state: () => ({ installation: running?.shown ?? null, failure }),
    start: (model) => {
      if (running !== undefined) throw new SetupError('install_running');
      failure = null;
      const abort = new AbortController();
      running = { abort, shown: { model, ...STARTING }, ended: Promise.resolve() };
      running.ended = install(model, abort);
    },
    cancel: async () => {
      running?.abort.abort();
      await running?.ended;
    },
  };
}

function describeFailure(model: string, error: unknown): InstallFailure {
  if (!(error instanceof ModelError)) return { model, code: 'failed' };
  const { neededBytes, freeBytes } = error.details;
  return {
    model,
    code: ERROR_CODES[error.code] ?? 'failed',
    ...(neededBytes === undefined ? {} : { neededBytes }),
    ...(freeBytes === undefined ? {} : { freeBytes }),
  };
}
