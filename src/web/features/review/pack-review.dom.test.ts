import { expect, test, vi } from 'vitest';
import { packReview, createZip } from './pack-review.ts';

const POST = {
  id: 1,
  channel: 'linkedin',
  state: 'approved' as const,
  version: 1,
  body: 'Erste Zeile\nZweite Zeile',
  pictures: [
    { path: '7/halle.png', type: 'image/png', alt: 'Die Halle' },
    { path: '7/weg.png', type: 'image/png', alt: 'Weg' },
  ],
  publishedUrl: null,
  publishedAt: null,
  withdrawnAt: null,
  answer: null,
};

test('Packs text, alternative texts and the pictures that can be fetched, and counts the others (posts)', async () => {
  vi.stubGlobal('fetch', (url: string) =>
    Promise.resolve(new Response(url.includes('halle') ? 'bild' : null, { status: url.includes('halle') ? 200 : 404 })),
  );
  const addresses = new Map(POST.pictures.map(({ path }) => [path, `https://store.test/${path}`]));
  const { zip, missing } = await packReview([POST], addresses);
  vi.unstubAllGlobals();
  const text = await zip.text();
  expect(missing).toBe(1);
  expect(text).toContain('01-linkedin.txt');
  expect(text).toContain('Erste Zeile\r\nZweite Zeile\r\n\r\nBild 1: Die Halle\r\nBild 2: Weg\r\n');
  expect(text).toContain('01-linkedin-bild-1.pngbild');
  expect(text).not.toContain('bild-2');
});

test('An archive has checksums, sizes and places that unpackers accept (posts)', async () => {
  const bytes = new TextEncoder().encode('123456789');
  const zip = createZip([{ name: 'ä.txt', bytes }], new Date(2026, 10, 22, 12, 30, 10));
  const view = new DataView(await zip.arrayBuffer());
  // The check value of CRC-32.
  expect(view.getUint32(14, true)).toBe(0xcb_f4_39_26);
  expect([view.getUint32(18, true), view.getUint32(22, true)]).toEqual([9, 9]);
  const end = view.byteLength - 22;
  expect(view.getUint32(end, true)).toBe(0x0605_4b50);
  const directory = view.getUint32(end + 16, true);
  expect(view.getUint32(directory, true)).toBe(0x0201_4b50);
  expect(view.getUint32(directory + 42, true), 'offset of the first file').toBe(0);
});
