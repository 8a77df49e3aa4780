import { describe, expect, it } from 'vitest';
import { fileNameOf, forgetFileNames, rememberFileName } from './file-names.ts';

describe('§2.11 names of uploaded files', () => {
  it('are the ones the files came with, in this tab', () => {
    rememberFileName('7/1_a.png', 'Baustelle.png');
    rememberFileName('7/2_b.png', 'Träger.png');
    expect(['7/1_a.png', '7/2_b.png', '7/3_c.png'].map(fileNameOf)).toEqual(['Baustelle.png', 'Träger.png', '3_c.png']);
    forgetFileNames();
    expect(fileNameOf('7/1_a.png')).toBe('1_a.png');
  });

  it.each(['', 'kein JSON', '[1]', '{"a":1}'])('survive %j in the storage', (kept) => {
    sessionStorage.setItem('uploaded_file_names', kept);
    expect(fileNameOf('7/1_a.png')).toBe('1_a.png');
  });
});
