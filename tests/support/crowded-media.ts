import { readFileSync } from 'node:fs';
import { box, numbers, type LocatedFile } from './located-media.ts';

/** `turns`: how often others must get their turn at least while the file is looked at. */
export type CrowdedFile = LocatedFile & Readonly<{ turns: number }>;

const fill = (part: Buffer, bytes: number): Buffer => Buffer.alloc(bytes - (bytes % part.length), part);
const hex = (digits: string): Buffer => Buffer.from(digits, 'hex');
const readJpeg = (): Buffer => readFileSync(new URL('../fixtures/media/picture.jpg', import.meta.url));
const ftyp = (brand: string): Buffer => box('ftyp', Buffer.from(brand), numbers(0), Buffer.from(brand));

function writeJpeg(head: Buffer, scan: Buffer): Buffer {
  const plain = readJpeg();
  return Buffer.concat([plain.subarray(0, 2), head, plain.subarray(2, -2), scan, plain.subarray(-2)]);
}

/** A head with the type that the upload recognises, then a segment without a length. */
function writeWebm(...content: readonly Buffer[]): Buffer {
  return Buffer.concat([hex('1a45dfa3874282847765626d'), hex('1853806701ffffffffffffff'), ...content]);
}

function writeInfo(content: Buffer): Buffer {
  const head = hex('1549a96610000000');
  head.writeUInt32BE(0x10000000 + content.length, 4);
  return Buffer.concat([head, content]);
}

function writeWebp(content: Buffer): Buffer {
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  head.writeUInt32LE(content.length + 4, 4);
  return Buffer.concat([head, content]);
}

/** A track of data whose million samples of one byte need no table. */
function writeTrack(at: number): Buffer {
  const table = [
    box('stsz', numbers(0, 1, 1_000_000)),
    box('stsc', numbers(0, 1, 1, 1_000_000, 1)),
    box('stco', numbers(0, 1, at)),
  ];
  const handler = box('hdlr', numbers(0, 0), Buffer.from('meta'));
  return box('trak', box('mdia', handler, box('minf', box('stbl', ...table))));
}

export function writeFilmOfTracks(count: number): Buffer {
  const head = ftyp('isom');
  const mdat = box('mdat', Buffer.alloc(1_000_000));
  return Buffer.concat([head, mdat, box('moov', fill(writeTrack(head.length + 8), count * writeTrack(0).length))]);
}

/** Tables of 65,535 places each that need no bytes. */
function writePlaces(count: number): Buffer {
  const handler = box('hdlr', Buffer.alloc(8), Buffer.from('pict'), Buffer.alloc(13));
  const iloc = box('iloc', hex('00000000000000010001'), hex('0000ffff'));
  const meta = box('meta', numbers(0), handler, box('iinf', Buffer.alloc(6)), iloc);
  return Buffer.concat([ftyp('heic'), fill(meta, count * meta.length)]);
}

const jpeg = (name: string, turns: number, head: Buffer, scan: Buffer): CrowdedFile => ({
  name: `JPEG of ${name}`,
  type: 'image/jpeg',
  extension: 'jpg',
  bytes: writeJpeg(head, scan),
  turns,
});
const webm = (name: string, turns: number, content: Buffer): CrowdedFile => ({
  name: `WebM of ${name}`,
  type: 'video/webm',
  extension: 'webm',
  bytes: writeWebm(content),
  turns,
});
const mp4 = (name: string, turns: number, content: Buffer): CrowdedFile => ({
  name: `MP4 of ${name}`,
  type: 'video/mp4',
  extension: 'mp4',
  bytes: Buffer.concat([ftyp('isom'), content]),
  turns,
});

/**
 * Pictures and films of so many tiny parts that looking at each keeps a server busy. Each has about `bytes`, four times
 * as many where a part takes little time. The turns are those of a million bytes.
 */
export function listCrowdedFiles(bytes: number): readonly CrowdedFile[] {
  const none = Buffer.alloc(0);
  const chunk = Buffer.from('\0\0\0\0IDAT\0\0\0\0', 'latin1');
  const png = Buffer.concat([
    hex('89504e470d0a1a0a'),
    numbers(13),
    Buffer.from('IHDR'),
    Buffer.alloc(17),
    fill(chunk, bytes),
  ]);
  const gif = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1');
  const image = hex('2c000000000000000000');
  const blocks = Buffer.concat([gif, image, hex('08'), fill(hex('0100'), 4 * bytes), hex('003b')]);
  const images = Buffer.concat([gif, fill(Buffer.concat([image, hex('0800')]), bytes), hex('3b')]);
  return [
    jpeg('stuffed bytes', 7, none, fill(hex('ff00'), 4 * bytes)),
    jpeg('fill bytes', 7, fill(hex('ff'), 4 * bytes), none),
    jpeg('markers in its head', 200, fill(hex('ff01'), bytes), none),
    jpeg('empty segments', 200, fill(hex('ffe50002'), bytes), none),
    { name: 'PNG of empty chunks', type: 'image/png', extension: 'png', bytes: png, turns: 200 },
    { name: 'GIF of tiny blocks', type: 'image/gif', extension: 'gif', bytes: blocks, turns: 7 },
    { name: 'GIF of empty images', type: 'image/gif', extension: 'gif', bytes: images, turns: 200 },
    {
      name: 'WebP of empty chunks',
      type: 'image/webp',
      extension: 'webp',
      bytes: writeWebp(fill(Buffer.from('VP8 \0\0\0\0', 'latin1'), bytes)),
      turns: 200,
    },
    { name: 'HEIC of places', type: 'image/heic', extension: 'heic', bytes: writePlaces(60), turns: 59 },
    webm('times', 100, fill(hex('e780'), bytes)),
    webm('empty clusters', 200, fill(hex('1f43b67580'), bytes)),
    webm('empty texts', 200, writeInfo(fill(hex('448980'), bytes))),
    mp4('empty boxes', 200, fill(box('mdat'), bytes)),
    mp4('fragments', 200, fill(box('moof', box('mfhd')), bytes)),
  ];
}
