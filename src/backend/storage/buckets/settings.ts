import { z } from 'zod';
import { StorageError } from '../errors.ts';

const MIME_PATTERN = /^(?:[\w.+-]+\/(?:[\w.+-]+|\*)(?:;\s*charset=[\w-]+)?|\*(?:\/\*)?)$/;

/** What a caller may set on a bucket. */
export const BucketSettingsSchema = z.object({
  public: z.boolean().optional(),
  file_size_limit: z.union([z.number().int().min(0), z.string()]).nullish(),
  allowed_mime_types: z.array(z.string().max(1_000)).nullish(),
});

export type BucketSettings = Readonly<{
  public: boolean | undefined;
  file_size_limit: number | null | undefined;
  allowed_mime_types: string[] | null | undefined;
}>;

/** Sizes in bytes, types checked. Throws InvalidRequest, InvalidMimeType, and EntityTooLarge above `maximum` bytes. */
export function bucketSettings(given: z.infer<typeof BucketSettingsSchema>, maximum: number): BucketSettings {
  const limit = given.file_size_limit;
  const bytes = typeof limit === 'string' ? bytesOf(limit) : limit;
  if (typeof bytes === 'number' && bytes > maximum) throw new StorageError('EntityTooLarge');
  const types = given.allowed_mime_types?.filter((type) => type !== '');
  for (const type of types ?? []) {
    if (!MIME_PATTERN.test(type)) throw new StorageError('InvalidMimeType', `mime type ${type} is not supported`);
  }
  return {
    public: given.public,
    file_size_limit: bytes,
    allowed_mime_types: given.allowed_mime_types === null ? null : types,
  };
}

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

/** '20mb' → 20,000,000: powers of ten here, unlike in config.toml. */
function bytesOf(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(b|kb|mb|gb)$/i.exec(text);
  const unit = UNITS[match?.[2]?.toLowerCase() ?? ''];
  if (match === null || unit === undefined) {
    throw new StorageError('InvalidRequest', 'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B');
  }
  return Math.round(Number(match[1]) * unit);
}
