import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** Pictures and films that say where and with what they were taken, as cameras and telephones write it. */
export type LocatedFile = Readonly<{ name: string; type: string; extension: string; bytes: Buffer }>;

const PLACE = '+48.1374+011.5755/';
const MAKER = 'Traceon Optik';
const MODEL = 'T-900 Nr. 4711';
const NOTE = 'maker note: Werk Sued, Tor 3';
const LATITUDE = rationals([48, 1], [8, 1], [1464, 100]);
const XMP = `<x:xmpmeta><exif:GPSLatitude>48,8.244N</exif:GPSLatitude><tiff:Make>${MAKER}</tiff:Make></x:xmpmeta>`;

/** What must be in no published copy. */
export const TRACES: readonly Buffer[] = [
  ...[PLACE, MAKER, MODEL, NOTE, 'GPSLatitude', '48,8.244N'].map((text) => Buffer.from(text)),
  LATITUDE,
];

export const ORIENTATION = 6;

function rationals(...values: readonly (readonly [number, number])[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [at, [over, under]] of values.entries()) {
    bytes.writeUInt32BE(over, at * 8);
    bytes.writeUInt32BE(under, at * 8 + 4);
  }
  return bytes;
}

type Entry = Readonly<{ tag: number; type: number; count: number; value: Buffer | number }>;

const ascii = (tag: number, text: string): Entry => ({
  tag,
  type: 2,
  count: text.length + 1,
  value: Buffer.from(`${text}\0`),
});

/** One directory at `at`, its long values behind it. */
function directory(at: number, entries: readonly Entry[]): Buffer {
  const table = Buffer.alloc(2 + entries.length * 12 + 4);
  table.writeUInt16BE(entries.length, 0);
  const behind: Buffer[] = [];
  let next = at + table.length;
  for (const [index, { tag, type, count, value }] of entries.entries()) {
    const place = 2 + index * 12;
    table.writeUInt16BE(tag, place);
    table.writeUInt16BE(type, place + 2);
    table.writeUInt32BE(count, place + 4);
    if (typeof value === 'number') {
      if (type === 3) table.writeUInt16BE(value, place + 8);
      else table.writeUInt32BE(value, place + 8);
    } else if (value.length <= 4) value.copy(table, place + 8);
    else {
      table.writeUInt32BE(next, place + 8);
      behind.push(value);
      next += value.length;
    }
  }
  return Buffer.concat([table, ...behind]);
}

/** A TIFF block with maker, model, orientation, a maker's note and a place. */
export function writeTiff(orientation = ORIENTATION): Buffer {
  const first = (exif: number, gps: number): Buffer =>
    directory(8, [
      ascii(0x010f, MAKER),
      ascii(0x0110, MODEL),
      { tag: 0x0112, type: 3, count: 1, value: orientation },
      { tag: 0x8769, type: 4, count: 1, value: exif },
      { tag: 0x8825, type: 4, count: 1, value: gps },
    ]);
  const exifAt = 8 + first(0, 0).length;
  const exif = directory(exifAt, [
    { tag: 0x927c, type: 7, count: NOTE.length, value: Buffer.from(NOTE) },
    ascii(0xa431, MODEL),
  ]);
  const gps = directory(exifAt + exif.length, [
    ascii(0x0001, 'N'),
    { tag: 0x0002, type: 5, count: 3, value: LATITUDE },
    ascii(0x0003, 'E'),
    { tag: 0x0004, type: 5, count: 3, value: rationals([11, 1], [34, 1], [3180, 100]) },
  ]);
  return Buffer.concat([Buffer.from('4d4d002a00000008', 'hex'), first(exifAt, exifAt + exif.length), exif, gps]);
}

const read = (name: string): Buffer => readFileSync(new URL(`../fixtures/media/${name}`, import.meta.url));

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** Exif, XMP, Photoshop's block, a comment, a second picture behind the first one and the film of a moving picture. */
export function writeJpeg(tiff = writeTiff()): Buffer {
  const plain = read('picture.jpg');
  const hidden = segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), tiff]));
  const preview = Buffer.concat([plain.subarray(0, 2), hidden, plain.subarray(2)]);
  return Buffer.concat([
    plain.subarray(0, 2),
    hidden,
    segment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${XMP}`)),
    segment(0xe2, Buffer.from(`MPF\0${MODEL}`)),
    segment(0xed, Buffer.from(`Photoshop 3.0\0${PLACE}`)),
    segment(0xfe, Buffer.from(MAKER)),
    plain.subarray(2),
    preview,
    writeFilm('mp4'),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

export function writePng(tiff = writeTiff()): Buffer {
  const plain = read('picture.png');
  return Buffer.concat([
    plain.subarray(0, 33),
    chunk('eXIf', tiff),
    chunk('tEXt', Buffer.from(`Comment\0${PLACE}`)),
    chunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${XMP}`)),
    chunk('maKr', Buffer.from(NOTE)),
    plain.subarray(33),
    Buffer.from(MODEL),
  ]);
}

function riffChunk(type: string, content: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

export function writeWebp(tiff = writeTiff()): Buffer {
  const plain = read('picture.webp');
  const flags = Buffer.from(plain);
  flags[20] = (flags[20] ?? 0) | 0x0c;
  const parts = [
    flags,
    riffChunk('EXIF', tiff),
    riffChunk('XMP ', Buffer.from(XMP)),
    riffChunk('note', Buffer.from(NOTE)),
  ];
  const whole = Buffer.concat(parts);
  whole.writeUInt32LE(whole.length - 8, 4);
  return Buffer.concat([whole, Buffer.from(MODEL)]);
}

export function writeGif(): Buffer {
  const plain = Buffer.from('R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=', 'base64');
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe, PLACE.length]), Buffer.from(PLACE), Buffer.from([0])]);
  return Buffer.concat([plain.subarray(0, 19), comment, plain.subarray(19), Buffer.from(MODEL)]);
}

export function box(type: string, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

export const numbers = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
  return bytes;
};

const handler = (type: string, name: string): Buffer =>
  box('hdlr', numbers(0, 0), Buffer.from(type), Buffer.alloc(12), Buffer.from(`${name}\0`));

/** How the samples of a track are coded: with the coder's vendor and name, and the reel of a time code. */
const DESCRIPTIONS: Readonly<Record<string, readonly Buffer[]>> = {
  vide: [
    box(
      'avc1',
      Buffer.alloc(12),
      Buffer.from('trcn'),
      Buffer.alloc(26),
      Buffer.from([MODEL.length]),
      Buffer.from(MODEL.padEnd(31, '\0')),
      Buffer.from('0018ffff', 'hex'),
      box('avcC', Buffer.from('how the frames are coded')),
    ),
  ],
  tmcd: [
    box('tmcd', Buffer.alloc(26), box('name', Buffer.from([0, MODEL.length, 0, 0]), Buffer.from(MODEL)), numbers(0)),
  ],
};

function track(type: string, chunks: readonly number[], sampleSize: number): Buffer {
  const table = box(
    'stbl',
    box('stsd', numbers(0, DESCRIPTIONS[type]?.length ?? 0), ...(DESCRIPTIONS[type] ?? [])),
    box('stsz', numbers(0, 0, chunks.length), numbers(...chunks.map(() => sampleSize))),
    box('stsc', numbers(0, 1, 1, 1, 1)),
    box('stco', numbers(0, chunks.length, ...chunks)),
  );
  const mdia = box(
    'mdia',
    box('mdhd', Buffer.alloc(24)),
    handler(type, MODEL),
    box('minf', box('vmhd', Buffer.alloc(12)), table),
  );
  return box('trak', box('tkhd', Buffer.alloc(84)), mdia, box('udta', box('\xa9mak', Buffer.from(MAKER))));
}

/** ©xyz, maker and model, Apple's keys, a camera's own box, and a track of positions between the pictures. */
export function writeFilm(brand: 'mp4' | 'qt'): Buffer {
  const ftyp = box('ftyp', Buffer.from(brand === 'mp4' ? 'isom' : 'qt  '), numbers(0x200), Buffer.from('isom'));
  const picture = Buffer.from('the frames of the film');
  const position = Buffer.from(PLACE);
  const free = box('free', Buffer.from(NOTE));
  const first = ftyp.length + free.length + 8;
  const stride = picture.length + position.length;
  const frames = Array.from({ length: 3 }, (_, at) => first + at * stride);
  const mdat = box('mdat', ...frames.flatMap(() => [picture, position]));
  const moov = box(
    'moov',
    box('mvhd', Buffer.alloc(100)),
    track('vide', frames, picture.length),
    track('tmcd', [], 0),
    track(
      'meta',
      frames.map((at) => at + picture.length),
      position.length,
    ),
    box(
      'udta',
      box('\xa9xyz', Buffer.from([0, PLACE.length, 0x15, 0xc7]), Buffer.from(PLACE)),
      box('loci', Buffer.from(PLACE)),
    ),
    box(
      'meta',
      handler('mdta', ''),
      box('keys', Buffer.from('com.apple.quicktime.location.ISO6709')),
      box('ilst', Buffer.from(PLACE)),
    ),
  );
  return Buffer.concat([
    ftyp,
    free,
    mdat,
    moov,
    box('uuid', Buffer.alloc(16), Buffer.from(XMP)),
    box('gpmd', Buffer.from(MODEL)),
  ]);
}

/** A real film in fragments, with a place in its head. */
export function writeFragmentedFilm(): Buffer {
  const plain = read('film.mp4');
  const end = plain.readUInt32BE(0);
  const moovBytes = plain.readUInt32BE(end);
  const moov = box('moov', plain.subarray(end + 8, end + moovBytes), box('udta', box('\xa9xyz', Buffer.from(PLACE))));
  return Buffer.concat([plain.subarray(0, end), moov, plain.subarray(end + moovBytes)]);
}

/** A picture of two items, its Exif and its XMP; `moved` puts the table behind the content. */
export function writeHeic(tiff = writeTiff()): Buffer {
  const picture = Buffer.from('the coded picture');
  const exif = Buffer.concat([numbers(0), tiff]);
  const xmp = Buffer.from(XMP);
  const ftyp = box('ftyp', Buffer.from('heic'), numbers(0), Buffer.from('mif1heic'));
  const item = (id: number, type: string, more = ''): Buffer =>
    box('infe', Buffer.from([2, 0, 0, 0, 0, id, 0, 0]), Buffer.from(`${type}\0${more}`));
  const meta = (base: number): Buffer => {
    const lengths = [picture.length, exif.length, xmp.length];
    const places = lengths.map((length, at) => {
      const start = base + lengths.slice(0, at).reduce((sum, one) => sum + one, 0);
      return Buffer.concat([Buffer.from([0, at + 1, 0, 0, 0, 0, 0, 1]), numbers(start, length)]);
    });
    return box(
      'meta',
      numbers(0),
      handler('pict', MAKER),
      box('pitm', numbers(0), Buffer.from([0, 1])),
      box(
        'iinf',
        numbers(0),
        Buffer.from([0, 3]),
        item(1, 'hvc1'),
        item(2, 'Exif'),
        item(3, 'mime', 'application/rdf+xml\0'),
      ),
      box(
        'iprp',
        box('ipco', box('irot', Buffer.from([3])), box('udes', Buffer.from(MODEL))),
        box('ipma', numbers(0, 0)),
      ),
      box('iloc', Buffer.from([1, 0, 0, 0, 0x44, 0x00, 0, 3]), ...places),
    );
  };
  const start = ftyp.length + meta(0).length + 8;
  return Buffer.concat([ftyp, meta(start), box('mdat', picture, exif, xmp), box('mpvd', writeFilm('mp4'))]);
}

/** An element of Matroska with a length of four bytes. */
function element(id: string, content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(id, 'hex'),
    Buffer.from([0x10, 0, content.length >> 8, content.length & 0xff]),
    content,
  ]);
}

/** A real recording whose segment has no length, with tags at its beginning and at its end. */
export function writeWebm(): Buffer {
  const plain = read('film.webm');
  const segment = plain.indexOf(Buffer.from('18538067', 'hex'));
  const head = Buffer.concat([plain.subarray(0, segment + 4), Buffer.from('01ffffffffffffff', 'hex')]);
  const tags = element('1254c367', Buffer.from(`LOCATION ${PLACE} ${MAKER}`));
  const info = element(
    '1549a966',
    Buffer.concat([element('7ba9', Buffer.from(MODEL)), element('3c83ab', Buffer.from(`${MODEL}.webm`))]),
  );
  // Programs take the name over from a camera's film, and put a checksum before it.
  const checksum = Buffer.from('bf8401020304', 'hex');
  const video = Buffer.from('838101', 'hex');
  const tracks = element(
    '1654ae6b',
    Buffer.concat([checksum, element('ae', Buffer.concat([checksum, video, element('536e', Buffer.from(MODEL))]))]),
  );
  const note = element('1941a469', Buffer.from(NOTE));
  return Buffer.concat([head, tags, info, tracks, plain.subarray(segment + 12), tags, note]);
}

export function listLocatedFiles(): readonly LocatedFile[] {
  return [
    { name: 'JPEG', type: 'image/jpeg', extension: 'jpg', bytes: writeJpeg() },
    { name: 'PNG', type: 'image/png', extension: 'png', bytes: writePng() },
    { name: 'WebP', type: 'image/webp', extension: 'webp', bytes: writeWebp() },
    { name: 'GIF', type: 'image/gif', extension: 'gif', bytes: writeGif() },
    { name: 'HEIC', type: 'image/heic', extension: 'heic', bytes: writeHeic() },
    { name: 'MP4', type: 'video/mp4', extension: 'mp4', bytes: writeFilm('mp4') },
    { name: 'MP4 in fragments', type: 'video/mp4', extension: 'mp4', bytes: writeFragmentedFilm() },
    { name: 'QuickTime', type: 'video/quicktime', extension: 'mov', bytes: writeFilm('qt') },
    { name: 'WebM', type: 'video/webm', extension: 'webm', bytes: writeWebm() },
  ];
}
