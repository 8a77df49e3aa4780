import * as z from 'zod/mini';
import { TRANSCRIPTION_LANGUAGE, TRANSCRIPTION_MODEL, TRANSCRIPTION_TIMEOUT_MS } from '#contract/limits.ts';
import { REVIEW_KEY_HEADER } from '#contract/review.ts';
import { type SpokenSegment, spokenSegments, TRANSCRIPTION_PATH } from '#contract/spoken.ts';
import { parseJson } from '#web/backend/parse-json.ts';
import { convertToWav } from './convert-to-wav.ts';
import { type Answer, isHeaderText, sendForm, type SendForm, type SendProgress } from '#web/backend/send-form.ts';
import { createEventReader, parseEvents, type TranscriptionProgress } from './transcript-events.ts';

export type TranscribeRequest = Readonly<{
  recording: Readonly<{ blob: Blob; extension: string }>;
  accessToken: string | undefined;
  /** D9: for contributors without a login. */
  interviewKey?: string | undefined;
  /** Of a review, which somebody without a login answers. */
  reviewKey?: string | undefined;
  /** D12: `readTranscriptionKey()`. */
  ownKey?: string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: SendProgress) => void) | undefined;
  /** Names and terms that are likely to be spoken, for models that take them. */
  prompt?: string | undefined;
  /** Also asks for the times of what was said. */
  times?: boolean | undefined;
  /** Asks for the text as it grows; where the server announces that it can. */
  onText?: ((progress: TranscriptionProgress) => void) | undefined;
  /** Only in tests. */
  send?: SendForm;
  convert?: (recording: Blob) => Promise<Blob>;
  timeoutMs?: number;
}>;

/** §7 'Speech-to-text' through the own server (D12). Never rejects. */
export async function transcribe(request: TranscribeRequest): Promise<TranscriptionResult> {
  const { recording, convert = convertToWav } = request;
  const result = await sendRecording(request);
  if (result.ok || result.error.kind !== 'needs-wav' || recording.extension === 'wav') return result;
  try {
    return await sendRecording({ ...request, recording: { blob: await convert(recording.blob), extension: 'wav' } });
  } catch {
    return { ok: false, error: { kind: 'unsupported' } };
  }
}

async function sendRecording(request: TranscribeRequest): Promise<TranscriptionResult> {
  const { send = sendForm, timeoutMs = TRANSCRIPTION_TIMEOUT_MS, signal, onProgress, onText } = request;
  if (!isHeaderText(request.ownKey ?? '')) return { ok: false, error: { kind: 'missing-key' } };
  const reader = createEventReader();
  const outcome = await send({
    url: TRANSCRIPTION_PATH,
    form: buildForm(request),
    headers: buildHeaders(request),
    timeoutMs,
    signal,
    onProgress,
    ...(onText === undefined
      ? {}
      : {
          onBody: (body) => {
            const progress = reader.read(body);
            if (progress !== undefined) onText(progress);
          },
        }),
  });
  return outcome.kind === 'answer' ? toResult(outcome.answer) : { ok: false, error: { kind: outcome.kind } };
}

/** The file comes last: a server that reads the form as a stream knows the rest by then. */
function buildForm({ recording: { blob, extension }, prompt, times = false, onText }: TranscribeRequest): FormData {
  const form = new FormData();
  form.set('model', TRANSCRIPTION_MODEL);
  form.set('language', TRANSCRIPTION_LANGUAGE);
  form.set('response_format', times ? 'verbose_json' : 'json');
  if (prompt !== undefined) form.set('prompt', prompt);
  if (onText !== undefined) {
    form.set('stream', 'true');
    form.set('progress', 'true');
  }
  form.set('file', blob, `aufnahme.${extension}`);
  return form;
}

function buildHeaders({ accessToken, interviewKey, reviewKey, ownKey }: TranscribeRequest): Record<string, string> {
  return {
    ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
    ...(interviewKey === undefined ? {} : { 'x-interview-key': interviewKey }),
    ...(reviewKey === undefined ? {} : { [REVIEW_KEY_HEADER]: reviewKey }),
    ...(ownKey === undefined ? {} : { 'x-transcription-key': ownKey }),
  };
}

const SuccessSchema = z.object({ text: z.string(), segments: z.optional(z.unknown()) });
const FailureSchema = z.object({ error: z.object({ message: z.nullish(z.string()), code: z.nullish(z.string()) }) });

function toResult(answer: Answer): TranscriptionResult {
  const isStream = answer.header('content-type')?.startsWith('text/event-stream') === true;
  // The last event holds the whole text, or the error.
  const body = isStream ? parseEvents(answer.body).at(-1) : parseJson(answer.body);
  if (answer.status < 200 || answer.status > 299) return { ok: false, error: toError(answer, body) };
  const success = SuccessSchema.safeParse(body);
  if (!success.success) return { ok: false, error: toError({ ...answer, status: undefined }, body) };
  const text = success.data.text.trim();
  if (text === '') return { ok: false, error: { kind: 'empty' } };
  return { ok: true, text, segments: spokenSegments(success.data.segments) };
}

const KIND_OF_CODE: Readonly<Record<string, TranscriptionErrorKind>> = {
  transcription_unavailable: 'unavailable',
  missing_api_key: 'missing-key',
  invalid_api_key: 'missing-key',
  service_timeout: 'timeout',
  file_too_large: 'too-large',
  unsupported_audio: 'unsupported',
  audio_needs_wav: 'needs-wav',
  audio_too_long: 'too-long',
  queue_full: 'busy',
  daily_limit_reached: 'used-up',
  model_unusable: 'model',
  engine_out_of_memory: 'memory',
  engine_missing: 'no-engine',
  engine_crashed: 'crash',
  empty_file: 'empty',
  not_authenticated: 'rejected',
  invalid_token: 'rejected',
};

/** Words of the service itself come under these codes; all others are the server's own, for logs and developers. */
const CODES_WITH_WORDS = new Set(['service_error', 'service_rejected', 'service_rate_limited']);

function toError(
  answer: Omit<Answer, 'status'> & Readonly<{ status: number | undefined }>,
  body: unknown,
): TranscriptionError {
  const { status, statusText } = answer;
  const failure = FailureSchema.safeParse(body).data?.error;
  const code = failure?.code ?? '';
  const kind = KIND_OF_CODE[code] ?? 'service';
  const message = CODES_WITH_WORDS.has(code) ? (failure?.message ?? undefined) : undefined;
  const retryAfterS = getSeconds(answer.header('retry-after'));
  return {
    kind,
    ...(status === undefined ? {} : { status, statusText }),
    ...(message === undefined ? {} : { message }),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  };
}

function getSeconds(retryAfter: string | null): number | undefined {
  const seconds = retryAfter === null || retryAfter.trim() === '' ? Number.NaN : Number(retryAfter);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : undefined;
}

export type TranscriptionErrorKind =
  /** The server has no transcription service (D21). */
  | 'unavailable'
  /** The service has no key, or does not accept it. */
  | 'missing-key'
  | 'timeout'
  | 'network'
  /** The service answered with an error, perhaps with its own words. */
  | 'service'
  | 'too-large'
  | 'unsupported'
  /** The server does not read this type: the browser has to send WAV. */
  | 'needs-wav'
  /** Too many recordings wait already. */
  | 'busy'
  /** The transcriptions of this day, of all or of this caller. */
  | 'used-up'
  | 'too-long'
  /** The server's own model: damaged, too large for the memory, no build for its machine, ended in the middle. */
  | 'model'
  | 'memory'
  | 'no-engine'
  | 'crash'
  /** The server does not let this caller transcribe (any more). */
  | 'rejected'
  /** Nothing was said that could be understood. */
  | 'empty'
  /** The user went on without waiting. */
  | 'aborted';

export type TranscriptionError = Readonly<{
  kind: TranscriptionErrorKind;
  /** The service's own words (§7 'errors are read from error.message'). */
  message?: string | undefined;
  status?: number | undefined;
  statusText?: string | undefined;
  /** Seconds to wait before another try makes sense. */
  retryAfterS?: number | undefined;
}>;

export type TranscriptionResult =
  /** `segments`: where in the recording, if the service says so. */
  | Readonly<{ ok: true; text: string; segments: readonly SpokenSegment[] }>
  | Readonly<{ ok: false; error: TranscriptionError }>;
