import { readFile } from 'node:fs/promises';
import { createMatrixKernel, type MatrixKernel, type Vector } from './matrix-kernel.ts';
import { readOnnxWeights, type Weights } from './onnx-weights.ts';

/** Detects speech in any number of conversations with one model (Silero v5, 16 kHz). */
export type VoiceDetector = Readonly<{ open: () => VoiceStream }>;

export type VoiceStream = Readonly<{
  /** The probability of speech in the next frame of 512 samples. */
  judge: (frame: Float32Array) => number;
}>;

export const VAD_SAMPLE_RATE = 16_000;
export const VAD_FRAME = 512;
export const VAD_FRAME_MS = (VAD_FRAME / VAD_SAMPLE_RATE) * 1000;
/** The model also reads the end of the frame before, so that it sees sounds across two frames whole. */
const CONTEXT = 64;

/**
 * Loads the model: a spectrum, four convolutions, an LSTM cell and a sigmoid. Throws where the file is not this model,
 * or without SIMD in WebAssembly.
 */
export async function loadVoiceDetector(): Promise<VoiceDetector> {
  const weights = readOnnxWeights(await readFile(MODEL), 'then_branch');
  const kernel = await createMatrixKernel(MEMORY_BYTES);
  const layers = ENCODER.map((shape, at) => loadConvolution(kernel, weights, at, shape));
  const measureSpectra = loadSpectrum(kernel, weights);
  const decode = loadDecoder(kernel, weights);
  const features = kernel.allocate(STATE);
  const [first] = layers;
  return {
    open: () => {
      const state = { hidden: new Float32Array(STATE), cell: new Float32Array(STATE) };
      const samples = new Float32Array(SAMPLES);
      return {
        judge: (frame) => {
          samples.copyWithin(0, VAD_FRAME);
          samples.set(frame, CONTEXT);
          if (first !== undefined) measureSpectra(samples, first.input);
          for (const [at, layer] of layers.entries()) layer.run(layers[at + 1]?.input ?? { vector: features, from: 0 });
          return decode(features, state);
        },
      };
    },
  };
}

/**
 * Gives the model, loaded once; undefined where it does not load: typing and the browser's own voice still work. The
 * next conversation tries again, since files or memory may have been short for a moment.
 */
export function createDetectorLoader(
  log: Readonly<{ warn: (facts: object, event: string) => void }>,
  open = loadVoiceDetector,
): () => Promise<VoiceDetector | undefined> {
  let loaded: Promise<VoiceDetector | undefined> | undefined;
  return () =>
    (loaded ??= open().catch((error: unknown) => {
      loaded = undefined;
      log.warn({ cause: error instanceof Error ? error.message : 'unknown' }, 'voice activity detection unavailable');
      return undefined;
    }));
}

/** What the network remembers of one stream. */
type SileroState = Readonly<{ hidden: Float32Array; cell: Float32Array }>;

const SAMPLES = CONTEXT + VAD_FRAME;
const STATE = 128;
/** The spectrum: windows of 256 samples, each half a window after the one before. */
const WINDOW = 256;
const HOP = 128;
const BINS = 129;
/** Samples that are repeated backwards after the last one, for the last window. */
const REFLECTED = 64;
const TAPS = 3;

type LayerShape = Readonly<{ inputs: number; outputs: number; length: number; stride: number }>;

const ENCODER: readonly LayerShape[] = [
  { inputs: BINS, outputs: 128, length: 4, stride: 1 },
  { inputs: 128, outputs: 64, length: 4, stride: 2 },
  { inputs: 64, outputs: 64, length: 2, stride: 2 },
  { inputs: 64, outputs: 128, length: 1, stride: 1 },
];

/** Its licence (MIT) stands beside it. */
const MODEL = new URL('silero_vad_v5.onnx', import.meta.url);
const MEMORY_BYTES = 1_500_000;

/** Where a layer writes: its first number in a vector. */
type Target = Readonly<{ vector: Vector; from: number }>;

type Layer = Readonly<{ input: Target; run: (output: Target) => void }>;

/** A convolution over three steps of time, with the larger of 0 and its sum as output. */
function loadConvolution(kernel: MatrixKernel, weights: Weights, layer: number, shape: LayerShape): Layer {
  const { inputs, outputs, length, stride } = shape;
  const name = `encoder.${layer}.reparam_conv`;
  const bias = getWeights(weights, `${name}.bias`, outputs);
  const given = getWeights(weights, `${name}.weight`, outputs * inputs * TAPS);
  // In memory the inputs of a step stand together, in the file the steps of an input.
  const ordered = given.map((_, at) => {
    const [row, tap, input] = [Math.floor(at / (inputs * TAPS)), Math.floor(at / inputs) % TAPS, at % inputs];
    return given[row * inputs * TAPS + input * TAPS + tap] ?? 0;
  });
  const matrix = kernel.loadMatrix(ordered, outputs, inputs * TAPS);
  // A step of zeros before the first one and after the last one.
  const vector = kernel.allocate((length + 2) * inputs);
  const steps = Math.ceil(length / stride);
  return {
    input: { vector, from: inputs },
    run: ({ vector: { values, address }, from }) => {
      for (let step = 0; step < steps; step += 1) {
        const at = from + step * outputs;
        values.set(bias, at);
        kernel.multiplyAdd({ values, address }, matrix, vector, step * stride * inputs, at);
        for (let row = at; row < at + outputs; row += 1) if ((values[row] ?? 0) < 0) values[row] = 0;
      }
    },
  };
}

function loadSpectrum(kernel: MatrixKernel, weights: Weights): (input: Float32Array, output: Target) => void {
  const basis = getWeights(weights, 'stft.forward_basis_buffer', 2 * BINS * WINDOW);
  const matrix = kernel.loadMatrix(basis, 2 * BINS, WINDOW);
  const samples = kernel.allocate(SAMPLES + REFLECTED);
  const waves = kernel.allocate(matrix.rows);
  return (input, output) => {
    samples.values.set(input);
    for (let at = 0; at < REFLECTED; at += 1) samples.values[SAMPLES + at] = input[SAMPLES - 2 - at] ?? 0;
    for (let start = 0; start + WINDOW <= samples.values.length; start += HOP) {
      waves.values.fill(0);
      kernel.multiplyAdd(waves, matrix, samples, start);
      const at = output.from + (start / HOP) * BINS;
      for (let bin = 0; bin < BINS; bin += 1) {
        const [real = 0, imaginary = 0] = [waves.values[bin], waves.values[BINS + bin]];
        output.vector.values[at + bin] = Math.sqrt(real * real + imaginary * imaginary);
      }
    }
  };
}

function loadDecoder(kernel: MatrixKernel, weights: Weights): (features: Vector, state: SileroState) => number {
  const load = (name: string, rows: number, columns = 1): Float32Array =>
    getWeights(weights, `decoder.${name}`, rows * columns);
  const ofFeatures = kernel.loadMatrix(load('rnn.weight_ih', 4 * STATE, STATE), 4 * STATE, STATE);
  const ofHidden = kernel.loadMatrix(load('rnn.weight_hh', 4 * STATE, STATE), 4 * STATE, STATE);
  const second = load('rnn.bias_hh', 4 * STATE);
  const bias = load('rnn.bias_ih', 4 * STATE).map((one, at) => one + (second[at] ?? 0));
  const last = load('decoder.2.weight', STATE);
  const [lastBias = 0] = load('decoder.2.bias', 1);
  const hidden = kernel.allocate(STATE);
  const gates = kernel.allocate(4 * STATE);
  return (features, state) => {
    gates.values.set(bias);
    hidden.values.set(state.hidden);
    kernel.multiplyAdd(gates, ofFeatures, features);
    kernel.multiplyAdd(gates, ofHidden, hidden);
    let sum = lastBias;
    for (let at = 0; at < STATE; at += 1) {
      const gate = (index: number): number => gates.values[index * STATE + at] ?? 0;
      const cell = sigmoid(gate(1)) * (state.cell[at] ?? 0) + sigmoid(gate(0)) * Math.tanh(gate(2));
      const next = sigmoid(gate(3)) * Math.tanh(cell);
      state.cell[at] = cell;
      state.hidden[at] = next;
      sum += (last[at] ?? 0) * Math.max(0, next);
    }
    return sigmoid(sum);
  };
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

function getWeights(weights: Weights, name: string, length: number): Float32Array {
  const values = weights.get(name);
  if (values?.length !== length) throw new Error(`the model has no "${name}" of ${length} numbers`);
  return values;
}
