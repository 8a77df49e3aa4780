import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StorageError } from './errors.ts';
import { afterPrefix, checkBucketName, checkKey } from './names.ts';

test('Keys are letters, digits and the listed signs (contract §3.1)', () => {
  const signs = "aZ09_/!.*'() &$=@;:+,?-";
  expect(checkKey(signs)).toBe(signs);
  for (const bad of ['', 'ü', 'a\n', 'a\u0000', '"', '#', '%', '\\', '^', '~', '`', '{', '|', 'é', '🙂', '<']) {
    expect(() => checkKey(bad)).toThrow(`Invalid key: ${bad}`);
  }
});

test('Bucket names have no slash, at most 100 characters and no blank at either end (contract §3.1)', () => {
  expect(checkBucketName('a b')).toBe('a b');
  for (const bad of ['', 'a/b', ' a', 'a ', 'ä', 'x'.repeat(101)])
    expect(() => checkBucketName(bad)).toThrow(StorageError);
});

test('afterPrefix bounds exactly the texts that begin with the prefix', () => {
  const key = fc.stringMatching(/^[\w/!.*'() &$=@;:+,?-]{1,8}$/);
  fc.assert(
    fc.property(key, key, (prefix, other) => {
      const end = afterPrefix(prefix);
      const text = other.length % 2 === 0 ? prefix + other : other;
      expect(end !== undefined && text >= prefix && text < end).toBe(text.startsWith(prefix));
    }),
  );
  expect(afterPrefix('ü')).toBeUndefined();
  expect(afterPrefix('')).toBeUndefined();
});
