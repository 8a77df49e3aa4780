import { expect, test } from 'vitest';
import { done, missingFiles, skippedTables } from './texts.ts';

test('npm run backup and restore name one file and one row in the singular', () => {
  const skipped = [1, 2].map((rows) => ({ name: 'x', rows }));
  expect(skippedTables(skipped)).toMatch(/x \(1 Zeile\)\n.*x \(2 Zeilen\)\n/);
  const counted = { tables: 9, rows: 12, bytes: 7, seconds: 1 };
  expect(done('gesichert', 'a.tar', { ...counted, files: 1 })).toContain('und 1 Datei (');
  expect(done('gesichert', 'a.tar', { ...counted, files: 1_000 })).toContain('und 1.000 Dateien (');
  expect(missingFiles(1, ['x'])).toBe('1 Datei fehlt im Speicher und ist nicht in der Sicherung:\n  x\n');
  expect(missingFiles(2, ['x'])).toContain(
    '2 Dateien fehlen im Speicher und sind nicht in der Sicherung:\n  x\n  … und',
  );
});
