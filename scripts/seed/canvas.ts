import { crc32, deflateSync } from 'node:zlib';

export type Colour = readonly [red: number, green: number, blue: number];
/** Signed distance to the edge in pixels; negative inside. */
export type Shape = Readonly<{
  box: readonly [x0: number, y0: number, x1: number, y1: number];
  at: (x: number, y: number) => number;
}>;

/** A picture of RGB bytes that shapes are painted on. */
export type Canvas = Readonly<{ width: number; height: number; pixels: Uint8Array }>;

export function newCanvas(width: number, height: number, top: Colour, bottom: Colour): Canvas {
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    const row = mix(top, bottom, y / height);
    for (let x = 0; x < width; x += 1) pixels.set(row, (y * width + x) * 3);
  }
  return { width, height, pixels };
}

export function copyCanvas(canvas: Canvas): Canvas {
  return { ...canvas, pixels: canvas.pixels.slice() };
}

/** Edges are one pixel soft. */
export function paint({ width, height, pixels }: Canvas, { box, at }: Shape, colour: Colour, opacity = 1): void {
  const [x0, y0, x1, y1] = box;
  for (let y = Math.max(0, Math.floor(y0)); y < Math.min(height, y1 + 1); y += 1)
    for (let x = Math.max(0, Math.floor(x0)); x < Math.min(width, x1 + 1); x += 1) {
      const cover = Math.min(1, Math.max(0, 0.5 - at(x + 0.5, y + 0.5))) * opacity;
      if (cover === 0) continue;
      const place = (y * width + x) * 3;
      for (const [part, value] of colour.entries())
        pixels[place + part] = (pixels[place + part] ?? 0) * (1 - cover) + value * cover;
    }
}

export function circle(x: number, y: number, radius: number): Shape {
  return { box: around(x, y, radius), at: (px, py) => Math.hypot(px - x, py - y) - radius };
}

export function ring(x: number, y: number, radius: number, thickness: number): Shape {
  const half = thickness / 2;
  return { box: around(x, y, radius + half), at: (px, py) => Math.abs(Math.hypot(px - x, py - y) - radius) - half };
}

/** A rectangle by its corner, with round corners. */
export function panel(x: number, y: number, width: number, height: number, corner = 0): Shape {
  const [cx, cy] = [x + width / 2, y + height / 2];
  const at = (px: number, py: number): number => {
    const dx = Math.abs(px - cx) - width / 2 + corner;
    const dy = Math.abs(py - cy) - height / 2 + corner;
    return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - corner;
  };
  return { box: [x, y, x + width, y + height], at };
}

/** A line with round ends. */
export function beam(x0: number, y0: number, x1: number, y1: number, thickness: number): Shape {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = dx * dx + dy * dy || 1;
  const half = thickness / 2;
  const at = (px: number, py: number): number => {
    const along = Math.min(1, Math.max(0, ((px - x0) * dx + (py - y0) * dy) / length));
    return Math.hypot(px - x0 - along * dx, py - y0 - along * dy) - half;
  };
  const box = [Math.min(x0, x1) - half, Math.min(y0, y1) - half, Math.max(x0, x1) + half, Math.max(y0, y1) + half];
  return { box: box as [number, number, number, number], at };
}

/** A toothed wheel; `turn` in radians. */
export function gear(x: number, y: number, radius: number, teeth: number, turn = 0): Shape {
  const depth = radius * 0.12;
  const at = (px: number, py: number): number => {
    const wave = Math.sin((Math.atan2(py - y, px - x) + turn) * teeth);
    const edge = radius + depth * Math.max(-1, Math.min(1, wave * 2.2));
    return Math.max(Math.hypot(px - x, py - y) - edge, radius * 0.22 - Math.hypot(px - x, py - y));
  };
  return { box: around(x, y, radius + depth), at };
}

function around(x: number, y: number, reach: number): [number, number, number, number] {
  return [x - reach, y - reach, x + reach, y + reach];
}

export function mix(from: Colour, to: Colour, share: number): Colour {
  const part = (index: 0 | 1 | 2): number => from[index] + (to[index] - from[index]) * share;
  return [part(0), part(1), part(2)];
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const RGB_8_BIT = [8, 2, 0, 0, 0];

export function toPng({ width, height, pixels }: Canvas): Buffer {
  const stride = width * 3;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y += 1) rows.set(pixels.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(RGB_8_BIT, 8);
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([PNG_SIGNATURE, ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
