import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { installPart, type PartialPackage } from './voice-client.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'smca-part-'));
  // Stands for npm: `pack` puts the published archive into the folder that it is told.
  const npm = path.join(folder, 'npm.cjs');
  writeFileSync(
    npm,
    `const [, to] = process.argv.join(' ').match(/--pack-destination=(\\S+)/);
     require('node:fs').copyFileSync(${JSON.stringify(path.join(folder, 'published.tgz'))}, to + '/a.tgz');`,
  );
  vi.stubEnv('npm_execpath', npm);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function publish(version: string): PartialPackage {
  const files = {
    'package.json': JSON.stringify({ version }),
    'api/used/a.js': version,
    'api/other/b.js': '',
    'c.js': '',
  };
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, 'package', file)), { recursive: true });
    writeFileSync(path.join(folder, 'package', file), content);
  }
  const archive = path.join(folder, 'published.tgz');
  expect(spawnSync('tar', ['-czf', archive, 'package'], { cwd: folder }).status).toBe(0);
  return {
    name: '@scope/large',
    version,
    integrity: `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`,
    parts: ['package.json', 'api/used'],
    replaced: { 'c.js': 'stand-in' },
  };
}

const installed = (file: string) => readFileSync(path.join(folder, 'node_modules/@scope/large', file), 'utf8');
const scope = () => readdirSync(path.join(folder, 'node_modules/@scope'));

test('Installs the named parts of a package and what stands in for the rest, anew for each version', async () => {
  await installPart(publish('1.0.0'), folder);
  expect(readdirSync(path.join(folder, 'node_modules/@scope/large')).toSorted()).toEqual([
    'api',
    'c.js',
    'package.json',
  ]);
  expect(readdirSync(path.join(folder, 'node_modules/@scope/large/api'))).toEqual(['used']);
  expect([installed('api/used/a.js'), installed('c.js')]).toEqual(['1.0.0', 'stand-in']);
  await installPart({ ...publish('1.0.0'), replaced: { 'c.js': 'never written' } }, folder);
  expect(installed('c.js')).toBe('stand-in');
  await installPart(publish('2.0.0'), folder);
  expect(installed('api/used/a.js')).toBe('2.0.0');
  expect(scope()).toEqual(['large']);
});

test('Refuses an archive with another checksum, leaves what is installed and nothing half', async () => {
  await installPart(publish('1.0.0'), folder);
  const { integrity } = publish('1.0.1');
  await expect(installPart({ ...publish('2.0.0'), integrity }, folder)).rejects.toThrow(
    /^@scope\/large@2\.0\.0 has another checksum: sha512-/,
  );
  expect([installed('api/used/a.js'), scope()]).toEqual(['1.0.0', ['large']]);
});

test('Leaves nothing half where npm has no such package, and where a part is missing', async () => {
  const large = publish('1.0.0');
  rmSync(path.join(folder, 'published.tgz'));
  await expect(installPart(large, folder)).rejects.toThrow(/ENOENT/);
  await expect(installPart({ ...publish('1.0.0'), parts: ['gone'] }, folder)).rejects.toThrow(/gone/);
  expect(existsSync(path.join(folder, 'node_modules/@scope/large'))).toBe(false);
  expect(scope()).toEqual([]);
});
