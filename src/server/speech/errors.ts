import { HttpError, type ErrorProtocol } from '#http/errors.ts';
import { getErrorCode } from '#lib/error-code.ts';

/** Each error's HTTP status, OpenAI's `type`, and its message for logs and developers. */
const CATALOGUE = {
  not_authenticated: [401, 'authentication_error', 'A login or the key of a contribution is needed'],
  invalid_token: [401, 'authentication_error', 'The access token is not valid'],
  transcription_unavailable: [503, 'service_unavailable', 'No transcription service is configured'],
  malformed_multipart: [400, 'invalid_request_error', 'The body is not complete multipart/form-data'],
  missing_file: [400, 'invalid_request_error', 'The form has no part "file" with a file name'],
  empty_file: [400, 'invalid_request_error', 'The recording is empty'],
  invalid_language: [400, 'invalid_request_error', '"language" is no ISO 639-1 code'],
  invalid_response_format: [400, 'invalid_request_error', '"response_format" is neither json nor text'],
  invalid_stream: [400, 'invalid_request_error', '"stream" and "progress" are true or false'],
  invalid_key: [400, 'invalid_request_error', 'x-transcription-key holds no usable key'],
  unsupported_content_type: [415, 'invalid_request_error', 'The body must be multipart/form-data'],
  unsupported_audio: [415, 'invalid_request_error', 'The file is none of the accepted audio types'],
  /** Of a codec that this server does not decode: the browser decodes it and sends WAV. */
  audio_needs_wav: [415, 'invalid_request_error', 'The recording has to be sent as WAV'],
  audio_too_long: [413, 'invalid_request_error', 'The recording is longer than an hour'],
  file_too_large: [413, 'invalid_request_error', 'The recording is too large'],
  upload_timeout: [408, 'invalid_request_error', 'The recording did not arrive in time'],
  upload_aborted: [400, 'invalid_request_error', 'The caller went away'],
  rate_limited: [429, 'rate_limit_error', 'Too many transcriptions in a short time'],
  daily_limit_reached: [429, 'rate_limit_error', 'The transcriptions of this day are used up'],
  missing_api_key: [502, 'server_error', 'The transcription service wants a key and none is configured'],
  invalid_api_key: [502, 'server_error', 'The transcription service does not accept the key'],
  service_rate_limited: [429, 'rate_limit_error', 'The transcription service is busy'],
  service_rejected: [422, 'invalid_request_error', 'The transcription service rejected the recording'],
  service_error: [502, 'server_error', 'The transcription service failed'],
  service_unreachable: [502, 'server_error', 'The transcription service cannot be reached'],
  service_timeout: [504, 'server_error', 'The transcription service did not answer in time'],
  queue_full: [503, 'server_error', 'Too many recordings wait for transcription'],
  model_unusable: [503, 'server_error', 'The speech model is damaged or of another kind'],
  engine_out_of_memory: [503, 'server_error', 'The speech model does not fit into the memory'],
  engine_missing: [503, 'server_error', 'There is no build of the speech engine for this machine'],
  engine_crashed: [503, 'server_error', 'The transcription ended unexpectedly'],
  internal_error: [500, 'server_error', 'Internal error'],
} as const satisfies Record<string, readonly [number, string, string]>;

export type SpeechErrorCode = keyof typeof CATALOGUE;

export type SpeechErrorDetails = Readonly<{
  /** The service's own message, meant for the user (§7 'errors are read from error.message'). */
  serviceMessage?: string | undefined;
  /** Seconds. */
  retryAfterS?: number | undefined;
  /** Status of the service's answer, for the log. */
  serviceStatus?: number | undefined;
  cause?: unknown;
}>;

export class SpeechError extends HttpError<SpeechErrorCode> {
  readonly details: SpeechErrorDetails;
  constructor(code: SpeechErrorCode, details: SpeechErrorDetails = {}) {
    const [status, , message] = CATALOGUE[code];
    super(status, code, message, { cause: details.cause });
    this.details = details;
  }
}

/** The browser shows the service's message for these; where it is empty, a German text of its own. */
const RELAYED_CODES: ReadonlySet<SpeechErrorCode> = new Set([
  'service_rate_limited',
  'service_rejected',
  'service_error',
]);

/** OpenAI's error body, which every client of such a service reads. */
export function buildErrorBody({ code, details }: SpeechError): Readonly<{ error: object }> {
  const [, type, message] = CATALOGUE[code];
  return {
    error: {
      message: details.serviceMessage ?? (RELAYED_CODES.has(code) ? '' : message),
      type,
      param: null,
      code,
    },
  };
}

export const SPEECH_ERRORS: ErrorProtocol<SpeechError> = {
  convert: (thrown) => (thrown instanceof SpeechError ? thrown : new SpeechError('internal_error', { cause: thrown })),
  answer: (error) => {
    const { retryAfterS } = error.details;
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return {
      headers: retryAfterS === undefined ? headers : { ...headers, 'retry-after': retryAfterS },
      body: buildErrorBody(error),
    };
  },
  /** Logs codes only: never the key, the audio, the text or the service's message. */
  log: ({ code, details }, { request }) => {
    const facts = { code, serviceStatus: details.serviceStatus };
    if (code === 'internal_error') request.log.error({ ...facts, err: details.cause }, 'transcription failed');
    else request.log.warn({ ...facts, cause: getErrorCode(details.cause) }, 'transcription failed');
  },
};
