import { expect, test } from 'vitest';
import { plainFileName } from './media-uploads.ts';

test.each([
  ['IMG_2031.JPG', 'IMG_2031.JPG'],
  ['Prüfstand – Kühlung (2).heic', 'Prüfstand – Kühlung (2).heic'],
  ['C:\\Bilder\\halle.png', 'halle.png'],
  ['../../etc/passwd', 'passwd'],
  ['a\u0000b\r\n.png', 'ab.png'],
  ['\u202egnp.exe', 'gnp.exe'],
  ['  bild.png  ', 'bild.png'],
  ['\ud800.png', '\ufffd.png'],
  [`${'a'.repeat(254)}😀.png`, `${'a'.repeat(254)}\ufffd`],
  ['', undefined],
  ['/', undefined],
  ['\u200b', undefined],
])('Names %j as %j', (name, plain) => {
  expect(plainFileName(name)).toBe(plain);
});
