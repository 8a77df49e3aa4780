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
    if (track.codec === 'opus') return await decodeOpus(track, longestS);
    const reader = PCM_READERS[track.codec ?? ''];
    if (reader === undefined) throw new SpeechError('audio_needs_wav');
    return await decodePcm(track, reader, longestS);
  } catch (error) {
    throw error instanceof SpeechError ? error : new SpeechError('service_rejected', { cause: error });
  } finally {
    input.dispose();
  }
}

/** Gathers samples without knowing their number before. `add` throws SpeechError `audio_too_long` beyond `most`. */
function createCollector(most: number) {
  const pieces: ArrayLike<number>[] = [];
  let length = 0;
  return {
    add: (piece: ArrayLike<number>): void => {
      pieces.push(piece);
      length += piece.length;
      if (length > most) throw new SpeechError('audio_too_long');
    },
    join: <Samples extends Int16Array | Float32Array>(allocate: (length: number) => Samples): Samples => {
      const whole = allocate(length);
      let position = 0;
      for (const piece of pieces) {
        whole.set(piece, position);
        position += piece.length;
      }
      return whole;
    },
  };
}

async function decodeOpus(track: InputAudioTrack, longestS: number): Promise<Int16Array<ArrayBuffer>> {
  // More channels need a mapping table; no browser records them.
  if (track.numberOfChannels > 2) throw new SpeechError('audio_needs_wav');
  const decoder = new OpusDecoder({ sampleRate: SAMPLE_RATE, channels: track.numberOfChannels });
  const samples = createCollector(longestS * SAMPLE_RATE);
  await decoder.ready;
  try {
    let skipped = readPreSkip((await track.getDecoderConfig())?.description);
    for await (const packet of new EncodedPacketSink(track).packets()) {
      const { channelData, samplesDecoded } = decoder.decodeFrame(packet.data);
      const skip = Math.min(skipped, samplesDecoded);
      skipped -= skip;
      samples.add(toMono(channelData, skip, samplesDecoded));
    }
    return samples.join((length) => new Int16Array(length));
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

function toMono(channels: readonly Float32Array[], from: number, to: number): Int16Array<ArrayBuffer> {
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

async function decodePcm(
  track: InputAudioTrack,
  { bytes, read }: PcmReader,
  longestS: number,
): Promise<Int16Array<ArrayBuffer>> {
  const { numberOfChannels, sampleRate } = track;
  // Other rates are no microphone's, and a tiny one would multiply the samples.
  if (sampleRate < LOWEST_RATE || sampleRate > HIGHEST_RATE) throw new SpeechError('service_rejected');
  const frameBytes = bytes * numberOfChannels;
  const samples = createCollector(longestS * sampleRate);
  for await (const { data } of new EncodedPacketSink(track).packets()) {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const mono = new Float32Array(Math.floor(data.byteLength / frameBytes));
    for (let frame = 0; frame < mono.length; frame += 1) {
      let sum = 0;
      for (let channel = 0; channel < numberOfChannels; channel += 1)
        sum += read(view, frame * frameBytes + channel * bytes);
      mono[frame] = sum / numberOfChannels;
    }
    samples.add(mono);
  }
  const resampled = resample(
    samples.join((length) => new Float32Array(length)),
    sampleRate,
    SAMPLE_RATE,
  );
  return toMono([resampled], 0, resampled.length);
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
