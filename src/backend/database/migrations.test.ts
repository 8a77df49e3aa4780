import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sqlFiles } from './migrations.ts';

test('sqlFiles lists .sql files by name and nothing else', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-sql-'));
  try {
    for (const name of ['20260102_b.sql', '20260101_a.sql', 'README.md', '20260103_c.sql.bak'])
      await writeFile(path.join(folder, name), '');
    expect((await sqlFiles(folder)).map((file) => file.name)).toEqual(['20260101_a.sql', '20260102_b.sql']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a project without migrations has none', async () => {
  expect(await sqlFiles('/nowhere/migrations')).toEqual([]);
});
