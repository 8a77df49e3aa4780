/** `half`: in 16 bits, as the weights of real models; biases, norms and positions have 32. */
export type Tensor = Readonly<{
  name: string;
  shape: readonly number[];
  half?: boolean;
  fill?: (data: Float32Array) => void;
}>;

export const MAGIC = 0x67676d6c;
const STATE = 32;
const VOCABULARY = 51_865;
const AUDIO_CONTEXT = 1_500;
const TEXT_CONTEXT = 64;
const MELS = 80;
const MEL_BINS = 201;
/** The number of the type in the file. */
export const HALF = 1;
const END_OF_TEXT = 50_257;
const FIRST_TIME = 50_364;
const TIMES_PER_S = 50;
/** The last position of the prompt: start, language, task. */
const FIRST_POSITION = 2;

/** What the generated model says in each window of 30 s; a number is a time in the window, in seconds. */
const SPOKEN = [0, 'Guten', ' Morgen', 12, 12, ' Hier', ' spricht', ' ein', ' Modell', 30] as const;

/**
 * Generates a file in the format of whisper.cpp whose weights are made up: it loads, runs and takes time as a real
 * model does, and says the same to any sound, because its decoder reads nothing but its position.
 */
export function makeWhisperModel(script: readonly (string | number)[] = SPOKEN): Buffer {
  const key = JSON.stringify(script);
  const model = made.get(key) ?? buildWhisperModel(script);
  made.set(key, model);
  return model;
}

const made = new Map<string, Buffer>();

function buildWhisperModel(script: readonly (string | number)[]): Buffer {
  const words = [' ', ...new Set(script.filter((part) => typeof part === 'string'))];
  const tokens = script.map((part) =>
    typeof part === 'number' ? FIRST_TIME + part * TIMES_PER_S : words.indexOf(part),
  );
  return Buffer.concat([
    integers(MAGIC, VOCABULARY, AUDIO_CONTEXT, STATE, 1, 1, TEXT_CONTEXT, STATE, 1, 1, MELS, HALF),
    integers(MELS, MEL_BINS),
    floats(new Float32Array(MELS * MEL_BINS)),
    writeVocabulary(words),
    ...listTensors([...tokens, END_OF_TEXT]).map(writeTensor),
  ]);
}

export function integers(...values: number[]): Buffer {
  return Buffer.from(Int32Array.from(values).buffer);
}

export function floats(values: Float32Array<ArrayBuffer>): Buffer {
  return Buffer.from(values.buffer);
}

export function writeVocabulary(words: readonly string[]): Buffer {
  const write = (word: string): Buffer => Buffer.concat([integers(Buffer.byteLength(word)), Buffer.from(word)]);
  return Buffer.concat([integers(words.length), ...words.map(write)]);
}

export function writeTensor({ name, shape, half = false, fill }: Tensor): Buffer {
  const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
  fill?.(data);
  const header = integers(shape.length, name.length, half ? HALF : 0, ...shape);
  return Buffer.concat([header, Buffer.from(name), half ? halves(data) : floats(data)]);
}

/** Rounds down to 16 bits; numbers too small for them become 0. */
function halves(values: Float32Array<ArrayBuffer>): Buffer {
  const bits = new Uint32Array(values.buffer);
  const rounded = Uint16Array.from(bits, (value) => {
    const exponent = ((value >>> 23) & 0xff) - 112;
    return exponent <= 0 ? 0 : ((value >>> 16) & 0x8000) | (exponent << 10) | ((value >>> 13) & 0x3ff);
  });
  return Buffer.from(rounded.buffer);
}

const setOnes = (data: Float32Array): void => void data.fill(1);

/** Each position points into a direction of its own, and the token that follows it lies there. */
function listTensors(tokens: readonly number[]): Tensor[] {
  const setPositions = (data: Float32Array): void => {
    for (let position = 0; position < TEXT_CONTEXT; position += 1) {
      const direction = Math.min(Math.max(position - FIRST_POSITION, 0), tokens.length - 1);
      data[position * STATE + direction] = 100;
    }
  };
  const setTokens = (data: Float32Array): void => {
    tokens.forEach((token, direction) => (data[token * STATE + direction] = 4));
  };
  return [
    { name: 'encoder.positional_embedding', shape: [STATE, AUDIO_CONTEXT] },
    { name: 'encoder.conv1.weight', shape: [3, MELS, STATE], half: true },
    { name: 'encoder.conv1.bias', shape: [1, STATE] },
    { name: 'encoder.conv2.weight', shape: [3, STATE, STATE], half: true },
    { name: 'encoder.conv2.bias', shape: [1, STATE] },
    ...listNorm('encoder.ln_post'),
    ...listBlock('encoder.blocks.0', ['attn']),
    { name: 'decoder.positional_embedding', shape: [STATE, TEXT_CONTEXT], fill: setPositions },
    { name: 'decoder.token_embedding.weight', shape: [STATE, VOCABULARY], half: true, fill: setTokens },
    ...listNorm('decoder.ln'),
    ...listBlock('decoder.blocks.0', ['attn', 'cross_attn']),
  ];
}

function listNorm(name: string): Tensor[] {
  return [
    { name: `${name}.weight`, shape: [STATE], fill: setOnes },
    { name: `${name}.bias`, shape: [STATE] },
  ];
}

/** Without weights a block adds nothing, but takes its time. */
function listBlock(name: string, attentions: readonly string[]): Tensor[] {
  const linear = (part: string, from: number, to: number): Tensor[] => [
    { name: `${name}.${part}.weight`, shape: [from, to], half: true },
    { name: `${name}.${part}.bias`, shape: [to] },
  ];
  return [
    ...listNorm(`${name}.mlp_ln`),
    ...linear('mlp.0', STATE, 4 * STATE),
    ...linear('mlp.2', 4 * STATE, STATE),
    ...attentions.flatMap((attention) => [
      ...listNorm(`${name}.${attention}_ln`),
      ...linear(`${attention}.query`, STATE, STATE),
      { name: `${name}.${attention}.key.weight`, shape: [STATE, STATE], half: true },
      ...linear(`${attention}.value`, STATE, STATE),
      ...linear(`${attention}.out`, STATE, STATE),
    ]),
  ];
}
