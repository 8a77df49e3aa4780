import { findChannel } from '#contract/channels.ts';
import type { ReviewedPost } from '#contract/posts.ts';
import { createZip, type ZipFile } from './zip.ts';

const TIMEOUT_MS = 60_000;

/** One text a channel and the pictures in their order; `missing` counts the pictures that could not be fetched. */
export async function packReview(
  posts: readonly ReviewedPost[],
  addresses: ReadonlyMap<string, string>,
): Promise<Readonly<{ zip: Blob; missing: number }>> {
  const files: ZipFile[] = [];
  let missing = 0;
  for (const [index, post] of posts.entries()) {
    const name = `${String(index + 1).padStart(2, '0')}-${findChannel(post.channel)?.id ?? 'beitrag'}`;
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
