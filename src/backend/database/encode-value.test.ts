import { expect, test } from 'vitest';
import { encodeValue } from './encode-value.ts';

test('Encodes texts as they are, and what PostgreSQL reads as text', () => {
  expect(['ä"\\', 7, 7n, true, null, undefined].map(encodeValue)).toEqual(['ä"\\', '7', '7', 'true', null, null]);
  expect(encodeValue({ a: ['x', 1] })).toBe('{"a":["x",1]}');
});

test('Encodes arrays with quotes, backslashes, nothing, bytes and arrays in them', () => {
  expect(encodeValue([])).toBe('{}');
  expect(encodeValue(['a,b', 'c"d\\e', null, 1, ['x']])).toBe(String.raw`{"a,b","c\"d\\e",NULL,"1",{"x"}}`);
  expect(encodeValue([Buffer.from([0, 255])])).toBe(String.raw`{"\\x00ff"}`);
});

test('Hands over the bytes of a view alone', () => {
  const bytes = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
  expect(encodeValue(bytes)).toEqual(Buffer.from([2, 3]));
});

test('Encodes a moment with the local offset, so that it stays the same moment', () => {
  for (const text of ['2026-03-29T00:59:59.999Z', '2026-07-01T12:00:00.000Z', '1970-01-01T00:00:00.000Z']) {
    const encoded = String(encodeValue(new Date(text)));
    expect(encoded).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
    expect(new Date(encoded).toISOString()).toBe(text);
  }
});
