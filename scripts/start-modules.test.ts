import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Prints the names of the packages that loading the server brings. */
const SCRIPT = `
  import { registerHooks } from 'node:module';
  const names = new Set();
  registerHooks({
    load(url, context, next) {
      const name = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
      if (name !== undefined) names.add(name);
      return next(url, context);
    },
  });
  await import(${JSON.stringify(new URL('../src/server/start.ts', import.meta.url).href)});
  console.log(JSON.stringify([...names]));
`;

/** What only some installations or some requests need (docs/performance.md, memory at rest). */
const LATER = ['@aws-sdk/client-s3', '@node-saml/node-saml', '@simplewebauthn/server', '@tus/s3-store', 'mediabunny'];

test('A start loads no library that only some installations need (docs/performance.md)', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT]);
  const loaded = JSON.parse(stdout) as string[];
  expect(loaded).toContain('fastify');
  expect(loaded.filter((name) => LATER.includes(name))).toEqual([]);
});
