import { describe, expect, it, test } from 'vitest';
import { DEFAULT_LIMITS } from '#contract/limits.ts';
import { BackendError } from '#web/backend/errors.ts';
import { DOCUMENT_TYPES } from '#contract/media-uploads.ts';
import { isHeic, isSameFile, sizeProblem, getType, withType } from './file-kind.ts';
import {
  failureReason,
  inMegabytes,
  limitInWords,
  limitMessage,
  findLimitMessage,
  shortName,
  sizeMessage,
} from './texts.ts';

const MB = 1024 * 1024;

describe('§9 file size display', () => {
  it.each([
    [1.44 * MB, 1, '1,4 MB'],
    [12 * MB, 1, '12,0 MB'],
    [1.444 * MB, 2, '1,44 MB'],
    [1, 1, 'unter 0,1 MB'],
    [1, 2, 'unter 0,01 MB'],
  ] as const)('%i bytes with %i decimals: %s', (bytes, decimals, words) => {
    expect(inMegabytes(bytes, decimals)).toBe(words);
  });
});

describe('D19 limits before the upload', () => {
  const limits = DEFAULT_LIMITS;
  it.each([
    ['video', 2048 * MB, '2.048,1 MB', 'Ein Video darf höchstens 2 GB groß sein.'],
    ['image', 50 * MB, '50,1 MB', 'Ein Bild darf höchstens 50 MB groß sein.'],
    ['document', 50 * MB, '50,1 MB', 'Ein Dokument darf höchstens 50 MB groß sein.'],
  ] as const)('%s that is a byte too large has more than the limit that is named', (kind, most, size, words) => {
    expect(sizeProblem({ name: 'a', size: most }, kind, limits)).toBeUndefined();
    const problem = sizeProblem({ name: 'a', size: most + 1 }, kind, limits);
    expect(problem && sizeMessage(problem, limits)).toEqual({
      title: 'Datei zu groß',
      description: `„a“ hat ${size}. ${words}`,
    });
  });

  it('an empty file', () => {
    const problem = sizeProblem({ name: 'a', size: 0 }, 'image', limits);
    expect(problem && sizeMessage(problem, limits).title).toBe('Leere Datei');
  });

  it.each([
    [1.5 * 1024 * MB, '1,5 GB'],
    [2_000_000_000, '1,8 GB'],
  ])('%i bytes as configured, and not more: %s', (bytes, words) => expect(limitInWords(bytes)).toBe(words));
});

describe('what a file is', () => {
  it.each([
    [{ name: 'a.pdf', type: 'application/pdf' }, 'application/pdf'],
    [{ name: 'a.DOCX', type: '' }, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    [{ name: 'a.mov', type: '' }, 'video/quicktime'],
    [{ name: 'a', type: 'Text/Plain; charset=utf-8' }, 'text/plain'],
    [{ name: 'a.exe', type: '' }, ''],
    [{ name: 'a.pdf', type: 'image/png' }, 'image/png'],
    [{ name: 'a.docx', type: 'application/wps-office.docx' }, DOCUMENT_TYPES['docx']],
    [{ name: 'a.MOV', type: 'application/octet-stream' }, 'video/quicktime'],
    [{ name: 'a.odt', type: 'application/vnd.oasis.opendocument.text' }, 'application/vnd.oasis.opendocument.text'],
    [{ name: '', type: '' }, ''],
  ])('%j is %s', (file, type) => expect(getType(file)).toBe(type));

  it('gives a file without a type of use the one of its extension, and leaves others alone', () => {
    expect(withType(new File(['x'], 'a.mov', { lastModified: 3 }))).toMatchObject({
      type: 'video/quicktime',
      name: 'a.mov',
      lastModified: 3,
    });
    const renamed = withType(new File(['x'], 'a.docx', { type: 'application/wps-office.docx' }));
    expect(renamed.type).toBe(DOCUMENT_TYPES['docx']);
    const photo = new File(['x'], 'a.png', { type: 'image/png' });
    expect(withType(photo)).toBe(photo);
  });

  it.each([
    [{ name: 'IMG_1.HEIC', type: '' }, true],
    [{ name: 'a.jpg', type: 'image/heif' }, true],
    [{ name: 'heic.jpg', type: 'image/jpeg' }, false],
  ])('HEIC %j: %s', (file, heic) => expect(isHeic(file)).toBe(heic));

  it('the same file twice', () => {
    const make = (name: string, lastModified: number) => new File(['x'], name, { lastModified });
    expect(isSameFile(make('a', 1), make('a', 1))).toBe(true);
    expect(isSameFile(make('a', 1), make('a', 2))).toBe(false);
    expect(isSameFile(make('a', 1), make('b', 1))).toBe(false);
  });
});

describe('names and reasons in words', () => {
  it('shortens 300 characters, keeps the ending, never cuts an emoji', () => {
    const short = shortName(`${'👩‍🔧'.repeat(300)}ende-foto.jpg`);
    expect(short).toMatch(/^(👩‍🔧)+…de-foto\.jpg$/u);
    expect(shortName('a.jpg')).toBe('a.jpg');
  });

  it.each([
    ['unreachable', 'Keine Verbindung'],
    ['full', 'Der Speicher ist gerade voll'],
    ['refused', 'Nicht erlaubt'],
    ['too-large', 'Zu groß für den Server. Sag dem Team Bescheid.'],
    ['quota', 'Die Höchstmenge für Beiträge ohne Anmeldung ist erreicht'],
    ['wrong-type', 'Diese Art von Datei wird nicht angenommen'],
    ['no-bucket', 'Der Speicherort fehlt'],
    ['failed', 'Nicht hochgeladen'],
  ] as const)('%s', (kind, words) => expect(failureReason(kind)).toContain(words));
});

test.each([
  ['too-many', 'Zu viele Beiträge'],
  ['too-long', 'Text zu lang'],
  ['contribution-full', 'Beitrag voll'],
  ['quota', 'Höchstmenge erreicht'],
  ['full', 'Speicher voll'],
  ['failed', undefined],
] as const)('Reports a refusal of kind %s as %s (§8)', (kind, title) => {
  expect(limitMessage(new BackendError(kind, 'x'))?.title).toBe(title);
  expect(findLimitMessage(['failed', kind])?.title).toBe(title);
});

test('Any other error has no text about limits (§8)', () => {
  expect(limitMessage(new Error('x'))).toBeUndefined();
  expect(findLimitMessage([])).toBeUndefined();
});
