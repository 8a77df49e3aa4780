/** §9, each constant once. Units are in the names: ms, s, bytes. */
const MINUTE_MS = 60_000;
const MEBIBYTE = 1024 * 1024;

export const INACTIVITY_LOGOUT_MS = 30 * MINUTE_MS;
export const INACTIVITY_CHECK_MS = MINUTE_MS;
/** Before the logout; with the checks a minute apart, one has at least a minute to answer. */
export const INACTIVITY_WARNING_MS = 2 * MINUTE_MS;
export const VOICE_CONNECT_TIMEOUT_MS = 15_000;
export const CONNECT_PROGRESS_STEP_MS = 100;
export const CONNECT_PROGRESS_CAP = 90;
export const TRANSCRIPT_AUTOSAVE_MS = 1_000;
export const RECORDING_MAX_S = 300;
export const RECORDER_CHUNK_MS = 1_000;
/** Tried in this order. */
export const RECORDING_FORMATS = ['webm', 'ogg', 'mp4', 'mp3', 'mpeg', 'wav'] as const;
export const TRANSCRIPTION_MODEL = 'whisper-1';
export const TRANSCRIPTION_LANGUAGE = 'de';
export const TRANSCRIPTION_TIMEOUT_MS = 60_000;
// prettier-ignore
export const TRANSCRIPTION_AUDIO_TYPES = [
  'flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm',
] as const;
export const CONTRIBUTOR_FILES_MAX = 10;
export const PHOTO_EXTENSIONS = ['.jpg', '.jpeg', '.png', '.webp'] as const;
export const VIDEO_EXTENSIONS = ['.mp4', '.mov', '.webm'] as const;
export const IMAGES_AFTER_VOICE_GENERIC_MAX = 1;
export const IMAGES_AFTER_VOICE_TEST_AREA_MAX = 10;
export const UPLOAD_ATTEMPTS = 3;
export const UPLOAD_RETRY_DELAY_MS = 1_000;
export const STORAGE_CACHE_CONTROL_S = 3_600;
export const REDIRECT_AFTER_IMAGES_MS = 1_000;
export const REDIRECT_AFTER_CONTACT_MS = 1_500;
export const SIMULATED_LOCAL_SAVE_MS = 500;
export const FAKE_PROGRESS_STEP_MAX = 10;
export const FAKE_PROGRESS_STEP_MS = 200;
export const FAKE_PROGRESS_CAP = 90;
export const W_ANSWER_MIN_LENGTH_IMAGES = 2;
export const SHOWN_ID_LENGTH = 8;
export const TOP_USERS = 3;
export const TOAST_MS = 5_000;
export const TOAST_SWIPE_THRESHOLD = 50;
export const TOAST_HOTKEY = 'F8';
export const INTERRUPTED_FADE_MS = 2_000;

/** A request's header, a body that is no file, and the longest pause within any body. */
export const HEADERS_TIMEOUT_S = 20;
export const BODY_TIMEOUT_S = 120;
export const BODY_SILENCE_S = 60;
/** An answer is cut after this time without reading by the client. */
export const ANSWER_SILENCE_S = 30;
/** What guests may store: in one contribution, and from one network in a day. The operator may set others. */
export const DEFAULT_UPLOAD_QUOTA = {
  files: 100,
  bytes: 5 * 1024 * MEBIBYTE,
  networkFiles: 500,
  networkBytes: 20 * 1024 * MEBIBYTE,
} as const;

/** Between two mails to the team: about new contributions, or about answers to one contribution's posts. */
export const DESK_MAIL_PAUSE_S = 15 * 60;
/** What comes during the pause is listed in the next mail, this many by name. */
export const DESK_MAIL_LISTED_MAX = 20;

/** Receipts that one address gets in a day: anybody may type any address. */
export const RECEIPT_MAILS_PER_DAY = 5;

/**
 * Days after the last mail of kind `review` was sent on which the contributor is reminded, while a post waits for an
 * answer. Reminders do not start the count again.
 */
export const REVIEW_REMINDER_DAYS = [3, 7] as const;
/** Links to a review that one network may ask for. */
export const REVIEW_LINKS_PER_HOUR = 10;
/** Pictures of reviews that one network may load. */
export const REVIEW_PICTURES_PER_HOUR = 2_000;

/** Drafts with a language model; defaults, the operator may set others. Times in seconds. */
export const DRAFT_LIMITS = {
  /** Of all administrators at the same time. */
  concurrent: 2,
  /** For one draft with all its parts. */
  seconds: 600,
  /** Without a word of the model. */
  silenceSeconds: 120,
  answerCharacters: 40_000,
  /** Of the material in one request, so that it fits into the model's context. */
  partCharacters: 24_000,
} as const;
/** Material beyond this is not drafted from. */
export const DRAFT_MATERIAL_CHARACTERS = 400_000;

/** D19: defaults; the operator may set others, and the browser reads those from /config.json. */
export const DEFAULT_LIMITS = {
  videoBytes: 2 * 1024 * MEBIBYTE,
  imageBytes: 50 * MEBIBYTE,
  documentBytes: 50 * MEBIBYTE,
  recordingBytes: 25 * MEBIBYTE,
  transcriptCharacters: 200_000,
} as const;

/** Characters of one message to the interviewer: a typed answer, or what was said before. */
export const VOICE_TEXT_MAX = 20_000;

/** By itself: the other limits are the server's, and a page would load them with it. */
export const ANSWER_CHARACTERS = 20_000;

/**
 * How much may be handed in. The database enforces it; a network is an IPv4 address or an IPv6 /64, and only
 * contributions without a login count by it.
 */
export const CONTRIBUTION_LIMITS = {
  contributionsPerHour: 60,
  /** Turns, files and feedback of one network. */
  rowsPerHour: 5_000,
  charactersPerHour: 5_000_000,
  /** Of one contribution, with or without a login. */
  files: 200,
  turns: 5_000,
  feedback: 1_000,
  turnCharacters: 2_000_000,
  answerCharacters: ANSWER_CHARACTERS,
} as const;
