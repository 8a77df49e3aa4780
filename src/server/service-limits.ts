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
  /** From a hosted project: the earlier turns of an interview are the longest answer. */
  projectBytes: 32 * MEBIBYTE,
  projectKeyBytes: 256 * KIBIBYTE,
} as const;
