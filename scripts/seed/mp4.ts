/** H.264 units without start codes; the first frame stands for itself, each other one follows the one before. */
export type Mp4 = Readonly<{
  width: number;
  height: number;
  framesPerSecond: number;
  sps: Buffer;
  pps: Buffer;
  frames: readonly Buffer[];
}>;

const IDENTITY = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

/** The smallest file that players take (ISO/IEC 14496-12, 14496-15): one video track, one chunk. */
export function toMp4(mp4: Mp4): Buffer {
  const brand = box('ftyp', ascii('isom'), u32(512), ascii('isomiso2avc1mp41'));
  const samples = mp4.frames.map((frame) => Buffer.concat([u32(frame.length), frame]));
  const data = box('mdat', ...samples);
  const sizes = samples.map((sample) => sample.length);
  // The index stands first and names where the data begin, so its length is taken from a first draft.
  const length = index(mp4, sizes, 0).length;
  return Buffer.concat([brand, index(mp4, sizes, brand.length + length + 8), data]);
}

function index({ width, height, framesPerSecond, sps, pps }: Mp4, sizes: readonly number[], offset: number): Buffer {
  const duration = sizes.length;
  const movie = full(
    'mvhd',
    0,
    u32(0, 0, framesPerSecond, duration, 0x10000, 0x01000000, 0, 0, ...IDENTITY, 0, 0, 0, 0, 0, 0, 2),
  );
  const head = full('tkhd', 3, u32(0, 0, 1, 0, duration, 0, 0, 0, 0, ...IDENTITY, width * 65_536, height * 65_536));
  const media = box(
    'mdia',
    full('mdhd', 0, u32(0, 0, framesPerSecond, duration, 0x55c40000)),
    full('hdlr', 0, u32(0), ascii('vide'), u32(0, 0, 0), ascii('video\0')),
    box(
      'minf',
      full('vmhd', 1, u32(0, 0)),
      box('dinf', full('dref', 0, u32(1), full('url ', 1))),
      box(
        'stbl',
        full('stsd', 0, u32(1), sampleEntry(width, height, sps, pps)),
        full('stts', 0, u32(1, sizes.length, 1)),
        full('stss', 0, u32(1, 1)),
        full('stsc', 0, u32(1, 1, sizes.length, 1)),
        full('stsz', 0, u32(0, sizes.length, ...sizes)),
        full('stco', 0, u32(1, offset)),
      ),
    ),
  );
  return box('moov', movie, box('trak', head, media));
}

function sampleEntry(width: number, height: number, sps: Buffer, pps: Buffer): Buffer {
  const settings = box(
    'avcC',
    Buffer.from([1, sps[1] ?? 0, sps[2] ?? 0, sps[3] ?? 0, 0xff, 0xe1]),
    u16(sps.length),
    sps,
    Buffer.from([1]),
    u16(pps.length),
    pps,
  );
  return box(
    'avc1',
    u32(0),
    u16(0, 1),
    u32(0, 0, 0, 0),
    u16(width, height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(24, 0xffff),
    settings,
  );
}

function box(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), ascii(type), body]);
}

/** A box with version 0 and flags. */
function full(type: string, flags: number, ...content: readonly Buffer[]): Buffer {
  return box(type, u32(flags), ...content);
}

function u32(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [place, value] of values.entries()) buffer.writeUInt32BE(value, place * 4);
  return buffer;
}

function u16(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2);
  for (const [place, value] of values.entries()) buffer.writeUInt16BE(value, place * 2);
  return buffer;
}

function ascii(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
