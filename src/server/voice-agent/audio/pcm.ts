/** All audio here is 16-bit little-endian mono PCM, unless stated otherwise. */
export const BYTES_PER_SAMPLE = 2;

export function pcmDurationMs(bytes: number, sampleRate: number): number {
  return (bytes / BYTES_PER_SAMPLE / sampleRate) * 1000;
}

export function pcmToFloats(pcm: Uint8Array): Float32Array {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  return Float32Array.from({ length: pcm.byteLength >> 1 }, (_, at) => view.getInt16(at * 2, true) / 32_768);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The beginning of files that are not PCM: WAV, Ogg, FLAC, MP3 with tags, WebM, MP4. */
// oxlint-disable-next-line no-control-regex -- WebM begins with one
const CONTAINER = /^(?:RIFF|OggS|fLaC|ID3|\u001aE\u00df\u00a3|[^]{4}ftyp)/;

/** A frame of MP3 or AAC. Speech begins near silence, so only later samples look like that. */
const COMPRESSED = /^\u00ff[\u00e2\u00e3\u00f1-\u00f3\u00f9-\u00fb]/;

/** Whether audio that should be PCM begins as a file of another format. */
export function isOtherFormat(beginning: Buffer): boolean {
  const text = beginning.toString('latin1', 0, 12);
  return CONTAINER.test(text) || COMPRESSED.test(text);
}

/** Decodes a client's chunk; undefined where it is no base64, has half a sample, or is a file of another format. */
export function decodeChunk(base64: string): Buffer | undefined {
  if (base64.length % 4 !== 0 || !BASE64.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length % BYTES_PER_SAMPLE !== 0) return undefined;
  return CONTAINER.test(bytes.toString('latin1', 0, 12)) ? undefined : bytes;
}

/** Wraps PCM in a WAV file for transcription services. */
export function encodeWav(pcm: Uint8Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(44 + pcm.byteLength);
  const view = new DataView(file.buffer);
  const mark = (at: number, text: string): void => void new TextEncoder().encodeInto(text, file.subarray(at));
  mark(0, 'RIFF');
  view.setUint32(4, 36 + pcm.byteLength, true);
  mark(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * BYTES_PER_SAMPLE, true);
  view.setUint16(32, BYTES_PER_SAMPLE, true);
  view.setUint16(34, 16, true);
  mark(36, 'data');
  view.setUint32(40, pcm.byteLength, true);
  file.set(pcm, 44);
  return file;
}

/** A first-in, first-out queue of bytes that copies no byte twice. */
export function createByteQueue() {
  let pieces: Uint8Array[] = [];
  let size = 0;
  return {
    push: (bytes: Uint8Array): void => {
      pieces.push(bytes);
      size += bytes.length;
    },
    size: (): number => size,
    /** The oldest `count` bytes, or all where there are fewer. */
    take: (count: number): Buffer => {
      const taken: Uint8Array[] = [];
      let missing = Math.min(count, size);
      size -= missing;
      let used = 0;
      for (const piece of pieces) {
        if (missing === 0) break;
        const part = piece.subarray(0, missing);
        taken.push(part);
        missing -= part.length;
        if (part.length < piece.length) pieces[used] = piece.subarray(part.length);
        else used += 1;
      }
      pieces = pieces.slice(used);
      return Buffer.concat(taken);
    },
  };
}

export type ByteQueue = ReturnType<typeof createByteQueue>;
