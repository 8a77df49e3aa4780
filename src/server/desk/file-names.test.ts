import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseFileName, formatContentDisposition, isCompressible } from './file-names.ts';

const createdAt = '2026-11-20T08:00:00+00:00';

test.each([
  [`7/1700000000000_${'a'.repeat(32)}.png`, 'image/png', '01_Bild_2026-11-20.png'],
  [`7/1700000000000_${'a'.repeat(32)}.WEBM`, 'video/webm; codecs=vp9', '01_Video_2026-11-20.webm'],
  ['7/transcript_1700000000000.txt', 'text/plain', '01_Transkript-bearbeitet_2026-11-20.txt'],
  ['7/Prüfstand Größe Ü.pdf', 'application/pdf', '01_Prüfstand Größe Ü.pdf'],
  ['7/U\u0308bung.pdf', 'application/pdf', '01_Übung.pdf'],
  ['7/../../etc/passwd', 'text/plain', '01_passwd.txt'],
  ['7/..\\..\\windows\\win.ini', 'text/plain', '01_win.ini'],
  ['7/..', '', '01_Dokument_2026-11-20'],
  ['7/', 'audio/ogg', '01_Audio_2026-11-20.ogg'],
  ['7/C:evil.exe', '', '01_C evil.exe'],
  ['7/rechnung\u202Efdp.exe', '', '01_rechnung fdp.exe'],
  ['7/a\u0000b\nc.txt', 'text/plain', '01_a b c.txt'],
  ['7/=cmd|calc.csv', 'text/csv', '01_=cmd calc.csv'],
  ['7/CON', '', '01_CON'],
  ['7/NUL.txt', 'text/plain', '01_NUL.txt'],
  [`7/${'ä'.repeat(290)}.pdf`, 'application/pdf', `01_${'ä'.repeat(100)}.pdf`],
  ['7/\u2067\u202Egnp.\u2069exe', '', '01_gnp. exe'],
])('Desk: names %j (%s) %j', (path, type, name) => {
  expect(chooseFileName({ path, type, createdAt }, '01')).toBe(name);
});

test.each([
  ['2026-11-20T22:59:59+00:00', '2026-11-20'],
  ['2026-11-20T23:00:00+00:00', '2026-11-21'],
  ['2026-07-20T21:59:59.5+00:00', '2026-07-20'],
  ['2026-07-20T22:00:00.5+00:00', '2026-07-21'],
])('Desk: a name has the day at which the file came in Germany: %s, %s', (at, day) => {
  expect(chooseFileName({ path: '7/', type: 'audio/ogg', createdAt: at }, '01')).toBe(`01_Audio_${day}.ogg`);
});

test.each([
  ['IMG_2031.JPG', '01_IMG_2031.png'],
  ['Halle: Süd?.heic', '01_Halle Süd.png'],
  ['.htaccess', '01_Bild_2026-11-20.png'],
  ['README', '01_README.png'],
  ['Halle vom 20.11', '01_Halle vom 20.11.png'],
  ['Pru\u0308fstand.jpg', '01_Prüfstand.png'],
  [`${'a'.repeat(99)}😀.jpg`, `01_${'a'.repeat(99)}.png`],
])('Desk: names a file as its contributor calls it, with the extension that is stored: %j', (originalName, name) => {
  const path = `7/1700000000000_${'a'.repeat(32)}.png`;
  expect(chooseFileName({ path, type: 'image/png', createdAt, originalName }, '01')).toBe(name);
});

test.each([
  ['image/jpeg', '01_1000012345.jpg'],
  ['video/mp4', '01_1000012345.mp4'],
  ['application/pdf', '01_1000012345.pdf'],
  ['audio/webm; codecs=opus', '01_1000012345.webm'],
  ['application/octet-stream', '01_1000012345.bin'],
  ['', '01_1000012345.bin'],
])('Desk: a file that came without an ending gets the one of its type: %j', (type, name) => {
  const file = { path: `7/1700_${'a'.repeat(32)}.bin`, type, createdAt, originalName: '1000012345' };
  expect(chooseFileName(file, '01')).toBe(name);
});

test('Desk: turns any path and any name into one plain name', () => {
  const anything = fc.string({ unit: 'binary', maxLength: 130 });
  fc.assert(
    fc.property(anything, fc.string({ maxLength: 20 }), fc.option(anything), (path, type, given) => {
      const original = given === null ? {} : { originalName: given };
      const name = chooseFileName({ path, type, createdAt, ...original }, '01');
      expect(name).toMatch(/^01_[^\\/:*?"<>|\p{C}]+$/u);
      expect(name).not.toMatch(/[. ]$/);
      expect(name.length).toBeLessThan(120);
      expect(name.isWellFormed()).toBe(true);
      expect(formatContentDisposition(name)).toMatch(
        /^attachment; filename="[\w .()-]+"; filename\*=UTF-8''[\w.%~!-]+$/,
      );
    }),
    { numRuns: 200 },
  );
});

test('Desk: compresses texts, not media', () => {
  expect(['text/plain', 'application/json', 'image/svg+xml'].map(isCompressible)).toEqual([true, true, true]);
  expect(['image/png', 'video/mp4', 'audio/webm', 'application/pdf', ''].map(isCompressible)).toEqual(
    Array(5).fill(false),
  );
});
