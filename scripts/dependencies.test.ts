import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readSources } from './measures/source.ts';

const NamesSchema = z.record(z.string(), z.string());
const PackageSchema = z.object({
  dependencies: NamesSchema,
  devDependencies: NamesSchema,
  optionalDependencies: NamesSchema,
});
const LockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      license: z.string().optional(),
      version: z.string().optional(),
      os: z.unknown().optional(),
      cpu: z.unknown().optional(),
    }),
  ),
});

const listed = PackageSchema.parse(JSON.parse(readFileSync('package.json', 'utf8')));
const { packages } = LockSchema.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
const ROW = /^\| `(?<name>[^`]+)` \| (?<why>[^|]+) \| (?<licence>[^|]+) \| (?<megabytes>[\d.]+|–) \|$/gm;

/** The rows of each section of the document, in its order. */
const [, start = '', development = '', platforms = ''] = readFileSync('docs/dependencies.md', 'utf8').split('\n## ');
const rows = (section: string) => [...section.matchAll(ROW)].map(({ groups = {} }) => groups);
const names = (section: string) => rows(section).map(({ name }) => name);

test('The document lists each direct dependency once, in its section', () => {
  expect(names(start)).toEqual(Object.keys(listed.dependencies));
  expect(names(development)).toEqual(Object.keys(listed.devDependencies));
  expect(names(platforms)).toEqual(Object.keys(listed.optionalDependencies));
});

test('The document names the licence that the lock file names', () => {
  const written = rows(start + development + platforms).map(({ name, licence }) => [name, licence]);
  expect(written.length).toBeGreaterThan(50);
  expect(written).toEqual(written.map(([name]) => [name, packages[`node_modules/${name}`]?.license ?? 'none named']));
});

/** The speech engine's `native.ts` names its package by platform and processor. */
test.each([
  ['darwin', 'arm64'],
  ['darwin', 'x64'],
  ['linux', 'arm64'],
  ['linux', 'x64'],
])('Installs the speech engine on %s %s, of one version everywhere', (os, cpu) => {
  const name = `@fugood/node-whisper-${os}-${cpu}`;
  expect(packages[`node_modules/${name}`]).toMatchObject({
    version: listed.optionalDependencies['@fugood/node-whisper-linux-x64'],
    os: [os],
    cpu: [cpu],
  });
});

test('Installs nothing for a graphics processor', () => {
  expect(Object.keys(packages).filter((name) => /cuda|vulkan|nvidia|cudnn|onnxruntime|tensorrt/i.test(name))).toEqual(
    [],
  );
});

test('Nothing of the product asks for import.meta.main, which Node 24.0.0 of Apple processors lacks (decision 0331)', () => {
  const asking = readSources(['src']).filter(({ text }) => text.includes('import.meta.main'));
  expect(asking.map(({ path }) => path)).toEqual([]);
});
