import { StorageError } from './errors.ts';

/** Any other sign, umlauts included, is refused (supabase-contract §3.1). */
const KEY = /^[\w/!.*'() &$=@;:+,?-]+$/;
const BUCKET_NAME = /^[\w!.*'() &$=@;:+,?-]{1,100}$/;
const KEY_MAX_LENGTH = 1_024;

/** Throws InvalidKey. */
export function checkKey(key: string): string {
  if (key.length > KEY_MAX_LENGTH || !KEY.test(key)) throw new StorageError('InvalidKey', `Invalid key: ${key}`);
  return key;
}

/** Throws InvalidBucketName. */
export function checkBucketName(name: string): string {
  if (!BUCKET_NAME.test(name) || name.trim() !== name) throw new StorageError('InvalidBucketName');
  return name;
}

/** The dashboard keeps an empty folder with such an object. */
export function isEmptyFolder(name: string): boolean {
  return name.endsWith('.emptyFolderPlaceholder');
}

/** Smallest text that sorts (by code point) after all keys with the prefix; undefined where no key can have it. */
export function afterPrefix(prefix: string): string | undefined {
  if (!KEY.test(prefix)) return undefined;
  return prefix.slice(0, -1) + String.fromCodePoint((prefix.codePointAt(prefix.length - 1) ?? 0) + 1);
}
