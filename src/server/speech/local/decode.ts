import {
  BufferSource,
  EncodedPacketSink,
  Input,
  MATROSKA,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
  type InputAudioTrack,
} from 'mediabunny';
import { OpusDecoder } from 'opus-decoder';
import { SpeechError } from '../errors.ts';

export const SAMPLE_RATE = 16_000;
/** A recording has five minutes; an hour is far above it, and 115 MB as samples. */
const LONGEST_S = 3_600;
const LOWEST_RATE = 8_000;
const HIGHEST_RATE = 192_000;
const FULL_SCALE = 32_768;
/** RFC 7845: the pre-skip of Opus counts in samples of 48 kHz. */
const OPUS_RATE = 48_000;

/**
 * Decodes Opus in webm, ogg and mp4, and WAV, to mono samples of 16 bits at 16 kHz. Throws SpeechError: for others
 * `audio_needs_wav` (the caller decodes them itself), `audio_too_long`, for a damaged file `service_rejected`.
 */
export async function decodeAudio(
  file: Uint8Array<ArrayBuffer>,
  longestS = LONGEST_S,
): Promise<Int16Array<ArrayBuffer>> {
  const input = new Input({ formats: [WEBM, MATROSKA, OGG, MP4, QTFF, WAVE], source: new BufferSource(file) });
  try {
    const track = await input.getPrimaryAudioTrack().catch(() => null);
    if (track === null) throw new SpeechError('audio_needs_wav');
    const samples = new SampleCollector(longestS);
    if (track.codec === 'opus') await decodeOpus(track, samples);
    else if (track.codec !== null && track.codec in PCM_READERS) await decodePcm(track, samples, longestS);
    else throw new SpeechError('audio_needs_wav');
    return samples.join();
  } catch (error) {
    throw error instanceof SpeechError ? error : new SpeechError('service_rejected', { cause: error });
  } finally {
    input.dispose();
  }
}

/** Gathers samples without knowing their number before. */
class SampleCollector {
  readonly #pieces: Int16Array[] = [];
  readonly #longestS: number;
  #length = 0;

  constructor(longestS: number) {
    this.#longestS = longestS;
  }

  /** Throws SpeechError `audio_too_long`. */
  add(piece: Int16Array): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > this.#longestS * SAMPLE_RATE) throw new SpeechError('audio_too_long');
  }

  join(): Int16Array<ArrayBuffer> {
    return fill(new Int16Array(this.#length), this.#pieces);
  }
}

function fill<Samples extends Int16Array | Float32Array>(
  whole: Samples,
  pieces: readonly ArrayLike<number>[],
): Samples {
  let position = 0;
  for (const piece of pieces) {
    whole.set(piece, position);
    position += piece.length;
  }
  return whole;
}

async function decodeOpus(track: InputAudioTrack, samples: SampleCollector): Promise<void> {
  // More channels need a mapping table; no browser records them.
  if (track.numberOfChannels > 2) throw new SpeechError('audio_needs_wav');
  const decoder = new OpusDecoder({ sampleRate: SAMPLE_RATE, channels: track.numberOfChannels });
  await decoder.ready;
  try {
    let skipped = readPreSkip((await track.getDecoderConfig())?.description);
    for await (const packet of new EncodedPacketSink(track).packets()) {
      const { channelData, samplesDecoded } = decoder.decodeFrame(packet.data);
      const skip = Math.min(skipped, samplesDecoded);
      skipped -= skip;
      samples.add(toMono(channelData, skip, samplesDecoded));
    }
  } finally {
    decoder.free();
  }
}

/** RFC 7845 §5.1: two bytes at the tenth position of the header. */
function readPreSkip(description: ArrayBufferLike | ArrayBufferView | undefined): number {
  if (description === undefined) return 0;
  const view = ArrayBuffer.isView(description)
    ? new DataView(description.buffer, description.byteOffset, description.byteLength)
    : new DataView(description);
  if (view.byteLength < 12) return 0;
  return Math.round((view.getUint16(10, true) * SAMPLE_RATE) / OPUS_RATE);
}

function toMono(channels: readonly Float32Array[], from: number, to: number): Int16Array {
  const mono = new Int16Array(to - from);
  for (let index = from; index < to; index += 1) {
    let sum = 0;
    for (const channel of channels) sum += channel[index] ?? 0;
    mono[index - from] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, (sum / channels.length) * FULL_SCALE));
  }
  return mono;
}

/** Bytes of a sample, and how one is read, from -1 to 1. */
type PcmReader = Readonly<{ bytes: number; read: (view: DataView, offset: number) => number }>;

const PCM_READERS: Readonly<Record<string, PcmReader>> = {
  'pcm-u8': { bytes: 1, read: (view, offset) => (view.getUint8(offset) - 128) / 128 },
  'pcm-s16': { bytes: 2, read: (view, offset) => view.getInt16(offset, true) / FULL_SCALE },
  'pcm-s24': {
    bytes: 3,
    read: (view, offset) => (view.getUint16(offset, true) + view.getInt8(offset + 2) * 65_536) / 8_388_608,
  },
  'pcm-s32': { bytes: 4, read: (view, offset) => view.getInt32(offset, true) / 2_147_483_648 },
  'pcm-f32': { bytes: 4, read: (view, offset) => view.getFloat32(offset, true) },
};

async function decodePcm(track: InputAudioTrack, samples: SampleCollector, longestS: number): Promise<void> {
  const { bytes, read } = PCM_READERS[track.codec ?? ''] ?? { bytes: 1, read: () => 0 };
  const { numberOfChannels, sampleRate } = track;
  // Other rates are no microphone's, and a tiny one would multiply the samples.
  if (sampleRate < LOWEST_RATE || sampleRate > HIGHEST_RATE) throw new SpeechError('service_rejected');
  const frameBytes = bytes * numberOfChannels;
  const pieces: Float32Array[] = [];
  let length = 0;
  for await (const { data } of new EncodedPacketSink(track).packets()) {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const mono = new Float32Array(Math.floor(data.byteLength / frameBytes));
    for (let frame = 0; frame < mono.length; frame += 1) {
      let sum = 0;
      for (let channel = 0; channel < numberOfChannels; channel += 1)
        sum += read(view, frame * frameBytes + channel * bytes);
      mono[frame] = sum / numberOfChannels;
    }
    pieces.push(mono);
    length += mono.length;
    if (length > longestS * sampleRate) throw new SpeechError('audio_too_long');
  }
  const resampled = resample(fill(new Float32Array(length), pieces), sampleRate, SAMPLE_RATE);
  samples.add(toMono([resampled], 0, resampled.length));
}

/** Zero crossings of the filter on each side: more cost time and gain nothing for speech. */
const LOBES = 16;

/** Changes the sample rate with a windowed sinc, which removes what the lower rate cannot hold. */
function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples;
  const cutoff = Math.min(1, to / from);
  const reach = Math.ceil(LOBES / cutoff);
  const divisor = greatestCommonDivisor(from, to);
  const phases = to / divisor;
  const step = from / divisor;
  const filters = Array.from({ length: phases }, (_, phase) => makeFilter(phase / phases, cutoff, reach));
  const result = new Float32Array(Math.floor((samples.length * to) / from));
  for (let index = 0; index < result.length; index += 1) {
    const ticks = index * step;
    const center = Math.floor(ticks / phases);
    const filter = filters[ticks % phases] ?? new Float32Array();
    const first = center - reach + 1;
    let sum = 0;
    for (let tap = Math.max(0, -first); tap < filter.length && first + tap < samples.length; tap += 1)
      sum += (samples[first + tap] ?? 0) * (filter[tap] ?? 0);
    result[index] = sum;
  }
  return result;
}

/** Weights of the samples around a point that lies `offset` of a sample behind the center; they add up to 1. */
function makeFilter(offset: number, cutoff: number, reach: number): Float32Array {
  const weights = Float32Array.from({ length: 2 * reach }, (_, tap) => {
    const distance = tap - reach + 1 - offset;
    const angle = Math.PI * distance * cutoff;
    const sinc = angle === 0 ? 1 : Math.sin(angle) / angle;
    return sinc * (0.5 + 0.5 * Math.cos((Math.PI * distance) / (reach + 1)));
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
