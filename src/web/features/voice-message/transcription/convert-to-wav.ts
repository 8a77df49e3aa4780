const SAMPLE_RATE = 16_000;
const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;

/** Decodes a recording as this browser can play it. Rejects where it cannot. */
export type DecodeAudio = (bytes: ArrayBuffer) => Promise<Pick<AudioBuffer, 'numberOfChannels' | 'getChannelData'>>;

/** The decoder brings the sound to the sample rate of its context. */
const decodeInBrowser: DecodeAudio = (bytes) => new OfflineAudioContext(1, 1, SAMPLE_RATE).decodeAudioData(bytes);

/** A recording as 16 kHz mono WAV, for a server that does not read its type. Rejects where the browser cannot. */
export async function convertToWav(recording: Blob, decode: DecodeAudio = decodeInBrowser): Promise<Blob> {
  const sound = await decode(await recording.arrayBuffer());
  const channels = Array.from({ length: sound.numberOfChannels }, (_, at) => sound.getChannelData(at));
  const length = channels[0]?.length ?? 0;
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + length * BYTES_PER_SAMPLE));
  writeHeader(view, length * BYTES_PER_SAMPLE);
  for (let at = 0; at < length; at += 1) {
    const mean = channels.reduce((sum, channel) => sum + (channel[at] ?? 0), 0) / channels.length;
    view.setInt16(HEADER_BYTES + at * BYTES_PER_SAMPLE, Math.max(-1, Math.min(1, mean)) * 32_767, true);
  }
  return new Blob([view.buffer], { type: 'audio/wav' });
}

function writeHeader(view: DataView, bytes: number): void {
  const mark = (at: number, text: string): void =>
    void new TextEncoder().encodeInto(text, new Uint8Array(view.buffer, at));
  mark(0, 'RIFF');
  view.setUint32(4, HEADER_BYTES - 8 + bytes, true);
  mark(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, SAMPLE_RATE, true);
  view.setUint32(28, SAMPLE_RATE * BYTES_PER_SAMPLE, true);
  view.setUint16(32, BYTES_PER_SAMPLE, true);
  view.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
  mark(36, 'data');
  view.setUint32(40, bytes, true);
}
