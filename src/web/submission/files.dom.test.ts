import { describe, expect, it, vi } from 'vitest';
import { clearUserData } from '#web/backend/browser-storage.ts';
import { downloadBlob, getFileName, getKind, type StoredKind } from './file-name.ts';
import { findRecording, forgetFiles, makeAudioAddress, mediaPath, rememberFileName, transcriptPath } from './files.ts';

const nameOf = (path: string, name?: string, type = 'image/png') =>
  getFileName({ path, type, ...(name === undefined ? {} : { name }) });

describe('§2.11 names of uploaded files', () => {
  it('are the ones the files came with, in this tab', () => {
    rememberFileName('7/1_a.png', 'Baustelle.png');
    rememberFileName('7/2_b.png', 'Träger.png');
    expect(['7/1_a.png', '7/2_b.png', '7/3_c.png'].map((path) => nameOf(path))).toEqual([
      'Baustelle.png',
      'Träger.png',
      '3_c.png',
    ]);
    expect(nameOf('7/1_a.png', 'IMG_1.png')).toBe('Baustelle.png');
    forgetFiles();
    expect(nameOf('7/1_a.png', 'IMG_1.png')).toBe('IMG_1.png');
    expect(nameOf('7/1_a.png')).toBe('1_a.png');
  });

  it.each(['', 'kein JSON', '[1]', '{"a":1}'])('survive %j in the storage', (kept) => {
    sessionStorage.setItem('uploaded_file_names', kept);
    expect(nameOf('7/1_a.png')).toBe('1_a.png');
  });
});

describe('§2.6 the recording to listen to while correcting', () => {
  let made = 0;
  URL.createObjectURL = () => `blob:${(made += 1)}`;
  const revoke = vi.fn();
  URL.revokeObjectURL = revoke;
  const make = () => makeAudioAddress(new Blob(['ton']));

  it('is the last one: a page that stays open for days holds no others', () => {
    const [first, last] = [make(), make()];
    expect([findRecording(first), findRecording(last)]).toEqual([undefined, expect.any(Blob)]);
    expect(revoke).toHaveBeenLastCalledWith(first);
  });

  it.each([
    ['its contribution is complete', forgetFiles],
    ['its person has logged out', () => clearUserData()],
  ])('is gone once %s', (_when, end) => {
    const address = make();
    end();
    expect(findRecording(address)).toBeUndefined();
  });
});

it('§2.11 a file that is handed out can be read as long as an iPhone asks for leave', () => {
  vi.useFakeTimers();
  const revoke = (URL.revokeObjectURL = vi.fn());
  downloadBlob(new Blob(['ton']), 'ton.webm');
  vi.advanceTimersByTime(30_000);
  expect(revoke).not.toHaveBeenCalled();
  vi.advanceTimersByTime(30_000);
  expect(revoke).toHaveBeenCalledOnce();
  vi.useRealTimers();
});

const OWN = `7/1700_${'0123456789abcdef'.repeat(2)}`;

describe('§2.11 files without a name of their own', () => {
  it.each([
    [`${OWN}.webm`, 'audio/webm', 'Sprachnachricht.webm'],
    [`${OWN}.jpg`, 'image/jpeg', 'Bild.jpg'],
    [`${OWN}.mp4`, 'video/mp4', 'Video.mp4'],
    [`${OWN}.pdf`, 'application/pdf', 'Dokument.pdf'],
    [`${OWN}.txt`, 'text/plain', 'Dokument.txt'],
    ['7/transcript_1700.txt', 'text/plain;charset=utf-8', 'Transkript.txt'],
  ])('%s of type %s is called %s', (path, type, name) => {
    expect(nameOf(path, undefined, type)).toBe(name);
  });
});

describe('§7 files', () => {
  it.each<[string, StoredKind]>([
    ['text/plain', 'text'],
    ['image/webp', 'image'],
    ['audio/webm', 'audio'],
    ['video/mp4', 'video'],
    ['application/pdf', 'other'],
    ['', 'other'],
  ])('%j is of kind %s', (type, kind) => expect(getKind(type)).toBe(kind));
});

describe('§3, D11 names in the bucket', () => {
  it.each([
    ['Foto.JPG', 'image/jpeg', 'jpg'],
    ['ohne-endung', 'image/png', 'png'],
    ['1000012345', 'image/jpeg', 'jpg'],
    ['1000012345', 'video/mp4', 'mp4'],
    ['1000012345', 'video/quicktime', 'mov'],
    ['1000012345', 'application/pdf', 'pdf'],
    ['1000012345', 'text/plain', 'txt'],
    ['Film vom 20.11', 'image/gif', 'gif'],
    [`1.${'0'.repeat(300)}a`, 'image/png', 'png'],
    ['film.3gp', 'video/3gpp', '3gp'],
    ['archiv.tar.webp', 'image/webp', 'webp'],
    ['böse.j/../pg', 'image/jpeg', 'jpg'],
    ['x.überlang', '', 'bin'],
    ['', 'audio/webm;codecs=opus', 'webm'],
  ])('%j of type %j ends in .%s', (name, type, extension) => {
    expect(mediaPath('7', { name, type }, 1700)).toMatch(new RegExp(`^7/1700_[0-9a-f]{32}\\.${extension}$`));
  });

  it('a file keeps its name, in which contribution and whenever it is sent', () => {
    const file = new File(['bild'], 'a.jpg', { type: 'image/jpeg' });
    const [, name] = mediaPath('x', file, 1700).split('/');
    expect(mediaPath('7', file, 1800)).toBe(`7/${name}`);
  });

  it('names a transcript by its time', () => {
    expect(transcriptPath('7', 1700)).toBe('7/transcript_1700.txt');
  });
});
