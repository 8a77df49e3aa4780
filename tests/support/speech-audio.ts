import { readFile } from 'node:fs/promises';
import {
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  Input,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  WebMOutputFormat,
  type OutputFormat,
} from 'mediabunny';

const SPOKEN_OPUS = new URL('../fixtures/sprache.webm', import.meta.url);
const FORMATS: Readonly<Record<'webm' | 'ogg' | 'mp4', () => OutputFormat>> = {
  webm: () => new WebMOutputFormat(),
  ogg: () => new OggOutputFormat(),
  mp4: () => new Mp4OutputFormat(),
};
const PACKET_S = 0.06;
/** RFC 7845 §5.1. */
const PRE_SKIP_AT = 10;

/**
 * The committed Opus recording (3 s) in another container, `times` in a row. `preSkip`: samples at 48 kHz that a
 * decoder drops at the beginning.
 */
export async function makeOpusFile(
  format: keyof typeof FORMATS,
  times = 1,
  preSkip = 0,
): Promise<Uint8Array<ArrayBuffer>> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(await readFile(SPOKEN_OPUS)) });
  const track = await input.getPrimaryAudioTrack();
  if (track === null) throw new Error('the recording has no sound');
  const decoderConfig = await track.getDecoderConfig();
  const header = decoderConfig?.description;
  if (header instanceof Uint8Array)
    new DataView(header.buffer, header.byteOffset).setUint16(PRE_SKIP_AT, preSkip, true);
  const packets = await Array.fromAsync(new EncodedPacketSink(track).packets());
  const output = new Output({ format: FORMATS[format](), target: new BufferTarget() });
  const source = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(source);
  await output.start();
  for (let index = 0; index < packets.length * times; index += 1) {
    const packet = packets[index % packets.length];
    if (packet === undefined || decoderConfig === null) throw new Error('the recording is empty');
    await source.add(packet.clone({ timestamp: index * PACKET_S, duration: PACKET_S, type: 'key' }), { decoderConfig });
  }
  await output.finalize();
  input.dispose();
  return new Uint8Array(output.target.buffer ?? new ArrayBuffer());
}

export type WavOptions = Readonly<{ rate: number; channels?: number; bits?: 8 | 16 | 24 | 32; float?: boolean }>;

/** A WAV file of a sine of `hz`, half of full scale. */
export function makeSineWav(hz: number, seconds: number, options: WavOptions): Uint8Array<ArrayBuffer> {
  const { rate, channels = 1, bits = 16, float = false } = options;
  const frameBytes = (channels * bits) / 8;
  const frames = Math.round(seconds * rate);
  const file = Buffer.alloc(44 + frames * frameBytes);
  file.write('RIFF', 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(float ? 3 : 1, 20);
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * frameBytes, 28);
  file.writeUInt16LE(frameBytes, 32);
  file.writeUInt16LE(bits, 34);
  file.write('data', 36);
  file.writeUInt32LE(frames * frameBytes, 40);
  for (let frame = 0; frame < frames; frame += 1) {
    const value = 0.5 * Math.sin((2 * Math.PI * hz * frame) / rate);
    for (let channel = 0; channel < channels; channel += 1) {
      const offset = 44 + frame * frameBytes + (channel * bits) / 8;
      if (float) file.writeFloatLE(value, offset);
      else if (bits === 8) file.writeUInt8(Math.round(value * 127) + 128, offset);
      else file.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), offset, bits / 8);
    }
  }
  return new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
}
