import type { SpokenSegment } from '#contract/spoken.ts';
import type { BackendClient } from '#web/backend/client.ts';
import { BackendError } from '#web/backend/errors.ts';
import { isRetryable } from '#web/submission/outbox/entry.ts';
import { mediaPath, rememberFileName } from '#web/submission/files.ts';
import { loadSending } from '#web/submission/load-sending.ts';
import { numericId } from '#web/submission/local-id.ts';
import { limitMessage } from '#web/submission/texts.ts';
import type { Recording } from './recording/state.ts';
import { texts } from './texts.ts';

/** Throws BackendError where it cannot be loaded now. */
export type OpenClient = (interviewId: string) => Promise<BackendClient>;

/** `safe`: the transcript is in the database, so the recording need not be kept on this device any longer. */
type SaveReport = Readonly<{ safe: boolean; message: Readonly<{ title: string; description: string }> | undefined }>;

/**
 * §4: the transcript of a numeric id goes into its row. A failure is reported (§8), not thrown: the text is in the
 * browser.
 */
export async function deliverTranscript(
  openClient: OpenClient,
  interviewId: string,
  text: string,
): Promise<SaveReport> {
  try {
    const { saveSpokenTranscript } = await loadSending();
    const outcome = await saveSpokenTranscript(await openClient(interviewId), interviewId, text, new Date());
    return outcome === 'saved' ? { safe: true, message: texts.saved } : { safe: false, message: undefined };
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    const answered = error.kind === 'failed' || error.kind === 'schema';
    return { safe: false, message: limitMessage(error) ?? (answered ? texts.databaseError : texts.notSaved) };
  }
}

/** The name of a recording in the bucket, kept so that a second try for the same contribution overwrites the first. */
const paths = new WeakMap<Blob, Readonly<{ interviewId: string; path: string }>>();

type SendAudioOptions = Readonly<{
  onProgress: (fraction: number) => void;
  /** Where in it something was said. */
  spoken?: readonly SpokenSegment[];
}>;

/** D21 'send as audio'. Does nothing for a local id: then the recording stays on this device. Throws BackendError. */
export async function sendAudio(
  openClient: OpenClient,
  interviewId: string,
  recording: Recording,
  { onProgress, spoken }: SendAudioOptions,
): Promise<'sent' | 'kept'> {
  const id = numericId(interviewId);
  if (id === undefined) return 'kept';
  const { blob, name, path } = audioFile(interviewId, recording);
  rememberFileName(path, name);
  const { uploadFile } = await loadSending();
  await uploadFile(await openClient(interviewId), { blob, path, spoken }, { interviewId: id, onProgress });
  return 'sent';
}

/** Uploads the recording besides its transcript. Never rejects; `later`: the same may succeed another time. */
export async function trySendAudio(...given: Parameters<typeof sendAudio>): Promise<boolean | 'later'> {
  return sendAudio(...given).then(
    (outcome) => outcome === 'sent' || 'later',
    (error: unknown) => isRetryable(error) && 'later',
  );
}

/** The recording as a file: under the same path however often it is tried for the same contribution. */
export function audioFile(interviewId: string, recording: Recording) {
  const type = recording.mime.split(';')[0] ?? '';
  const name = `aufnahme.${recording.extension}`;
  const earlier = paths.get(recording.blob);
  const path = earlier?.interviewId === interviewId ? earlier.path : mediaPath(interviewId, { name, type }, Date.now());
  paths.set(recording.blob, { interviewId, path });
  const blob = recording.blob.slice(0, recording.blob.size, type);
  return { blob, name: `Sprachnachricht.${recording.extension}`, path };
}
