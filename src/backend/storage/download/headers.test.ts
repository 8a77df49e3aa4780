import { expect, test } from 'vitest';
import { createObject } from '#tests/support/storage-fakes.ts';
import type { ObjectMetadata } from '../object.ts';
import { buildObjectHeaders, getValidators, type Presentation } from './headers.ts';

function build(metadata: Partial<ObjectMetadata> | null, presentation: Partial<Presentation> = {}) {
  return buildObjectHeaders(createObject({ metadata }), { download: undefined, ...presentation });
}

test.each([
  ['image/png', 'image/png', undefined],
  ['audio/webm; codecs=opus', 'audio/webm; codecs=opus', undefined],
  ['text/plain; charset=utf-8', 'text/plain; charset=utf-8', undefined],
  ['application/pdf', 'application/pdf', undefined],
  ['text/html', 'text/plain', 'attachment'],
  ['Text/HTML; charset=utf-8', 'text/plain', 'attachment'],
  ['application/xhtml+xml', 'text/plain', 'attachment'],
  ['application/javascript', 'text/plain', 'attachment'],
  ['text/x-ecmascript', 'text/plain', 'attachment'],
  ['text/css', 'text/plain', 'attachment'],
  ['application/wasm', 'text/plain', 'attachment'],
  ['image/svg+xml', 'image/svg+xml', 'attachment'],
  ['application/zip', 'application/zip', 'attachment'],
  ['nonsense', 'application/octet-stream', 'attachment'],
  ['text/plain\r\nx-evil: 1', 'application/octet-stream', 'attachment'],
])('Serves %j as %s with disposition %s (threat 8)', (mimetype, type, disposition) => {
  const headers = build({ mimetype });
  expect(headers['content-type']).toBe(type);
  expect(headers['content-disposition']).toBe(disposition);
});

test('Saves a picture that is something else (threat 8)', () => {
  const headers = build({ mimetype: 'image/png', detectedType: 'text/html' });
  expect(headers).toMatchObject({ 'content-type': 'image/png', 'content-disposition': 'attachment' });
});

test('Forbids guessing and scripts for every object (threat 8)', () => {
  for (const mimetype of ['image/png', 'text/html', undefined]) {
    expect(build(mimetype === undefined ? null : { mimetype })).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-robots-tag': 'none',
    });
  }
});

test.each([
  ['', 'attachment;'],
  ['a b.txt', "attachment; filename=a%20b.txt; filename*=UTF-8''a%20b.txt"],
  ['ä"\r\n.txt', "attachment; filename=%C3%A4%22%0D%0A.txt; filename*=UTF-8''%C3%A4%22%0D%0A.txt"],
  ['\uD800', "attachment; filename=%EF%BF%BD; filename*=UTF-8''%EF%BF%BD"],
])('Names the download %j (contract §3.2)', (download, disposition) => {
  expect(build({ mimetype: 'image/png' }, { download })['content-disposition']).toBe(disposition);
});

test.each([
  ['max-age=60', 'max-age=60'],
  ['public, max-age=60', 'private, max-age=60'],
  ['max-age=60, s-maxage=600', 'max-age=60'],
  ['PUBLIC', 'private'],
  ['s-maxage=600', 'no-cache'],
  ['no-store', 'no-store'],
])('Keeps shared caches from storing a private object declared %j', (declared, answered) => {
  expect(build({ cacheControl: declared })['cache-control']).toBe(answered);
  expect(build({ cacheControl: declared }, { shared: true })['cache-control']).toBe(declared);
});

test('Lets a cached answer end with its signed URL', () => {
  const expires = new Date('2026-02-01T00:00:00Z');
  const headers = build({ cacheControl: 'public, max-age=99' }, { expires });
  expect(headers['expires']).toBe('Sun, 01 Feb 2026 00:00:00 GMT');
  expect(headers).not.toHaveProperty('cache-control');
});

test.each([
  [{ lastModified: '2026-01-01T00:00:00.000Z' }, '2026-01-01T00:00:00.000Z'],
  [{ lastModified: 'yesterday' }, '2026-01-02T03:04:05.678Z'],
  [{}, '2026-01-02T03:04:05.678Z'],
  [null, '2026-01-02T03:04:05.678Z'],
])('Takes the last change from the metadata %j, else from the row', (metadata, lastModified) => {
  expect(getValidators(createObject({ metadata }))).toEqual({ eTag: '""', lastModified: new Date(lastModified) });
});
