import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { findAccessToken } from '#web/backend/access-token.ts';
import { TRANSCRIPTION_KEY } from '#web/backend/browser-storage.ts';
import { type BackendClient, useBackendConfig, useBackendLoader } from '#web/backend/client.ts';
import { laterPart, loadAhead } from '#web/backend/later-part.ts';
import { afterScreen } from '#web/ui/after-load.ts';
import type { SendForm } from '#web/backend/send-form.ts';
import type { TranscriptionProgress } from './transcript-events.ts';
import type { TranscribeRequest, TranscriptionError, TranscriptionResult } from './transcribe.ts';

export const loadTranscribe = laterPart('transcribing', async () => (await import('./transcribe.ts')).transcribe);

/** For screens with a recorder: loads the transcription before the user has said anything. */
export function useTranscribeAhead(): void {
  useEffect(() => void afterScreen().then(() => loadAhead(loadTranscribe)), []);
}

/** 'Lädt hoch...' and 'Transkribiert...' of §2.6 are `uploading` and `transcribing`. */
export type TranscriptionState =
  | Readonly<{ status: 'idle' }>
  /** `fraction`: bytes sent, 0 to 1 (D18). */
  | Readonly<{ status: 'uploading'; fraction: number }>
  | (Readonly<{ status: 'transcribing' }> & Partial<TranscriptionProgress>)
  | Readonly<{ status: 'done' }>
  | Readonly<{ status: 'failed'; error: TranscriptionError }>;

type UseTranscriptionOptions = Readonly<{
  /** D9: of the contribution at hand, read when the transcription begins. */
  readInterviewKey: () => string | undefined;
  /** Names and terms that are likely to be spoken. */
  prompt?: string;
  /** Only in tests. */
  send?: SendForm;
}>;

export type TranscriptionHandle = Readonly<{
  state: TranscriptionState;
  /**
   * Transcribes; a second call while one is running takes over. Never rejects. `recognised`:
   * `useLiveRecognition().finish`.
   */
  run: (recording: TranscribeRequest['recording'], recognised?: () => Promise<string>) => Promise<TranscriptionResult>;
  cancel: () => void;
}>;

/**
 * The order of speech.md, with the logged-in user's token and the keys this browser holds. Leaving the screen aborts.
 */
export function useTranscription({ readInterviewKey, prompt, send }: UseTranscriptionOptions): TranscriptionHandle {
  const config = useBackendConfig();
  const loadBackend = useBackendLoader();
  useTranscribeAhead();
  const [state, setState] = useState<TranscriptionState>({ status: 'idle' });
  const running = useRef<AbortController>(undefined);
  const cancel = useCallback(() => running.current?.abort(), []);
  useEffect(() => cancel, [cancel]);
  const run = useCallback<TranscriptionHandle['run']>(
    async (recording, recognised = async () => '') => {
      running.current?.abort();
      const { signal } = (running.current = new AbortController());
      const show = (next: TranscriptionState): void => {
        if (!signal.aborted) setState(next);
      };
      show({ status: 'uploading', fraction: 0 });
      const callService = (): Promise<TranscriptionResult> =>
        transcribeByService(loadBackend, {
          recording,
          signal,
          interviewKey: readInterviewKey(),
          prompt,
          // Times tell the place in a recording, so they serve only where it is kept.
          times: config.keepRecordings,
          ...(send === undefined ? {} : { send }),
          ...reportProgress(show, config.transcriptionStream === true),
        });
      const outcome = await obtainTranscript({
        service: config.transcription ? callService : undefined,
        recognised,
      });
      show(outcome.ok ? { status: 'done' } : { status: 'failed', error: outcome.error });
      if (signal.aborted && running.current?.signal === signal) setState({ status: 'idle' });
      return outcome;
    },
    [config, loadBackend, readInterviewKey, prompt, send],
  );
  return useMemo(() => ({ state, run, cancel }), [state, run, cancel]);
}

/** `streams`: the server tells the text as it grows. */
export function reportProgress(
  show: (state: TranscriptionState) => void,
  streams: boolean,
): Pick<TranscribeRequest, 'onText' | 'onProgress'> {
  return {
    ...(streams ? { onText: (progress) => show({ status: 'transcribing', ...progress }) } : {}),
    onProgress: (progress) =>
      show(
        progress.phase === 'waiting'
          ? { status: 'transcribing' }
          : { status: 'uploading', fraction: progress.fraction },
      ),
  };
}

/** A token that expired in the middle is renewed once. */
async function transcribeByService(
  loadBackend: () => Promise<BackendClient>,
  request: Omit<TranscribeRequest, 'accessToken'>,
): Promise<TranscriptionResult> {
  const openLogin = async () => {
    const { config, supabase, recheck } = await loadBackend();
    return { supabase, recheck, token: await findAccessToken({ config, supabase }) };
  };
  const parts = await Promise.all([loadTranscribe(), openLogin()]).catch(() => undefined);
  if (parts === undefined) return { ok: false, error: { kind: 'network' } };
  const [transcribe, { supabase, recheck, token }] = parts;
  const ownKey = readTranscriptionKey();
  const first = await transcribe({ ...request, ownKey, accessToken: token });
  if (first.ok || first.error.kind !== 'rejected' || token === undefined) return first;
  const renewed = await supabase.auth.refreshSession();
  const accessToken = renewed.data.session?.access_token;
  if (accessToken !== undefined) return transcribe({ ...request, ownKey, accessToken });
  // Refused for good, it leads to the login, and back to the recording.
  void recheck?.();
  return first;
}

type TranscriptSources = Readonly<{
  /** Asks the service; undefined where none is configured. */
  service: (() => Promise<TranscriptionResult>) | undefined;
  /** What the browser understood while recording; '' where it could not. */
  recognised: () => Promise<string>;
}>;

/**
 * speech.md: the configured service, else what the browser recognised meanwhile, else the specified error. The
 * recording is not touched (D21).
 */
export async function obtainTranscript({ service, recognised }: TranscriptSources): Promise<TranscriptionResult> {
  const answer: TranscriptionResult = (await service?.()) ?? { ok: false, error: { kind: 'unavailable' } };
  if (answer.ok || answer.error.kind === 'aborted') return answer;
  const text = (await recognised()).trim();
  return text === '' ? answer : { ok: true, text, segments: [] };
}

/** D12: a key the user keeps in this browser, used at the service instead of the server's own. */
function readTranscriptionKey(): string | undefined {
  try {
    const key = localStorage.getItem(TRANSCRIPTION_KEY)?.trim() ?? '';
    return key === '' ? undefined : key;
  } catch {
    // Storage is switched off: then there is no key in it.
    return undefined;
  }
}
