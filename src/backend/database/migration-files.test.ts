import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readReplaced, listSqlFiles } from './migration-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-replaced-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('A project without a folder of replaced migrations has none', async () => {
  expect(await readReplaced(path.join(folder, 'replaced'))).toBeUndefined();
});

test('Reads replaced migrations in the order of their versions', async () => {
  await writeFile(path.join(folder, 'set.json'), JSON.stringify({ by: ['3'], objects: ['public.one'] }));
  await writeFile(
    path.join(folder, 'migrations.json.gz'),
    gzipSync(JSON.stringify({ '02_b.sql': 'select 2', '01_a.sql': 'select 1' })),
  );
  expect(await readReplaced(folder)).toEqual({
    by: ['3'],
    objects: ['public.one'],
    gone: [],
    scripts: [
      { name: '01_a.sql', sql: 'select 1' },
      { name: '02_b.sql', sql: 'select 2' },
    ],
  });
});

test('Throws on a set without successors', async () => {
  await writeFile(path.join(folder, 'set.json'), JSON.stringify({ by: [], objects: ['public.one'] }));
  await expect(readReplaced(folder)).rejects.toThrow('Too small');
});

test('listSqlFiles lists .sql files by name and nothing else', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-sql-'));
  try {
    for (const name of ['20260102_b.sql', '20260101_a.sql', 'README.md', '20260103_c.sql.bak'])
      await writeFile(path.join(folder, name), '');
    expect((await listSqlFiles(folder)).map((file) => file.name)).toEqual(['20260101_a.sql', '20260102_b.sql']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a project without migrations has none', async () => {
  expect(await listSqlFiles('/nowhere/migrations')).toEqual([]);
});
