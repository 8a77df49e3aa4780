import { useRef, useState } from 'react';
import { SIMULATED_LOCAL_SAVE_MS } from '#contract/limits.ts';
import { useBackendLoader } from '#web/backend/client.ts';
import type { BackendErrorKind } from '#web/backend/errors.ts';
import type { StoredFile } from '#web/backend/media.ts';
import { mediaPath, rememberFileName } from './files.ts';
import { openSending } from './load-sending.ts';
import { sleep } from './retries.ts';
import type { FileEvent } from './uploads.ts';
import type { PartDraft } from './outbox/entry.ts';
import { listUnsentFiles, type ChosenFile, type ChosenFiles } from './use-chosen-files.ts';
import { holdPageFor, useRunningWork } from './use-running-work.ts';

/** preparing, local: nothing can be counted · uploading: `percent` of all bytes (D18). */
export type UploadPhase =
  | Readonly<{ status: 'idle' | 'preparing' | 'local' | 'done' }>
  | Readonly<{ status: 'uploading'; percent: number }>;

/** `failed`: why files did not arrive. `left`: those of them that the device still gives, so that they may later. */
export type UploadOutcome = Readonly<{
  stored: readonly StoredFile[];
  failed: readonly BackendErrorKind[];
  left: readonly PartDraft[];
}>;

/**
 * The sending part of every upload screen: which file is where, how far, and why not. Files that have arrived are not
 * sent again. What to say and where to go is the screen's.
 */
export function useFileUpload({ files, update }: ChosenFiles) {
  const loadBackend = useBackendLoader();
  const [phase, setPhase] = useState<UploadPhase>({ status: 'idle' });
  const running = useRef<AbortController | undefined>(undefined);
  useRunningWork(phase.status !== 'idle' && phase.status !== 'done', 'upload');

  const send = async (interviewId: number): Promise<UploadOutcome> => {
    const { client, uploadFiles } = await openSending(loadBackend, String(interviewId));
    const { signal } = (running.current = new AbortController());
    const waiting = files.filter((file) => file.state !== 'done').map((file) => withPath(file, interviewId));
    const keys = new Map(waiting.map(({ key, path }) => [path, key]));
    for (const { key, path } of waiting) update(key, { path, state: 'waiting', percent: 0, failure: undefined });
    const { stored, failed } = await uploadFiles(client, waiting.map(toPending), {
      interviewId,
      signal,
      onProgress: (fraction) => setPhase({ status: 'uploading', percent: fraction * 100 }),
      onFile: ({ path, blob }, event) => {
        if (event.type === 'stored' && blob instanceof File) rememberFileName(event.stored.path, blob.name);
        update(keys.get(path) ?? '', changeAfter(event));
      },
    }).finally(holdPageFor(interviewId));
    const unsent = failed.flatMap(({ file, error }) => (error.kind === 'unreadable' ? [] : file.path));
    const left = listUnsentFiles(waiting.filter(({ path }) => unsent.includes(path)));
    return { stored, failed: failed.map(({ error }) => error.kind), left };
  };
  /** §4: files of a local id are only kept in memory; saving them is simulated. */
  const keepLocally = async (): Promise<void> => {
    setPhase({ status: 'local' });
    await sleep(SIMULATED_LOCAL_SAVE_MS);
  };
  return {
    phase,
    send,
    keepLocally,
    setStatus: (status: 'idle' | 'preparing' | 'done') => setPhase({ status }),
    /** Nothing runs any more; what has ended stays ended. */
    rest: () => setPhase((now) => (now.status === 'done' ? now : { status: 'idle' })),
    cancel: () => running.current?.abort(),
  };
}

function withPath(chosen: ChosenFile, interviewId: number): ChosenFile & Readonly<{ path: string }> {
  const kept = chosen.path?.startsWith(`${interviewId}/`) === true ? chosen.path : undefined;
  return { ...chosen, path: kept ?? mediaPath(String(interviewId), chosen.file, Date.now()) };
}

function toPending({ file, path, imageRights }: ReturnType<typeof withPath>) {
  return { blob: file, path, imageRights };
}

function changeAfter(event: FileEvent): Partial<ChosenFile> {
  if (event.type === 'progress') return { state: 'uploading', percent: event.fraction * 100 };
  if (event.type === 'stored') return { state: 'done', path: event.stored.path };
  return { state: 'failed', failure: event.error.kind };
}
