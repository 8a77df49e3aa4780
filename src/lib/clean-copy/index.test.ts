import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listCrowdedFiles, writeFilmOfTracks } from '#tests/support/crowded-media.ts';
import {
  box,
  listLocatedFiles,
  ORIENTATION,
  TRACES,
  writeFilm,
  writeHeic,
  writeJpeg,
  writePng,
  writeTiff,
  writeWebm,
  writeWebp,
} from '#tests/support/located-media.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { readOrientation } from './jpeg.ts';
import { applyEdits, createFileReader, measureEdited, planCleanCopy, UncleanableError } from './index.ts';

const readFixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../tests/fixtures/media/${name}`, import.meta.url));

function open(bytes: Buffer) {
  return createFileReader(bytes.length, async (at, length) => bytes.subarray(at, at + length));
}

async function clean(bytes: Buffer, pieceBytes = 7): Promise<Buffer> {
  const edits = await planCleanCopy(open(bytes));
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  };
  const cleaned = Buffer.concat(await Array.fromAsync(applyEdits(pieces(), edits)));
  expect(cleaned.length).toBe(measureEdited(bytes.length, edits));
  return cleaned;
}

const findTraces = (bytes: Buffer): string[] => TRACES.filter((trace) => bytes.includes(trace)).map(String);

function ignoreRefusal(error: unknown): string[] {
  if (error instanceof UncleanableError) return [];
  throw error;
}

describe('place and device data (published copies)', () => {
  test.each(listLocatedFiles())('$name: is in the original and not in the copy', async ({ bytes }) => {
    expect(findTraces(bytes)).not.toEqual([]);
    expect(findTraces(await clean(bytes))).toEqual([]);
  });

  test.each(listLocatedFiles())('$name: a clean copy is cleaned again without a change', async ({ bytes }) => {
    const once = await clean(bytes);
    expect((await clean(once)).equals(once)).toBe(true);
  });

  test.each(listLocatedFiles())('$name: pieces of any length give the same copy', async ({ bytes }) => {
    const whole = await clean(bytes, bytes.length);
    for (const length of [1, 3, 64]) expect((await clean(bytes, length)).equals(whole)).toBe(true);
  });

  test('JPEG: is the plain picture again, with its colour profile and a minimal orientation', async () => {
    const plain = readFixture('picture.jpg');
    const cleaned = await clean(writeJpeg());
    const exif = cleaned.indexOf('Exif\0\0');
    expect(readOrientation(cleaned.subarray(exif + 6))).toBe(ORIENTATION);
    expect(Buffer.concat([cleaned.subarray(0, 2), cleaned.subarray(exif + 6 + 26)]).equals(plain)).toBe(true);
    expect((await clean(writeJpeg(writeTiff(1)))).equals(plain)).toBe(true);
  });

  test('JPEG: loses the thumbnail of its JFIF segment', async () => {
    const plain = readFixture('picture.jpg');
    const thumbnail = Buffer.concat([plain.subarray(6, 18), Buffer.from([1, 1]), Buffer.from('RGB')]);
    const head = Buffer.from([0xff, 0xe0, 0, thumbnail.length + 2]);
    const withThumbnail = Buffer.concat([plain.subarray(0, 2), head, thumbnail, plain.subarray(20)]);
    expect((await clean(withThumbnail)).equals(plain)).toBe(true);
  });

  test('PNG and WebP: keep the orientation and nothing else', async () => {
    const png = await clean(writePng());
    expect(readOrientation(png.subarray(png.indexOf('eXIf') + 4))).toBe(ORIENTATION);
    expect((await clean(writePng(writeTiff(1)))).equals(readFixture('picture.png'))).toBe(true);
    const webp = await clean(writeWebp());
    expect(readOrientation(webp.subarray(webp.indexOf('EXIF') + 8))).toBe(ORIENTATION);
    expect(webp.readUInt32LE(4)).toBe(webp.length - 8);
    expect((await clean(writeWebp(writeTiff(1)))).equals(readFixture('picture.webp'))).toBe(true);
  });

  test('MP4, QuickTime, HEIC: every byte of picture and sound stays where it was', async () => {
    for (const [bytes, kept] of [
      [writeFilm('mp4'), 'the frames of the film'],
      [writeHeic(), 'the coded picture'],
    ] as const) {
      const cleaned = await clean(bytes);
      expect(cleaned.length).toBe(bytes.length);
      for (let at = bytes.indexOf(kept); at >= 0; at = bytes.indexOf(kept, at + 1))
        if (at < bytes.indexOf('mpvd') || !bytes.includes('mpvd'))
          expect(cleaned.subarray(at, at + kept.length).toString()).toBe(kept);
    }
  });
});

test('MP4, QuickTime: names of coder and reel go, and how the frames are coded stays (published copies)', async () => {
  const film = writeFilm('qt');
  const cleaned = await clean(film);
  const description = film.indexOf('avc1');
  expect(film.subarray(description, film.indexOf('avcC')).includes('T-900')).toBe(true);
  expect(cleaned.subarray(description + 4, cleaned.indexOf('avcC') - 8)).toEqual(Buffer.alloc(74));
  for (const kept of ['avc1', '\0\x18\xff\xff', 'how the frames are coded'])
    expect(cleaned.indexOf(kept, description, 'latin1')).toBe(film.indexOf(kept, description, 'latin1'));
  const reel = film.indexOf('name', description);
  expect(cleaned.readUInt32BE(reel - 4)).toBe(film.readUInt32BE(reel - 4) + 4);
  expect(cleaned.toString('latin1', reel, reel + 4)).toBe('free');
});

test('WebM: the name of a track goes with the checksum over it, and the tracks stay (published copies)', async () => {
  const cleaned = await clean(writeWebm());
  expect(cleaned.includes(Buffer.from('bf8401020304', 'hex'))).toBe(false);
  const plain = readFixture('film.webm');
  expect(cleaned.includes(plain.subarray(plain.lastIndexOf(Buffer.from('1654ae6b', 'hex'))))).toBe(true);
});

test.each([
  ['subtitles', '838111'],
  ['metadata', '838121'],
  ['a type of two bytes', '83820101'],
  ['no type', 'ec8101'],
])('WebM: a film with a track of %s is refused (published copies)', async (_, type) => {
  const film = writeWebm();
  const segment = film.indexOf(Buffer.from('18538067', 'hex')) + 12;
  const entry = Buffer.from(type, 'hex');
  const track = Buffer.from([0x16, 0x54, 0xae, 0x6b, 0x82 + entry.length, 0xae, 0x80 + entry.length, ...entry]);
  const more = Buffer.concat([film.subarray(0, segment), track, film.subarray(segment)]);
  await expect(clean(more)).rejects.toThrow(UncleanableError);
});

describe('files that lie (published copies)', () => {
  const refuse = (bytes: Buffer) => expect(clean(bytes)).rejects.toThrow(UncleanableError);

  test('Refuses what is no known picture or film', async () => {
    for (const text of ['', 'x', '<svg/>', '%PDF-1.7', 'II*\0', 'BM', 'RIFF\0\0\0\0WAVE'])
      await refuse(Buffer.from(text));
  });

  test('Refuses boxes that end behind their parent or before they begin, or leaves no trace', async () => {
    const film = writeFilm('mp4');
    for (const type of ['moov', 'trak', 'mdia', 'udta', 'stbl', 'stsz']) {
      for (const size of [0, 1, 4, 0x7fffffff, 0xffffffff]) {
        const lying = Buffer.from(film);
        lying.writeUInt32BE(size, film.indexOf(type) - 4);
        expect(await clean(lying).then(findTraces, ignoreRefusal)).toEqual([]);
      }
    }
  });

  test('Refuses a table of more samples, places or extents than the file has', async () => {
    const film = writeFilm('mp4');
    const stsz = film.lastIndexOf('stsz');
    const lying = Buffer.from(film);
    lying.writeUInt32BE(0xffffffff, stsz + 12);
    await refuse(lying);
    const picture = writeHeic();
    const iloc = picture.indexOf('iloc');
    const table = Buffer.from(picture);
    table.writeUInt16BE(0xffff, iloc + 10);
    await refuse(table);
  });

  test('Ends soon where places need no bytes and are said to be many', async () => {
    const places = Array.from({ length: 9_000 }, () => Buffer.from([0, 9, 0, 0, 0xff, 0xff]));
    const iloc = box('iloc', Buffer.from([0, 0, 0, 0, 0, 0, 0x23, 0x28]), ...places);
    const meta = box(
      'meta',
      Buffer.alloc(4),
      box('hdlr', Buffer.alloc(8), Buffer.from('pict'), Buffer.alloc(13)),
      box('iinf', Buffer.alloc(6)),
      iloc,
    );
    await refuse(Buffer.concat([box('ftyp', Buffer.from('heic')), meta]));
  });

  test('Refuses a JPEG without a picture, cut in its head, or with an unknown segment', async () => {
    const picture = writeJpeg();
    await refuse(Buffer.from([0xff, 0xd8, 0xff, 0xd9]));
    await refuse(picture.subarray(0, 100));
    await refuse(Buffer.concat([picture.subarray(0, 2), Buffer.from([0xff, 0x10]), picture.subarray(2)]));
  });

  test.each([
    ['cut off', writeTiff().subarray(0, 30)],
    ['of noise', Buffer.alloc(400, 0xa7)],
    ['with more entries than bytes', Buffer.from('4d4d002a00000008ffff0112', 'hex')],
    ['whose directory lies outside', Buffer.from('49492a00ffffff7f', 'hex')],
    ['empty', Buffer.alloc(0)],
  ])('A picture with an Exif block %s is shown upright and tells nothing', async (_, tiff) => {
    const cleaned = await clean(writeJpeg(tiff));
    expect(findTraces(cleaned)).toEqual([]);
    expect(cleaned.equals(await clean(readFixture('picture.jpg')))).toBe(true);
  });

  test('Ends soon on a hundred million picture points in one scan', async () => {
    const plain = readFixture('picture.jpg');
    const scan = Buffer.alloc(20_000_000, 0x5a);
    const large = Buffer.concat([plain.subarray(0, -2), scan, plain.subarray(-2), Buffer.from(writeTiff())]);
    expect(findTraces(await clean(large, 65_536))).toEqual([]);
  });

  test('Never fails in another way than by refusing, whatever bytes are others or missing', async () => {
    const random = seededRandom(20_261_122);
    for (const { bytes } of listLocatedFiles()) {
      for (let round = 0; round < 300; round += 1) {
        const broken = Buffer.from(
          bytes.subarray(0, round % 3 === 0 ? Math.floor(random() * bytes.length) : bytes.length),
        );
        for (let change = 0; change < 1 + (round % 4) && broken.length > 0; change += 1)
          broken[Math.floor(random() * broken.length)] = Math.floor(random() * 256);
        await clean(broken, 4_096).catch(ignoreRefusal);
      }
    }
  });
});

describe('files of very many parts (published copies)', () => {
  const MOST_TURNS = 2_000;
  const SECONDS = 2 * 3_600;
  const repeat = (part: Buffer, times: number): Buffer => Buffer.alloc(part.length * times, part);

  /** How often an immediate gets its turn while the file is looked at. */
  async function countTurns(bytes: Buffer): Promise<number> {
    let turns = 0;
    let next: NodeJS.Immediate;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    next = setImmediate(count);
    await planCleanCopy(open(bytes)).catch(ignoreRefusal);
    clearImmediate(next);
    return turns;
  }

  test.each(listCrowdedFiles(1_000_000))(
    '$name: others get their turn, and the work has an end',
    async ({ bytes, turns }) => {
      const had = await countTurns(bytes);
      expect(had).toBeGreaterThanOrEqual(turns);
      // What one file may take at most, whatever its size.
      expect(had).toBeLessThanOrEqual(MOST_TURNS);
    },
  );

  test('Refuses a file of more parts than any real one has', async () => {
    const parts = repeat(Buffer.from('ff01', 'hex'), 500_000);
    const picture = readFixture('picture.jpg');
    const crowded = Buffer.concat([picture.subarray(0, 2), parts, picture.subarray(2)]);
    await expect(clean(crowded)).rejects.toThrow('too many parts');
  });

  test('Ends soon where four hundred tracks have a million samples each that need no bytes', async () => {
    expect((await clean(writeFilmOfTracks(400), 65_536)).includes('trak')).toBe(false);
  });

  test('Looks through two hours of a film whose clusters have no length, as browsers record it', async () => {
    const film = readFixture('film.webm');
    const head = film.subarray(0, film.indexOf(Buffer.from('18538067', 'hex')) + 4);
    const block = Buffer.from('a3858100008000', 'hex');
    const cluster = Buffer.concat([Buffer.from('1f43b67501ffffffffffffffe78101', 'hex'), repeat(block, 60 + 50)]);
    const whole = Buffer.concat([head, Buffer.from('01ffffffffffffff', 'hex'), repeat(cluster, SECONDS)]);
    expect((await clean(whole, 65_536)).equals(whole)).toBe(true);
  });

  test('Looks through two hours of a film in fragments of a second', async () => {
    const film = await clean(readFixture('film.mp4'));
    const track = box('traf', box('tfhd'), box('tfdt'), box('trun'));
    const fragment = Buffer.concat([box('sidx'), box('moof', box('mfhd'), track, track), box('mdat')]);
    const whole = Buffer.concat([film, repeat(fragment, SECONDS)]);
    expect((await clean(whole, 65_536)).equals(whole)).toBe(true);
  });
});
