import { findChannel } from '#contract/channels.ts';
import type { ReviewedPost } from '#contract/posts.ts';

const TIMEOUT_MS = 60_000;

/** One text a channel and the pictures in their order; `missing` counts the pictures that could not be fetched. */
export async function packReview(
  posts: readonly ReviewedPost[],
  addresses: ReadonlyMap<string, string>,
): Promise<Readonly<{ zip: Blob; missing: number }>> {
  const files: ZipFile[] = [];
  let missing = 0;
  for (const [index, post] of posts.entries()) {
    const name = `${String(index + 1).padStart(2, '0')}-${findChannel(post.channel)?.id ?? 'post'}`;
    files.push({ name: `${name}.txt`, bytes: new TextEncoder().encode(writeText(post)) });
    for (const [place, { path }] of post.pictures.entries()) {
      const bytes = await fetchPicture(addresses.get(path));
      if (bytes === undefined) missing += 1;
      else files.push({ name: `${name}-bild-${place + 1}${/\.\w{2,5}$/.exec(path)?.[0] ?? ''}`, bytes });
    }
  }
  return { zip: createZip(files, new Date()), missing };
}

function writeText({ body, pictures }: ReviewedPost): string {
  const described = pictures.map(({ alt }, place) => `Bild ${place + 1}: ${alt}`);
  return `${[body, ...(described.length === 0 ? [] : [described.join('\n')])].join('\n\n')}\n`.replaceAll(
    /\r?\n/g,
    '\r\n',
  );
}

async function fetchPicture(url: string | undefined): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (url === undefined) return undefined;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
  } catch {
    return undefined;
  }
}

/** A ZIP archive without compression: pictures have their own, and texts are short. */
type ZipFile = Readonly<{ name: string; bytes: Uint8Array<ArrayBuffer> }>;

const LOCAL_HEADER = 0x0403_4b50;
const DIRECTORY_HEADER = 0x0201_4b50;
const DIRECTORY_END = 0x0605_4b50;
const VERSION = 20;

/** Names are UTF-8. */
const FLAGS = 0x0800;

export function createZip(files: readonly ZipFile[], now: Date): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const encoded = new TextEncoder().encode(name);
    const common = [
      ...short(VERSION, FLAGS, 0, toDosTime(now), toDosDate(now)),
      ...long(crc32(bytes), bytes.length, bytes.length),
    ];
    const names = short(encoded.length, 0);
    const header = Uint8Array.from([...long(LOCAL_HEADER), ...common, ...names, ...encoded]);
    const attributes = [...short(0, 0, 0), ...long(0, offset)];
    directory.push(
      Uint8Array.from([...long(DIRECTORY_HEADER), ...short(VERSION), ...common, ...names, ...attributes, ...encoded]),
    );
    parts.push(header, bytes);
    offset += header.length + bytes.length;
  }
  const size = directory.reduce((sum, entry) => sum + entry.length, 0);
  const end = [...long(DIRECTORY_END), ...short(0, 0, files.length, files.length), ...long(size, offset), ...short(0)];
  return new Blob([...parts, ...directory, Uint8Array.from(end)], { type: 'application/zip' });
}

const short = (...values: readonly number[]): number[] =>
  values.flatMap((value) => [value & 0xff, (value >> 8) & 0xff]);

const long = (...values: readonly number[]): number[] =>
  values.flatMap((value) => short(value & 0xffff, (value >>> 16) & 0xffff));

const toDosTime = (now: Date): number => (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1);

const toDosDate = (now: Date): number =>
  ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate();

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffff_ffff) >>> 0;
}
