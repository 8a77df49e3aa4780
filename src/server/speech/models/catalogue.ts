/** `whisper` and `parakeet` files look alike but need different code to run. */
export type ModelKind = 'whisper' | 'parakeet';

export type CatalogueModel = Readonly<{
  name: string;
  kind: ModelKind;
  /** The file's name on the hub, on a mirror and in the folder of models. */
  file: string;
  /** The address that ends with the file's name. */
  url: string;
  bytes: number;
  sha256: string;
  /** Main memory of the process that works with the model; computed for q4 and turbo, measured for the others. */
  memoryBytes: number;
  licence: 'MIT' | 'CC-BY-4.0';
  /** The licence of Parakeet asks for it; `npm run speech -- list` names it. */
  attribution: string;
}>;

const HUB = 'https://huggingface.co';
/** A fixed revision, because `main` may move. */
const WHISPER = `${HUB}/ggerganov/whisper.cpp/resolve/5359861c739e955e79d9a303bcbc70fb988958b1`;
const PARAKEET = `${HUB}/ggml-org/parakeet-GGUF/resolve/main`;
const WHISPER_BY = 'Whisper, © OpenAI';
const PARAKEET_BY = 'Parakeet TDT 0.6B v3, © NVIDIA';
const MEBIBYTE = 1024 * 1024;

/** Installed where no name is given. */
export const DEFAULT_MODEL = 'parakeet-q8';

/**
 * The models that `npm run speech` and the administrators' page offer. Sizes and sums are those the hub
 * announces. All are quantised: the engine's build for x64 computes with 16-bit weights several times slower.
 */
export const CATALOGUE: readonly CatalogueModel[] = [
  {
    name: 'parakeet-q8',
    kind: 'parakeet',
    file: 'ggml-parakeet-tdt-0.6b-v3-q8_0.bin',
    url: `${PARAKEET}/ggml-parakeet-tdt-0.6b-v3-q8_0.bin`,
    bytes: 668_757_119,
    sha256: '4d64e9e96c2792186d072fde0034df0ad670cf680a2f53069052ead827fd600e',
    memoryBytes: 940 * MEBIBYTE,
    licence: 'CC-BY-4.0',
    attribution: PARAKEET_BY,
  },
  {
    name: 'parakeet-q4',
    kind: 'parakeet',
    file: 'ggml-parakeet-tdt-0.6b-v3-q4_0.bin',
    url: `${PARAKEET}/ggml-parakeet-tdt-0.6b-v3-q4_0.bin`,
    bytes: 355_615_679,
    sha256: 'aa7fe2f5fb47d863ca23e8b1d490632d63a2599f515268b6d6bd656158dad45e',
    memoryBytes: 640 * MEBIBYTE,
    licence: 'CC-BY-4.0',
    attribution: PARAKEET_BY,
  },
  {
    name: 'whisper-turbo',
    kind: 'whisper',
    file: 'ggml-large-v3-turbo-q5_0.bin',
    url: `${WHISPER}/ggml-large-v3-turbo-q5_0.bin`,
    bytes: 574_041_195,
    sha256: '394221709cd5ad1f40c46e6031ca61bce88931e6e088c188294c6d5a55ffa7e2',
    memoryBytes: 1_100 * MEBIBYTE,
    licence: 'MIT',
    attribution: WHISPER_BY,
  },
  {
    name: 'whisper-small',
    kind: 'whisper',
    file: 'ggml-small-q8_0.bin',
    url: `${WHISPER}/ggml-small-q8_0.bin`,
    bytes: 264_464_607,
    sha256: '49c8fb02b65e6049d5fa6c04f81f53b867b5ec9540406812c643f177317f779f',
    memoryBytes: 780 * MEBIBYTE,
    licence: 'MIT',
    attribution: WHISPER_BY,
  },
  {
    name: 'whisper-base',
    kind: 'whisper',
    file: 'ggml-base-q8_0.bin',
    url: `${WHISPER}/ggml-base-q8_0.bin`,
    bytes: 81_768_585,
    sha256: 'c577b9a86e7e048a0b7eada054f4dd79a56bbfa911fbdacf900ac5b567cbb7d9',
    memoryBytes: 420 * MEBIBYTE,
    licence: 'MIT',
    attribution: WHISPER_BY,
  },
];

/** Why a model could not be installed, removed or found. */
export type ModelErrorCode =
  | 'unknown_model'
  | 'not_installed'
  /** Another process installs the same model; the running server and a command may. */
  | 'install_running'
  /** `neededBytes` and `freeBytes` say how much is missing. */
  | 'disk_full'
  | 'source_unreachable'
  /** The source answered with `status`. */
  | 'source_refused'
  /** The content is not the file of the catalogue: another one, or changed on its way. */
  | 'wrong_sum'
  | 'file_unreadable'
  | 'aborted';

type ModelErrorDetails = Readonly<{ neededBytes?: number; freeBytes?: number; status?: number }>;

export class ModelError extends Error {
  readonly code: ModelErrorCode;
  readonly details: ModelErrorDetails;
  constructor(code: ModelErrorCode, details: ModelErrorDetails & { cause?: unknown } = {}) {
    const { cause, ...rest } = details;
    super(code, { cause });
    this.name = 'ModelError';
    this.code = code;
    this.details = rest;
  }
}
