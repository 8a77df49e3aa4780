import { readFile } from 'node:fs/promises';
import type { InferenceSession, Tensor } from 'onnxruntime-node';

/** Detects speech in any number of conversations with one model (Silero v5, 16 kHz), in batches. */
export type VoiceActivity = Readonly<{
  open: () => VoiceStream;
  close: () => Promise<void>;
}>;

export type VoiceStream = Readonly<{
  /** The probability of speech in one frame of 512 samples. Frames of a stream are judged in order. */
  judge: (frame: Float32Array) => Promise<number>;
  /** Leaves waiting frames without an answer. */
  close: () => void;
}>;

export const VAD_SAMPLE_RATE = 16_000;
export const VAD_FRAME = 512;
export const VAD_FRAME_MS = (VAD_FRAME / VAD_SAMPLE_RATE) * 1000;
/** The model also reads the end of the frame before, so that it sees sounds across two frames whole. */
const CONTEXT = 64;
const INPUT = CONTEXT + VAD_FRAME;
const STATE = 128;
const BATCH_MAX = 64;

type Stream = {
  waiting: { frame: Float32Array; answer: (probability: number) => void; fail: (error: unknown) => void }[];
  context: Float32Array;
  /** Two layers. */
  state: [Float32Array, Float32Array];
};

type Runtime = typeof import('onnxruntime-node');

/** Its licence (MIT) stands beside it. */
const MODEL = new URL('silero_vad_v5.onnx', import.meta.url);

/** Loads the model. Throws where this platform has no runtime for it. */
export async function openVoiceActivity(): Promise<VoiceActivity> {
  const model = await readFile(MODEL);
  const runtime = await import('onnxruntime-node');
  const session = await runtime.InferenceSession.create(model, {
    // More threads would spin on the cores the server needs.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  return createBatcher(runtime, session);
}

function createBatcher(runtime: Runtime, session: InferenceSession): VoiceActivity {
  const streams = new Set<Stream>();
  let running = false;
  let closed = false;

  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    // Frames that arrive in the same turn of the event loop form one batch.
    await new Promise((resolve) => void setImmediate(resolve));
    for (let batch = takeBatch(streams); batch.length > 0 && !closed; batch = takeBatch(streams)) {
      await judgeBatch(runtime, session, batch);
    }
    running = false;
  };

  return {
    open: () => {
      const stream: Stream = {
        waiting: [],
        context: new Float32Array(CONTEXT),
        state: [new Float32Array(STATE), new Float32Array(STATE)],
      };
      streams.add(stream);
      return {
        judge: (frame) =>
          new Promise((answer, fail) => {
            stream.waiting.push({ frame, answer, fail });
            void run();
          }),
        close: () => {
          stream.waiting = [];
          streams.delete(stream);
        },
      };
    },
    close: async () => {
      closed = true;
      streams.clear();
      await session.release();
    },
  };
}

/** Takes one frame of each stream that has any; served streams move to the end, so that none starves. */
function takeBatch(streams: Set<Stream>): Stream[] {
  const batch = [...streams].filter((stream) => stream.waiting.length > 0).slice(0, BATCH_MAX);
  for (const stream of batch) {
    streams.delete(stream);
    streams.add(stream);
  }
  return batch;
}

async function judgeBatch(runtime: Runtime, session: InferenceSession, batch: readonly Stream[]): Promise<void> {
  const jobs = batch.flatMap((stream) => {
    const job = stream.waiting.shift();
    return job === undefined ? [] : [{ stream, job }];
  });
  const input = new Float32Array(jobs.length * INPUT);
  const state = new Float32Array(2 * jobs.length * STATE);
  for (const [at, { stream, job }] of jobs.entries()) {
    input.set(stream.context, at * INPUT);
    input.set(job.frame, at * INPUT + CONTEXT);
    state.set(stream.state[0], at * STATE);
    state.set(stream.state[1], (jobs.length + at) * STATE);
  }
  try {
    const result = await session.run({
      input: new runtime.Tensor('float32', input, [jobs.length, INPUT]),
      state: new runtime.Tensor('float32', state, [2, jobs.length, STATE]),
      sr: new runtime.Tensor('int64', BigInt64Array.of(BigInt(VAD_SAMPLE_RATE)), []),
    });
    const probabilities = readFloats(result['output']);
    const next = readFloats(result['stateN']);
    for (const [at, { stream, job }] of jobs.entries()) {
      stream.context = job.frame.slice(-CONTEXT);
      stream.state = [
        next.slice(at * STATE, (at + 1) * STATE),
        next.slice((jobs.length + at) * STATE, (jobs.length + at + 1) * STATE),
      ];
      job.answer(probabilities[at] ?? 0);
    }
  } catch (error) {
    for (const { job } of jobs) job.fail(error);
  }
}

function readFloats(tensor: Tensor | undefined): Float32Array {
  if (tensor === undefined || !(tensor.data instanceof Float32Array)) throw new Error('the model returned no floats');
  return tensor.data;
}
