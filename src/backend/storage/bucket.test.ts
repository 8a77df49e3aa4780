import { expect, test } from 'vitest';
import { createBucket } from '#tests/support/storage-fakes.ts';
import { BucketSettingsSchema, getSizeLimit, parseBucketSettings, presentBucket } from './bucket.ts';

const MAXIMUM = 50_000_000_000;

test.each([
  ['3B', 3],
  ['30KB', 30_000],
  ['20mb', 20_000_000],
  ['1.5GB', 1_500_000_000],
  ['1234.5kb', 1_230_000],
  ['1.999MB', 2_000_000],
  ['12345b', 12_300],
  ['0b', 0],
  ['20', 20],
  ['1e3', 1_000],
  ['0x10B', 0x10b],
  ['', null],
  [1_024, 1_024],
  [0, 0],
  [null, null],
  [undefined, undefined],
])('Reads the size %j as %j bytes (contract §3.2)', (given, bytes) => {
  expect(parseBucketSettings({ file_size_limit: given }, MAXIMUM).file_size_limit).toBe(bytes);
});

test.each(['-20', '1.5', '20 MB', 'MB', '-1KB', '1TB', '1e3KB', '0x10KB', '20MBx'])(
  'Refuses the size %j (contract §3.2)',
  (given) => {
    expect(() => parseBucketSettings({ file_size_limit: given }, MAXIMUM)).toThrow(
      expect.objectContaining({ code: 'InvalidRequest' }),
    );
  },
);

test.each([
  ['1010B', 1_000],
  [1_001, 1_000],
])('Refuses the size %j above the maximum of the service', (given, maximum) => {
  expect(() => parseBucketSettings({ file_size_limit: given }, maximum)).toThrow(
    expect.objectContaining({ code: 'EntityTooLarge' }),
  );
  expect(parseBucketSettings({ file_size_limit: maximum }, maximum).file_size_limit).toBe(maximum);
});

test.each(['image/png', 'image/*', '*/*', '*', 'text/plain; charset=utf-8', 'application/vnd.api+json'])(
  'Accepts the type %s in a bucket’s list (contract §3.2)',
  (type) => {
    expect(parseBucketSettings({ allowed_mime_types: [type] }, MAXIMUM).allowed_mime_types).toEqual([type]);
  },
);

test.each(['image', '*/png', 'image/', '/png', 'image/png; q=1', 'a b/c', 'image/png\n'])(
  'Refuses the type %j in a bucket’s list (contract §3.2)',
  (type) => {
    expect(() => parseBucketSettings({ allowed_mime_types: ['image/png', type] }, MAXIMUM)).toThrow(
      expect.objectContaining({ code: 'InvalidMimeType', message: `mime type ${type} is not supported` }),
    );
  },
);

test('Tells a list that is reset from one that is not given', () => {
  expect(parseBucketSettings({ allowed_mime_types: null }, MAXIMUM).allowed_mime_types).toBeNull();
  expect(parseBucketSettings({}, MAXIMUM).allowed_mime_types).toBeUndefined();
  expect(parseBucketSettings({ allowed_mime_types: ['', 'a/b'] }, MAXIMUM).allowed_mime_types).toEqual(['a/b']);
});

test.each([{ file_size_limit: -1 }, { file_size_limit: 1.5 }, { public: 'yes' }, { allowed_mime_types: 'a/b' }])(
  'Refuses the settings %j',
  (settings) => {
    expect(BucketSettingsSchema.safeParse(settings).success).toBe(false);
  },
);

test('Shows sizes as numbers, and no type (contract §3.2)', () => {
  const shown = presentBucket(createBucket({ file_size_limit: '5000', owner: null }));
  expect(shown).toMatchObject({ id: 'box', owner: '', file_size_limit: 5_000, public: false });
  expect(shown).not.toHaveProperty('type');
  expect(presentBucket(createBucket())).toMatchObject({ file_size_limit: null });
});

test.each([
  [null, 100, 100],
  ['50', 100, 50],
  ['500', 100, 100],
  ['0', 100, 0],
])('Limits files of a bucket with %j in a service with %d to %d bytes', (limit, maximum, bytes) => {
  expect(getSizeLimit(createBucket({ file_size_limit: limit }), maximum)).toBe(bytes);
});
