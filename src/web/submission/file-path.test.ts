import { describe, expect, it } from 'vitest';
import { mediaPath, transcriptPath } from './file-path.ts';

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
