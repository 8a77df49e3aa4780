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
  /** Main memory while the model is loaded, with its buffers: an estimate, not measured here. */
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

/** The models that `npm run speech` and the administrators' page offer. Sizes and sums are those the hub announces. */
export const CATALOGUE: readonly CatalogueModel[] = [
  {
    name: 'parakeet-q8',
    kind: 'parakeet',
    file: 'ggml-parakeet-tdt-0.6b-v3-q8_0.bin',
    url: `${PARAKEET}/ggml-parakeet-tdt-0.6b-v3-q8_0.bin`,
    bytes: 668_757_119,
    sha256: '4d64e9e96c2792186d072fde0034df0ad670cf680a2f53069052ead827fd600e',
    memoryBytes: 1_100 * MEBIBYTE,
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
    memoryBytes: 800 * MEBIBYTE,
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
    file: 'ggml-small.bin',
    url: `${WHISPER}/ggml-small.bin`,
    bytes: 487_601_967,
    sha256: '1be3a9b2063867b937e64e2ec7483364a79917e157fa98c5d94b5c1fffea987b',
    memoryBytes: 850 * MEBIBYTE,
    licence: 'MIT',
    attribution: WHISPER_BY,
  },
  {
    name: 'whisper-base',
    kind: 'whisper',
    file: 'ggml-base.bin',
    url: `${WHISPER}/ggml-base.bin`,
    bytes: 147_951_465,
    sha256: '60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe',
    memoryBytes: 390 * MEBIBYTE,
    licence: 'MIT',
    attribution: WHISPER_BY,
  },
];
