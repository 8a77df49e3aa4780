import { copyCanvas, gear, paint, type Canvas } from './canvas.ts';
import { toMp4 } from './mp4.ts';
import { drawScene, type Scene } from './scenes.ts';

const WIDTH = 480;
const HEIGHT = 272;
const FRAMES_PER_SECOND = 6;
const SECONDS = 4;
const BLOCK = 16;

/** An MP4 of four seconds in which two wheels turn before a scene. */
export function film(scene: Scene, seed: number): Buffer {
  const background = drawScene(scene, seed, WIDTH, HEIGHT);
  const frames: Buffer[] = [];
  let before: Picture | undefined;
  for (let frame = 0; frame < FRAMES_PER_SECOND * SECONDS; frame += 1) {
    const canvas = copyCanvas(background);
    const turn = frame * 0.12;
    paint(canvas, gear(400, 48, 30, 12, turn), [70, 82, 100]);
    paint(canvas, gear(444, 62, 14, 6, -turn * 2 + 0.4), [236, 142, 44]);
    const picture = toPicture(canvas);
    frames.push(slice(picture, before, frame));
    before = picture;
  }
  const shape = { width: WIDTH, height: HEIGHT, framesPerSecond: FRAMES_PER_SECOND };
  return toMp4({ ...shape, sps: sequenceParameters(), pps: pictureParameters(), frames });
}

/** The 384 bytes of each block of 16 by 16 pixels: luma, then both colours at half the size (BT.601). */
type Picture = readonly Buffer[];

function toPicture({ width, height, pixels }: Canvas): Picture {
  const blocks: Buffer[] = [];
  const at = (x: number, y: number, part: number): number => pixels[(y * width + x) * 3 + part] ?? 0;
  const weigh = (x: number, y: number, base: number, [r, g, b]: readonly [number, number, number]): number =>
    Math.round(base + (r * at(x, y, 0) + g * at(x, y, 1) + b * at(x, y, 2)) / 256);
  for (let top = 0; top < height; top += BLOCK)
    for (let left = 0; left < width; left += BLOCK) {
      const block = Buffer.alloc(384);
      for (let place = 0; place < 256; place += 1)
        block[place] = weigh(left + (place % 16), top + Math.floor(place / 16), 16, [66, 129, 25]);
      for (let place = 0; place < 64; place += 1) {
        const [x, y] = [left + (place % 8) * 2, top + Math.floor(place / 8) * 2];
        block[256 + place] = weigh(x, y, 128, [-38, -74, 112]);
        block[320 + place] = weigh(x, y, 128, [112, -94, -18]);
      }
      blocks.push(block);
    }
  return blocks;
}

/**
 * H.264 without compression: a changed block is stored as it is (I_PCM), an unchanged one is skipped (ITU-T H.264
 * 7.3.4).
 */
function slice(picture: Picture, before: Picture | undefined, frame: number): Buffer {
  const first = before === undefined;
  const bits = newBits();
  bits
    .ue(0)
    .ue(first ? 7 : 5)
    .ue(0)
    .u(4, frame % 16);
  // First: idr_pic_id and two flags of its marking. Later: three flags, none of them set.
  if (first) bits.ue(0).u(2, 0);
  else bits.u(3, 0);
  bits.ue(0).ue(1);
  let skipped = 0;
  for (const [index, block] of picture.entries()) {
    if (before?.[index]?.equals(block) === true) {
      skipped += 1;
      continue;
    }
    if (!first) bits.ue(skipped);
    skipped = 0;
    bits
      .ue(first ? 25 : 30)
      .align()
      .bytes(block);
  }
  if (skipped > 0) bits.ue(skipped);
  return unit(first ? 0x65 : 0x41, bits.end());
}

function sequenceParameters(): Buffer {
  const bits = newBits().u(8, 66).u(8, 0xc0).u(8, 30);
  bits
    .ue(0)
    .ue(0)
    .ue(2)
    .ue(1)
    .u(1, 0)
    .ue(WIDTH / BLOCK - 1)
    .ue(HEIGHT / BLOCK - 1)
    .u(4, 0b1100);
  return unit(0x67, bits.end());
}

function pictureParameters(): Buffer {
  // The last three bits: deblocking is controlled by each slice, which switches it off.
  const bits = newBits().ue(0).ue(0).u(2, 0).ue(0).ue(0).ue(0).u(3, 0).ue(0).ue(0).ue(0).u(3, 0b100);
  return unit(0x68, bits.end());
}

/** Three bytes that would look like the start of another unit get a byte between them. */
function unit(header: number, payload: Buffer): Buffer {
  const out: number[] = [header];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      out.push(3);
      zeros = 0;
    }
    out.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(out);
}

type Bits = Readonly<{
  u: (length: number, value: number) => Bits;
  /** Exp-Golomb; a signed 0 is written alike. */
  ue: (value: number) => Bits;
  align: () => Bits;
  bytes: (bytes: Buffer) => Bits;
  end: () => Buffer;
}>;

function newBits(): Bits {
  const out: number[] = [];
  let byte = 0;
  let filled = 0;
  const push = (bit: number): void => {
    byte = (byte << 1) | bit;
    filled += 1;
    if (filled < 8) return;
    out.push(byte);
    [byte, filled] = [0, 0];
  };
  const bits: Bits = {
    u: (length, value) => {
      for (let place = length - 1; place >= 0; place -= 1) push((value >> place) & 1);
      return bits;
    },
    ue: (value) => {
      const length = Math.floor(Math.log2(value + 1));
      return bits.u(length, 0).u(length + 1, value + 1);
    },
    align: () => {
      while (filled !== 0) push(0);
      return bits;
    },
    bytes: (bytes) => {
      for (const each of bytes) out.push(each);
      return bits;
    },
    end: () => {
      push(1);
      bits.align();
      return Buffer.from(out);
    },
  };
  return bits;
}
