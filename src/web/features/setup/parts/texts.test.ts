import { expect, test } from 'vitest';
import type { BackupRecord } from '#contract/setup-parts.ts';
import { CHECK_TEXTS, formatDecimal } from './check-texts.ts';
import { PART_TEXTS, partsTexts } from './texts.ts';

test('One file, one day, one part and one second are in the singular (einrichtung)', () => {
  const known = { state: 'broken' as const, lacks: [], isChecking: false, check: null };
  const last: BackupRecord = { at: '', result: 'incomplete', file: 'a.tar', bytes: 1, missing: 1, code: null };
  const describe = (missing: number) =>
    PART_TEXTS.backup.describe({
      ...known,
      isHosted: false,
      isOverdue: false,
      last: { ...last, missing },
      failed: null,
    });
  expect(describe(1)).toBe('In der letzten Sicherung fehlt 1 Datei.');
  expect(describe(1_200)).toBe('In der letzten Sicherung fehlen 1.200 Dateien.');
  expect(PART_TEXTS.retention.describe({ ...known, days: 1 })).toContain('nach einem Tag');
  expect(partsTexts.summary(1, 10)).toBe('1 von 10 Teilen ist in Ordnung');
  expect(partsTexts.summary(2, 10)).toBe('2 von 10 Teilen sind in Ordnung');
  for (const audioSeconds of [0.98, 1.2])
    expect(CHECK_TEXTS.voice.success({ audioSeconds })).toMatch(/^Der Dienst hat \d(?:,\d)? s lang gesprochen\.$/);
});

test('What is to run every night does in a crontab, where a line ends at its first % (einrichtung)', () => {
  expect(PART_TEXTS.backup.lines.join('\n')).toMatch(/^cd \S+ && npm run backup -- [^%]+$/);
});

test('Where the desk shows what would be erased is named by its heading (einrichtung)', () => {
  expect(PART_TEXTS.retention.how).toContain('„Datenschutz“');
});

test('What a check has found is true on the days after it, too (einrichtung)', () => {
  for (const due of [0, 1, 2]) expect(CHECK_TEXTS.retention.success({ due })).not.toMatch(/heute/i);
});

test('Beside a hosted project without the service key nothing is said to be sent or erased (einrichtung)', () => {
  const known = { state: 'missing' as const, lacks: ['SUPABASE_SERVICE_KEY'], isChecking: false, check: null };
  const mail = PART_TEXTS.mail.describe({ ...known, host: 'mail.example', sender: 'a@example.de' });
  expect(mail).toMatch(/^Dieser Server verschickt keine Mails: .*SUPABASE_SERVICE_KEY/);
  expect(PART_TEXTS.retention.describe({ ...known, days: 30 })).toMatch(/^Nichts wird gelöscht: /);
});

test.each([
  [0, '0'],
  [0.04, '0,04'],
  [0.26, '0,3'],
  [1_234.56, '1.234,6'],
])('%d is %s: only nothing is 0 (einrichtung)', (value, text) => {
  expect(formatDecimal(value)).toBe(text);
});
