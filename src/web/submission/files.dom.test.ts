import { describe, expect, it } from 'vitest';
import { getFileName, forgetFileNames, mediaPath, rememberFileName, transcriptPath } from './files.ts';

describe('§2.11 names of uploaded files', () => {
  it('are the ones the files came with, in this tab', () => {
    rememberFileName('7/1_a.png', 'Baustelle.png');
    rememberFileName('7/2_b.png', 'Träger.png');
    expect(['7/1_a.png', '7/2_b.png', '7/3_c.png'].map((path) => getFileName(path))).toEqual([
      'Baustelle.png',
      'Träger.png',
      '3_c.png',
    ]);
    expect(getFileName('7/1_a.png', 'IMG_1.png')).toBe('Baustelle.png');
    forgetFileNames();
    expect(getFileName('7/1_a.png', 'IMG_1.png')).toBe('IMG_1.png');
    expect(getFileName('7/1_a.png')).toBe('1_a.png');
  });

  it.each(['', 'kein JSON', '[1]', '{"a":1}'])('survive %j in the storage', (kept) => {
    sessionStorage.setItem('uploaded_file_names', kept);
    expect(getFileName('7/1_a.png')).toBe('1_a.png');
  });
});

describe('§3, D11 names in the bucket', () => {
  it.each([
    ['Foto.JPG', 'image/jpeg', 'jpg'],
    ['ohne-endung', 'image/png', 'png'],
    ['archiv.tar.webp', 'image/webp', 'webp'],
    ['böse.j/../pg', 'image/jpeg', 'jpg'],
    ['x.überlang', '', 'bin'],
    ['', 'audio/webm;codecs=opus', 'webm'],
  ])('%j of type %j ends in .%s', (name, type, extension) => {
    expect(mediaPath('7', { name, type }, 1700)).toMatch(new RegExp(`^7/1700_[0-9a-f]{32}\\.${extension}$`));
  });

  it('names a transcript by its time', () => {
    expect(transcriptPath('7', 1700)).toBe('7/transcript_1700.txt');
  });
});
