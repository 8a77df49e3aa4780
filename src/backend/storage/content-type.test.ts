import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkAllowedType, checkDeclaredType, detectContradiction, isInert } from './content-type.ts';

test.each([
  ['image/png', ['image/png'], true],
  ['IMAGE/PNG; q=1', ['image/png'], true],
  ['image/png', ['image/*'], true],
  ['image/png', ['audio/*', 'image/jpeg'], false],
  ['imagex/png', ['image/*'], false],
  ['image', ['image/*'], false],
  ['a/b', ['*/*'], true],
  ['a/b', ['*'], true],
  ['nonsense', ['*/*'], false],
  ['anything', [], true],
  ['anything', null, true],
])('%s in %j is allowed: %s (contract §3.1)', (type, allowed, fits) => {
  const check = (): void => checkAllowedType(type, allowed);
  if (fits) expect(check).not.toThrow();
  else expect(check).toThrow(`mime type ${type} is not supported`);
});

test('a declared type must be able to stand in a header', () => {
  for (const bad of ['', 'a\r\nb', 'ü/x', 'x'.repeat(256), 'a\u0000']) expect(() => checkDeclaredType(bad)).toThrow();
});

const PDF = Buffer.from('%PDF-1.7\n');

test.each([
  [PDF, 'application/pdf', undefined],
  [PDF, 'image/png', 'application/pdf'],
  [PDF, 'text/plain', undefined],
  [PDF, 'application/octet-stream', undefined],
  [Buffer.from('hello'), 'image/png', 'application/octet-stream'],
  [Buffer.from('hello'), 'image/x-unheard-of', undefined],
  [Buffer.from('ffd8ffe000104a464946', 'hex'), 'image/jpg', undefined],
  [Buffer.from('ffd8ffe000104a464946', 'hex'), 'image/jpeg', undefined],
  [Buffer.from('<?xml version="1.0"?><svg/>'), 'image/svg+xml', undefined],
  [Buffer.from('<?xml version="1.0"?><svg/>'), 'image/png', 'application/xml'],
  [Buffer.alloc(0), 'image/png', undefined],
])('threat 8: %# declared as %s contradicts as %s', async (content, declared, found) => {
  expect(await detectContradiction(content, declared)).toBe(found);
});

test('no content makes the detection fail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom('image/png', 'video/mp4', 'audio/webm'),
      async (head, type) => {
        const found = await detectContradiction(head, type);
        expect(found === undefined || found.includes('/')).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test('threat 8: nothing that can carry a script is inert', () => {
  for (const type of [
    'image/svg+xml',
    'text/html',
    'text/xml',
    'application/xml',
    'text/css',
    'image/png+xml',
    '',
    'x',
  ]) {
    expect(isInert(type)).toBe(false);
  }
  for (const type of ['image/png', 'audio/webm; codecs=opus', 'VIDEO/MP4', 'application/pdf', 'text/plain']) {
    expect(isInert(type)).toBe(true);
  }
});
