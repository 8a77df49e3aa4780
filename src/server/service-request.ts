/** A service with OpenAI's interface. */
export type Service = Readonly<{ url: string; key: string | undefined; model: string }>;

/** A service refused a request. Carries none of its text, which may repeat what a person said. */
export class ServiceError extends Error {
  /** HTTP status; 0 for an answer that is not the service's own, such as a proxy's page. */
  readonly status: number;
  constructor(service: string, status: number) {
    super(`${service} answered ${status}`);
    this.name = 'ServiceError';
    this.status = status;
  }
}

/** Azure needs `api-key`. */
export function getAuthorization(
  key: string | undefined,
  header: 'authorization' | 'api-key' = 'authorization',
): Record<string, string> {
  if (key === undefined) return {};
  return header === 'api-key' ? { 'api-key': key } : { authorization: `Bearer ${key}` };
}

/** Follows no redirect, which would send key and words to another host. Throws ServiceError. */
export async function requestService(name: string, url: string | URL, request: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...request, redirect: 'manual' });
  if (response.ok) return response;
  await response.body?.cancel();
  throw new ServiceError(name, response.status);
}

/** Rejects a proxy's page with the status 200. `pages`: content types that the service never sends. */
export async function rejectPages(response: Response, name: string, pages: RegExp): Promise<void> {
  if (!pages.test(response.headers.get('content-type') ?? '')) return;
  await response.body?.cancel();
  throw new ServiceError(name, 0);
}

/**
 * The address of one route of an OpenAI-shaped service. Operators write its origin, a base such as `…/v1`, or the whole
 * address; a query (Azure's) stays.
 */
export function resolveEndpoint(url: string, route: string): string {
  const address = new URL(url);
  const base = address.pathname.replace(/\/+$/, '');
  if (!base.endsWith(route)) address.pathname = `${base === '' ? '/v1' : base}${route}`;
  return address.href;
}

/** Names of sounds that models write instead of words: `[Musik]`, `(Applaus)`, `*lacht*`, `\u266a`. */
const SOUND = /^(?:\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|[\u266a\u266b\s.\u2026-])+$/u;
/** Whisper learned from subtitles, and hears their German credits in silence and in noise. */
const CREDITS =
  /\bUntertitel\w*\.?(?: im Auftrag| \S+)?(?: de[rs])? (?:Amara\S*|\S+ Geiges|[A-Z]{2,3}(?: f.r funk)?,? \d{4}\b)\.?/gu;

/** Removes the phrases that speech models make up where nobody speaks. */
export function keepSpokenWords(text: string): string {
  const words = text.replaceAll(CREDITS, '').trim();
  return SOUND.test(words) ? '' : words;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/**
 * Limits the answers of services (threat 7): a service that answers without end costs its own
 * request only. Everything here is far above what an honest service sends.
 */
export const SERVICE_LIMITS = {
  /** Space for 200,000 characters (D19), two bytes each, and the JSON around them. */
  transcriptionBytes: 2 * MEBIBYTE,
  /** The same, with the JSON around each token. */
  transcriptionStreamBytes: 8 * MEBIBYTE,
  /** One event of a stream; the last one of a transcription holds all its text. */
  lineCharacters: 2 * MEBIBYTE,
  /** Longer error bodies are a proxy's page. */
  errorBytes: 64 * KIBIBYTE,
  /** One spoken turn: three minutes at most. */
  turnBytes: MEBIBYTE,
  turnCharacters: 20_000,
  /** One reply of a language model, with the JSON around each token. */
  modelBytes: 2 * MEBIBYTE,
  /** 400 tokens are asked for. */
  modelCharacters: 2_400,
  /** A longer sentence is spoken in pieces. */
  sentenceCharacters: 500,
  /** Audio of one sentence, and of one turn. */
  sentenceAudioMs: 60_000,
  turnAudioMs: 180_000,
  signedUrlBytes: 64 * KIBIBYTE,
  /** From the hosted voice agent: one message, and per conversation all messages and all words. */
  hostedFrameBytes: MEBIBYTE,
  hostedBytes: 256 * MEBIBYTE,
  hostedMessagesPerSecond: 500,
  hostedCharacters: 400_000,
  /** From a hosted project: the transcript of an interview is the longest answer. */
  projectBytes: 32 * MEBIBYTE,
  projectKeyBytes: 256 * KIBIBYTE,
} as const;
